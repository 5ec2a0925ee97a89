import { expect, test } from 'vitest'
import { Type } from '../../../lib/record/type.ts'
import { badCell } from '../../../lib/schema/index.ts'

const cell = { source: 'rows', file: 'rows.csv', row: 2, column: 2, field: 'v', type: Type.of('int'), value: 'x' }

test('names source, file, row, column, field, type and value', () => {
  const error = badCell(cell)
  expect(error.format()).toBe('E126: source "rows": rows.csv row=2 column=2 field="v": declared int, got "x"')
  expect([error.code, error.exit, error.node, error.expected, error.actual]).toEqual([
    'E126',
    4,
    'source "rows"',
    'int',
    'x',
  ])
})

test('shows one line of at most 256 bytes', () => {
  const { message } = badCell({ ...cell, value: `a\nb${'ü'.repeat(1_000_000)}` })
  const shown = message.slice(message.indexOf('got ') + 4)
  expect(shown.startsWith('"a\\nbüü')).toBe(true)
  expect(shown.endsWith('ü…"')).toBe(true)
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(256)
})

test('leaves out a file that has no name', () => {
  expect(badCell({ ...cell, file: '' }).message).toBe(
    'E126: source "rows": row=2 column=2 field="v": declared int, got "x"',
  )
})

test.each([
  [{ value: '' }, 'got ""\n  declare it nullable(int) if it may be empty'],
  [{ value: null }, 'got null\n  declare it nullable(int) if it may be empty'],
  [
    { type: Type.of('date'), value: '12/31/1999' },
    'got "12/31/1999"\n  a date is written year first, as 2024-02-29; for another order give the column a `format`',
  ],
  [
    { type: Type.of('date_time', true), value: 'noon' },
    'got "noon"\n  a date_time is written as 2024-02-29T23:59:58; for another form give the column a `format`',
  ],
  [
    { type: Type.of('date'), format: '%d.%m.%Y', value: '2024-01-01' },
    'got "2024-01-01"\n  the column\'s format "%d.%m.%Y" is the only form it reads',
  ],
])('says how to mend %j', (change, end) => {
  expect(
    badCell({ ...cell, ...change })
      .format()
      .endsWith(end),
  ).toBe(true)
})
