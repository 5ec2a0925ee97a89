import { expect, test } from 'vitest'
import { read, refused } from './support.ts'

const schema = [
  { name: 'id', type: 'int' },
  { name: 'hue', type: 'string', source_name: 'colour' },
]

test('without a header cells are the columns of the schema, in its order', async () => {
  expect(await read('1,red\n2,blue\n', { has_header: false, schema })).toEqual([
    { id: 1, hue: 'red' },
    { id: 2, hue: 'blue' },
  ])
})

test('an empty file has no records then', async () => {
  expect(await read('', { has_header: false, schema })).toEqual([])
})

test('a row with another number of cells is refused', async () => {
  expect(await refused('1,red\n2,blue,x\n', { has_header: false, schema, file: 'in.csv' })).toBe(
    'FormatFailure: source "csv": in.csv, line 2: the row has 3 cells, the schema has 2 columns\n  in.csv:2:1',
  )
})

test('the columns must be declared', async () => {
  expect(await refused('', { has_header: false })).toBe(
    'E201: source "csv": without a header line the columns must be declared\n  give a `schema`, in the order of the cells',
  )
})
