// Takes newer golden and field cases from ../shared, where that folder exists beside the project.
import { cp, rm, stat } from 'node:fs/promises'
import path from 'node:path'

const shared = path.join(import.meta.dirname, '..', '..', 'shared')
if (!(await stat(shared).catch(() => undefined))?.isDirectory()) {
  console.log('no ../shared beside the project: the cases stay as they are')
} else {
  for (const name of ['golden', 'field']) {
    const target = path.join(import.meta.dirname, name)
    await rm(target, { recursive: true, force: true })
    await cp(path.join(shared, name), target, { recursive: true, mode: 0 })
  }
  await rm(path.join(import.meta.dirname, 'golden', 'run.mjs'), { force: true })
  console.log('test/golden and test/field are those of ../shared')
}
