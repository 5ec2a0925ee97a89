import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { command, finished, start, temporaryFolder } from '../support/command.ts'
import { count } from '../support/long.ts'

const pipeline = `
pipeline: { name: widen }
nodes:
  - { type: source, name: rows, config: { type: csv, glob: "*.in", schema: [{ name: id, type: int }, { name: note, type: string }] } }
  - { type: output, name: out, input: rows, config: { type: csv, path: out.csv } }
`
const names = ['1.in', '2.in', 'out.csv', 'pipeline.yaml']

/** The last record has a column that none before it has. */
async function prepare(folder: string, rows: number): Promise<string> {
  const notes = Array.from({ length: rows }, (_, row) => `${row},a note of some length`)
  await writeFile(path.join(folder, 'pipeline.yaml'), pipeline)
  await writeFile(path.join(folder, 'out.csv'), 'old\n')
  await writeFile(path.join(folder, '1.in'), `id,note\n${notes.join('\n')}\n`)
  await writeFile(path.join(folder, '2.in'), 'id,note,late\n0,last,x\n')
  return `id,note,late\n${notes.join(',\n')},\n0,last,x\n`
}

/** Waits until a run has begun to write its output anew: there are two hidden files then, for a moment. */
async function rewriting(folder: string): Promise<boolean> {
  const hidden = (await readdir(folder)).filter((name) => name.endsWith('.clinker'))
  return hidden.length === 2
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s while an output is written anew leaves the old one, and no litter behind the next run',
  async (signal) => {
    await using folder = await temporaryFolder()
    const right = await prepare(folder.path, 400_000)
    let met = 0
    for (let turn = 0; turn < count(3, 40); turn++) {
      const child = start('clinker', ['run', 'pipeline.yaml', '--quiet'], { cwd: folder.path })
      const end = finished(child)
      while (child.exitCode === null && !(await rewriting(folder.path)));
      await sleep(Math.random() * 10)
      child.kill(signal)
      const done = await end
      const output = await readFile(path.join(folder.path, 'out.csv'), 'utf8')
      if (output === 'old\n') met++
      else expect(output).toBe(right)
      if (signal === 'SIGTERM') expect((await readdir(folder.path)).sort()).toEqual(names)
      if (output === 'old\n' && signal === 'SIGTERM') expect(done.exit).toBe(130)
      await writeFile(path.join(folder.path, 'out.csv'), 'old\n')
    }
    expect(met).toBeGreaterThan(0)
    expect((await command('clinker', ['run', 'pipeline.yaml', '--quiet'], { cwd: folder.path })).exit).toBe(0)
    expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe(right)
    expect((await readdir(folder.path)).sort()).toEqual(names)
  },
  600_000,
)

test('a disk that is full for the second writing ends with 4, the old output and no litter', async () => {
  await using folder = await temporaryFolder()
  await prepare(folder.path, 60_000)
  // The first writing takes 1.65 MB, the second one 60 KB more.
  const { exit, stderr } = await command('clinker', ['run', 'pipeline.yaml', '--quiet'], {
    cwd: folder.path,
    shell: 'ulimit -f 1660; COMMAND',
  })
  expect(stderr).toContain('cannot write "out.csv": file too large (EFBIG)')
  expect(exit).toBe(4)
  expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe('old\n')
  expect((await readdir(folder.path)).sort()).toEqual(names)
})
