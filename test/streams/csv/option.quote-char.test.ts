import { expect, test } from 'vitest'
import { read, refused } from './support.ts'

test('cells are quoted by it, and only by it', async () => {
  expect(await read(`id|note\n1|'it''s a | here'\n2|"plain"\n`, { delimiter: '|', quote_char: "'" })).toEqual([
    { id: '1', note: "it's a | here" },
    { id: '2', note: '"plain"' },
  ])
})

test('a character of two units is none', async () => {
  expect(await refused('', { quote_char: "''" })).toBe(
    `E000: source "csv": quote_char must be one ASCII character and no line end, got "''"`,
  )
})

test('it cannot be the delimiter', async () => {
  expect(await refused('', { delimiter: "'", quote_char: "'" })).toBe(
    `E000: source "csv": delimiter and quote_char must not be the same character, got "'" for both`,
  )
})
