import { expect, test } from 'vitest'
import { notWritten, write } from './support.ts'

test('cells are separated by it, and quoted when they hold it', async () => {
  expect(
    await write(
      [
        { a: 'x;y', b: 'x,y' },
        { a: 1, b: 2 },
      ],
      { delimiter: ';' },
    ),
  ).toBe('a;b\n"x;y";x,y\n1;2\n')
})

test.each([
  ['.', '"1.5".x'],
  ['-', '1.5-x'],
  ['5', '"1.5"5x'],
  ['\\', '1.5\\x'],
  [']', '1.5]x'],
  ['^', '1.5^x'],
])('numbers are quoted, too, when they hold %j', async (delimiter, line) => {
  const rows = Array.from({ length: 150 }, () => ({ f: 1.5, s: 'x' }))
  expect((await write(rows, { delimiter })).split('\n')[140]).toBe(line)
})

test('two characters are none', async () => {
  expect(await notWritten([], { delimiter: ';;', name: 'copy' })).toBe(
    'E000: output "copy": delimiter must be one ASCII character and no line end, got ";;"',
  )
})

test('a quote character is no option: cells are quoted by "', async () => {
  expect(await notWritten([], { quote_char: "'" } as object)).toContain('E000: output "csv": unknown key `quote_char`')
})
