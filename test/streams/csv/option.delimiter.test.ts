import { expect, test } from 'vitest'
import { read, refused } from './support.ts'

test.each([';', '|', '\t', ':', ' ', '.', '\\', '^', ']', '-', 'x', '0'])(
  'cells are separated by %j',
  async (delimiter) => {
    const rows = ['n,s', '7,a', '8,"b,c"'].map((row) => row.replaceAll(',', delimiter))
    expect(await read(`${rows.join('\n')}\n`, { delimiter })).toEqual([
      { n: '7', s: 'a' },
      { n: '8', s: `b${delimiter}c` },
    ])
  },
)

test('a comma is data then', async () => {
  expect(await read('a;b\n1,5;2\n', { delimiter: ';' })).toEqual([{ a: '1,5', b: '2' }])
})

test.each(['', '::', 'ä', '\n', '\r'])('%j is none', async (delimiter) => {
  expect(await refused('', { delimiter, name: 'plants' })).toBe(
    `E000: source "plants": delimiter must be one ASCII character and no line end, got ${JSON.stringify(delimiter)}`,
  )
})
