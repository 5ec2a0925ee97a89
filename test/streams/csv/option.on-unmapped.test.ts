import { expect, test } from 'vitest'
import { read, refused } from './support.ts'

const csv = 'bottle,region,year,shelf\nb1,Rioja,2015,C4\nb2,Douro,,A1\n'
const schema = { bottle: 'string' }

test('auto_widen, the default, carries columns along as text', async () => {
  const widened = [
    { bottle: 'b1', region: 'Rioja', year: '2015', shelf: 'C4' },
    { bottle: 'b2', region: 'Douro', year: '', shelf: 'A1' },
  ]
  expect(await read(csv, { schema })).toEqual(widened)
  expect(await read(csv, { schema, on_unmapped: { mode: 'auto_widen' } })).toEqual(widened)
})

test('drop leaves them out, whatever stands in them', async () => {
  expect(await read(csv, { schema, on_unmapped: { mode: 'drop' } })).toEqual([{ bottle: 'b1' }, { bottle: 'b2' }])
  expect(await read('a,b\n1,"x,\n""y"""\n2,z\n', { schema: { a: 'int' }, on_unmapped: { mode: 'drop' } })).toEqual([
    { a: 1 },
    { a: 2 },
  ])
  expect(await read('b,a\n"x,\n""y""",1\nz,2\n', { schema: { a: 'int' }, on_unmapped: { mode: 'drop' } })).toEqual([
    { a: 1 },
    { a: 2 },
  ])
})

test('reject fails at the first record, and names the first of them', async () => {
  const reject = { schema, on_unmapped: { mode: 'reject' as const }, name: 'cellar', file: 'cellar.csv' }
  expect(await refused(csv, reject)).toBe(
    'FormatFailure: source "cellar": cellar.csv, line 2: the column "region" is not in the schema\n' +
      '  cellar.csv:2:1\n' +
      '  declare it, or let on_unmapped be { mode: drop } or { mode: auto_widen }',
  )
  expect(await read('bottle\nb1\n', reject)).toEqual([{ bottle: 'b1' }])
  expect(await read('bottle,region\n', reject)).toEqual([])
})

test('another mode, or a bare word, is refused', async () => {
  expect(await refused('', { on_unmapped: { mode: 'widen' as 'drop' } })).toBe(
    'E000: source "csv": on_unmapped.mode must be `auto_widen`, `drop` or `reject`, got "widen"',
  )
  expect(await refused('', { on_unmapped: 'drop' as unknown as { mode: 'drop' } })).toBe(
    'E000: source "csv": on_unmapped must be { mode }, got "drop"',
  )
})
