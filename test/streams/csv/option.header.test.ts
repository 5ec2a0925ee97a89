import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MemoryBudget } from '../../../lib/memory/index.ts'
import { temporaryFolder } from '../../support/command.ts'
import { notWritten, write } from './support.ts'

const drifting = [{ id: 1, a: 'x' }, { id: 2 }, { id: 3, b: 'y', a: 'z' }, { id: 4, c: 'w', b: 'v' }]
const union = 'id,a,b,c\n1,x,,\n2,,,\n3,z,y,\n4,,v,w\n'

test('union: all columns of all records, in first-seen order', async () => {
  expect(await write(drifting, { header: 'union' })).toBe(union)
})

test('auto, the default, is union from code', async () => {
  expect(await write(drifting)).toBe(union)
  expect(await write(drifting, { header: 'auto' })).toBe(union)
})

test('union: rows from before get the cells they lack, not inside quotes', async () => {
  const rows = [
    { a: '' },
    { a: 'line\n\nline' },
    { a: null },
    { a: '"\n"' },
    { a: 1, b: 'é\n,' },
    { a: null, b: null },
    { b: 2, c: 3 },
  ]
  expect(await write(rows)).toBe('a,b,c\n,,\n"line\n\nline",,\n,,\n"""\n""",,\n1,"é\n,",\n,,\n,2,3\n')
})

test('union: empty cells of a single column stay rows to the end', async () => {
  expect(await write([{ a: '' }, { a: 'x\n\n' }, { a: '' }, { a: '' }, { a: '"' }])).toBe(
    'a\n""\n"x\n\n"\n""\n""\n""""\n',
  )
})

test('union: gives the same in any memory, and leaves no file', async () => {
  await using folder = await temporaryFolder()
  const rows = Array.from({ length: 3000 }, (_, id) => ({
    id,
    text: `tëxt "${id}"\n日本`,
    ...(id === 10 ? { early: '' } : {}),
    ...(id === 2999 ? { late: 'x' } : {}),
  }))
  const expected = await write(rows)
  expect(expected.startsWith('id,text,early,late\n0,"tëxt ""0""\n日本",,\n')).toBe(true)
  expect(expected.endsWith('2999,"tëxt ""2999""\n日本",,x\n')).toBe(true)
  for (const limit of ['8K', '64K', '1M']) {
    const memory = new MemoryBudget(limit)
    expect(await write(rows, { memory, spill_dir: folder.path })).toBe(expected)
    expect([
      memory.used,
      readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
    ]).toEqual([0, []])
  }
})

test('union: many shapes', async () => {
  const rows = Array.from({ length: 500 }, (_, n) => ({ id: n, [`c${n}`]: n }))
  const lines = (await write(rows)).split('\n')
  expect(lines[0]).toBe(`id,${rows.map((_, n) => `c${n}`).join(',')}`)
  expect(lines[1]).toBe(`0,0${','.repeat(499)}`)
  expect(lines[500]).toBe(`499${','.repeat(500)}499`)
})

test('first: those of the first record, and cells that later ones lack are empty', async () => {
  expect(await write(drifting.slice(0, 2), { header: 'first' })).toBe('id,a\n1,x\n2,\n')
})

test('first: a later record with another column is an error', async () => {
  expect(await notWritten(drifting, { header: 'first', name: 'copy' })).toBe(
    'SchemaDrift: output "copy": a record has the column "b", which the CSV header does not have: it was fixed by the first record\n' +
      '  let `header` be union, declare the column, or leave it out by `include_unmapped: false`',
  )
})

test('another value is refused', async () => {
  expect(await notWritten([], { header: 'last' as 'first' })).toBe(
    'E000: output "csv": header must be `auto`, `union` or `first`, got "last"',
  )
})

test('records without a column are empty lines, under no header', async () => {
  expect(await write([{}, {}])).toBe('\n\n')
  expect(await write([{}, { a: 1, b: 2 }])).toBe('a,b\n,\n1,2\n')
  expect(await write([{}, { a: null }])).toBe('a\n""\n""\n')
  expect(await write([{}], { header: 'first' })).toBe('\n')
})
