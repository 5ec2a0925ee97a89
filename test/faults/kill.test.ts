import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { command, finished, start, temporaryFolder } from '../support/command.ts'
import { count } from '../support/long.ts'

const pipeline = `
pipeline: { name: kill }
nodes:
  - type: source
    name: rows
    config:
      name: rows
      type: csv
      path: rows.csv
      schema: [{ name: id, type: int }, { name: note, type: string }]
  - type: reshape
    name: mend
    input: rows
    config:
      partition_by: [id]
      rules: [{ name: r, when: "id % 5 == 0", synthesize: { copy_from: trigger, overrides: { note: "'more'" } } }]
  - type: output
    name: out
    input: mend
    config: { name: out, type: csv, path: out.csv }
`

async function prepare(folder: string, rows: number): Promise<void> {
  await mkdir(path.join(folder, 'spill'))
  await writeFile(path.join(folder, 'pipeline.yaml'), pipeline)
  await writeFile(path.join(folder, 'out.csv'), 'old\n')
  const file = createWriteStream(path.join(folder, 'rows.csv'))
  file.write('id,note\n')
  for (let row = 0; row < rows; row++) file.write(`${row % 9973},a note of some length ${row}\n`)
  await new Promise<void>((resolve) => file.end(() => resolve()))
}

const limited = ['run', 'pipeline.yaml', '--memory-limit', '1M', '--spill-dir', 'spill', '--quiet']

test('a run killed at any moment leaves the old output, and the next run works and clears what was left', async () => {
  await using folder = await temporaryFolder()
  await prepare(folder.path, 60_000)
  const started = performance.now()
  const clean = await command('clinker', limited, { cwd: folder.path })
  const whole = performance.now() - started
  expect(clean.stderr).toBe('')
  expect(clean.exit).toBe(0)
  const right = await readFile(path.join(folder.path, 'out.csv'), 'utf8')

  for (let turn = 0; turn < count(10, 200); turn++) {
    await writeFile(path.join(folder.path, 'out.csv'), 'old\n')
    const child = start('clinker', limited, { cwd: folder.path })
    const end = finished(child)
    await sleep(Math.random() * whole)
    child.kill('SIGKILL')
    const { signal } = await end
    const output = await readFile(path.join(folder.path, 'out.csv'), 'utf8')
    // A kill that came too late finds the whole new output; nothing in between is ever there.
    if (signal === 'SIGKILL') expect([right, 'old\n']).toContain(output)
    else expect(output).toBe(right)
  }

  const next = await command('clinker', limited, { cwd: folder.path })
  expect(next.exit).toBe(0)
  expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe(right)
  expect((await readdir(folder.path)).sort()).toEqual(['out.csv', 'pipeline.yaml', 'rows.csv', 'spill'])
  expect(await readdir(path.join(folder.path, 'spill'))).toEqual([])
}, 600_000)

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends with 130, keeps the old output and leaves nothing behind',
  async (signal) => {
    await using folder = await temporaryFolder()
    await prepare(folder.path, 200_000)
    const child = start('clinker', limited, { cwd: folder.path })
    const end = finished(child)
    const spill = path.join(folder.path, 'spill')
    while ((await readdir(spill)).length === 0 && child.exitCode === null) await sleep(10)
    child.kill(signal)
    expect((await end).exit).toBe(130)
    expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe('old\n')
    expect((await readdir(folder.path)).sort()).toEqual(['out.csv', 'pipeline.yaml', 'rows.csv', 'spill'])
    expect(await readdir(spill)).toEqual([])
  },
)

test('a signal ends a filter as it ends a run', async () => {
  await using folder = await temporaryFolder()
  await prepare(folder.path, 200_000)
  const args = ['reshape', '--partition-by', 'id', '--rules', '[]', '--memory-limit', '64K', '--spill-dir', 'spill']
  const child = start('clinker', [...args, 'rows.csv'], { cwd: folder.path })
  const end = finished(child)
  const spill = path.join(folder.path, 'spill')
  while ((await readdir(spill)).length === 0 && child.exitCode === null) await sleep(10)
  child.kill('SIGINT')
  expect(await end).toEqual({ exit: 130, signal: null, stdout: '', stderr: 'cancelled\n' })
  expect(await readdir(spill)).toEqual([])
})

test('a file size limit too small for the spill is E321 with exit 4, and the old output stays', async () => {
  await using folder = await temporaryFolder()
  await prepare(folder.path, 60_000)
  const { exit, stderr } = await command('clinker', limited, { cwd: folder.path, shell: 'ulimit -f 16; COMMAND' })
  expect(stderr).toMatch(/^E321: /)
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(exit).toBe(4)
  expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe('old\n')
  expect(await readdir(path.join(folder.path, 'spill'))).toEqual([])
})

test('a reader that leaves early ends the command quietly with 0', async () => {
  await using folder = await temporaryFolder()
  await prepare(folder.path, 60_000)
  const args = ['reshape', '--config', 'rules.yaml', '--from', 'csv', '--to', 'ndjson', '--spill-dir', 'spill']
  await writeFile(path.join(folder.path, 'rules.yaml'), 'partition_by: [id]\nrules: []\n')
  const { exit, stdout, stderr } = await command('clinker', args, {
    cwd: folder.path,
    shell: 'COMMAND < rows.csv | head -n 2; exit ${PIPESTATUS[0]}',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('{"id":"0","note":"a note of some length 0"}\n{"id":"0","note":"a note of some length 9973"}\n')
  expect(exit).toBe(0)
  expect(await readdir(path.join(folder.path, 'spill'))).toEqual([])
})

test('a filter from CSV to CSV streams: an endless input has a first row', async () => {
  await using folder = await temporaryFolder()
  const { exit, stdout, stderr } = await command('clinker', ['transform', 'emit n = id + "!"', '--from', 'csv'], {
    cwd: folder.path,
    shell: '(echo id,t; yes 1,x) | COMMAND | head -n 2; exit ${PIPESTATUS[1]}',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('id,t,n\n1,x,1!\n')
  expect(exit).toBe(0)
})
