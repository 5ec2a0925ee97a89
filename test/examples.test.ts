import { execFileSync } from 'node:child_process'
import { copyFile, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { command, temporaryFolder } from './support/command.ts'

const root = path.join(import.meta.dirname, '..')

test('the demo shows mended and inserted rows, the dead letter and the summary', () => {
  const shown = execFileSync(process.execPath, ['examples/demo.mjs'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(shown).toContain('mended')
  expect(shown).toContain('inserted')
  expect(shown).toContain('reshape:backfill_plans:split_long_plan+end_cancelled_plan')
})

test('examples/backfill: whole groups, no column lost, the conflict rejected', async () => {
  await using folder = await temporaryFolder()
  const backfill = path.join(root, 'examples/backfill')
  for (const name of await readdir(backfill)) await copyFile(path.join(backfill, name), path.join(folder.path, name))
  const { exit } = await command('clinker', ['run', 'pipeline.yaml'], { cwd: folder.path })
  expect(exit).toBe(2)
  const input = (await readFile(path.join(folder.path, 'plans.csv'), 'utf8')).trimEnd().split('\n')
  const [header, ...rows] = (await readFile(path.join(folder.path, 'mended.csv'), 'utf8')).trimEnd().split('\n')
  const letters = (await readFile(path.join(folder.path, 'conflicts.csv'), 'utf8')).trimEnd().split('\n').slice(1)
  expect(header).toBe('employee_id,plan,plan_start,plan_end,status,premium,change,region')
  const inserted = rows.filter((row) => row.includes(',inserted,'))
  const mended = rows.filter((row) => row.includes(',mended,'))
  // Every long plan is mended and followed; the plan cancelled on its first day is only mended.
  expect(mended.length).toBe(inserted.length + 1)
  expect(letters.map((letter) => /E\d{4}/.exec(letter)?.[0])).toEqual(['E9001', 'E9001'])
  expect(rows.length - inserted.length + letters.length).toBe(input.length - 1)
  expect(rows.filter((row) => row.startsWith('E9001'))).toEqual([])
})

test('examples/bird-strikes: a real file, with column names that are no identifiers', async () => {
  await using folder = await temporaryFolder()
  await copyFile(path.join(root, 'examples/bird-strikes/pipeline.yaml'), path.join(folder.path, 'pipeline.yaml'))
  const data = path.join(root, 'node_modules/vega-datasets/data/birdstrikes.csv')
  await copyFile(data, path.join(folder.path, 'birdstrikes.csv'))
  const { exit, stderr } = await command('clinker', ['run', 'pipeline.yaml', '--quiet'], { cwd: folder.path })
  expect(stderr).toBe('')
  expect(exit).toBe(0)
  const original = (await readFile(data, 'utf8')).trimEnd().split('\n')
  const substantial = original.filter((line) => line.includes(',Substantial,')).length
  const rows = (await readFile(path.join(folder.path, 'histories.csv'), 'utf8')).trimEnd().split('\n')
  expect(rows[0]).toBe(
    'airport,damage,flight_date,cost,entry,Aircraft Make Model,Aircraft Airline Operator,Origin State,Phase of flight,Wildlife Size,Wildlife Species,Time of day,Cost Other,Cost Repair,Speed IAS in knots',
  )
  expect(rows.length - 1).toBe(original.length - 1 + substantial)
  expect(rows.filter((row) => row.includes(',inspection,')).length).toBe(substantial)
})
