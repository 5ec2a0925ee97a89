import { expect, test } from 'vitest'
import { codeFrame } from '../../../lib/diagnostics/index.ts'

test('marks a stretch of a line', () => {
  expect(codeFrame({ text: 'a\nb = c + d\ne', line: 2, column: 5, length: 5 })).toBe('2 | b = c + d\n  |     ^^^^^')
})

test('keeps the bar in place when the number is long', () => {
  expect(codeFrame({ text: `${'\n'.repeat(99)}abc`, line: 100, column: 1 })).toBe('100 | abc\n    | ^')
})

test('marks one character by default, and a place behind the line', () => {
  expect(codeFrame({ text: 'abc', line: 1, column: 2 })).toBe('1 | abc\n  |  ^')
  expect(codeFrame({ text: 'abc', line: 1, column: 4, length: 9 })).toBe('1 | abc\n  |    ^')
  expect(codeFrame({ text: 'abc', line: 1, column: 2, length: 99 })).toBe('1 | abc\n  |  ^^')
})

test('marks an empty line', () => {
  expect(codeFrame({ text: 'a\n\nb', line: 2, column: 1 })).toBe('2 |\n  | ^')
})

test('counts characters and keeps tabs', () => {
  expect(codeFrame({ text: "'😀😀' + x", line: 1, column: 8 })).toBe("1 | '😀😀' + x\n  |          ^")
  expect(codeFrame({ text: '\tx = y', line: 1, column: 6 })).toBe('1 | \tx = y\n  | \t    ^')
})

test('every kind of line end counts', () => {
  expect(codeFrame({ text: 'a\r\nb\rc\nd', line: 4, column: 1 })).toBe('4 | d\n  | ^')
  expect(codeFrame({ text: 'a\u2028b', line: 1, column: 3 })).toBe('1 | a b\n  |   ^')
})

test('shows the stretch around the mark of a long line', () => {
  const [line = '', mark = ''] = codeFrame({
    text: `${'a'.repeat(500)}!${'b'.repeat(500)}`,
    line: 1,
    column: 501,
  }).split('\n')
  expect(line).toBe(`1 | …${'a'.repeat(50)}!${'b'.repeat(149)}…`)
  expect(line[mark.indexOf('^')]).toBe('!')
})

test('is empty without a text, or beyond its end', () => {
  expect(codeFrame({ line: 1, column: 1 })).toBe('')
  expect(codeFrame({ text: 'a', line: 2, column: 1 })).toBe('')
})
