import { expect, test } from 'vitest'
import { write } from './support.ts'

test.each(['first', 'union'] as const)('they open the header (%s)', async (header) => {
  expect(await write([{ c: 3, b: 2 }], { columns: ['a', 'b'], header })).toBe('a,b,c\n,2,3\n')
})

test.each(['first', 'union'] as const)('they are all of it when there is no record (%s)', async (header) => {
  expect(await write([], { columns: ['a', 'b, c'], header })).toBe('a,"b, c"\n')
})
