// Takes newer golden and field cases from ../shared, where that folder exists beside the project.
import { chmod, cp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'

const shared = path.join(import.meta.dirname, '..', '..', 'shared')
if (!(await stat(shared).catch(() => undefined))?.isDirectory()) {
  console.log('no ../shared beside the project: the cases stay as they are')
} else {
  for (const name of ['golden', 'field']) {
    const target = path.join(import.meta.dirname, name)
    await rm(target, { recursive: true, force: true })
    await cp(path.join(shared, name), target, { recursive: true })
    // There the files may be read-only; here the next update must be able to replace them.
    await chmod(target, 0o755)
    for (const entry of await readdir(target, { withFileTypes: true, recursive: true })) {
      await chmod(path.join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
    }
  }
  await rm(path.join(import.meta.dirname, 'golden', 'run.mjs'), { force: true })
  console.log('test/golden and test/field are those of ../shared')
}
