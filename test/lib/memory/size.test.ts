import { describe, expect, test } from 'vitest'
import { keySize, recordSize, valueSize } from '../../../lib/memory/index.ts'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import type { Row, Value } from '../../../lib/record/value.ts'
import { rowOfValues } from './rows.ts'

const date = CivilDate.of(2024, 2, 29) as CivilDate

describe('the size of a record', () => {
  test('is a fixed part, a slot for each column and what the values hold', () => {
    expect(recordSize(rowOfValues({}))).toBe(72)
    expect(recordSize(rowOfValues({ a: 1, b: null, c: true, d: 1.5 }))).toBe(72 + 4 * 8 + 16)
    expect(recordSize(rowOfValues({ a: 'four' }))).toBe(72 + 8 + 24 + 4)
    expect(recordSize(rowOfValues({ a: 2n ** 60n, b: [1, 'x'] }))).toBe(72 + 16 + 24 + (32 + 16 + 25))
  })

  test('is that of the values it has, not of an earlier record of its shape', () => {
    expect(recordSize(rowOfValues({ a: 'xx' })) - recordSize(rowOfValues({ a: 1 }))).toBe(26)
    expect(recordSize(rowOfValues({ a: 'xx' }))).toBe(106)
  })

  test('counts columns of any name', () => {
    const row = rowOfValues([
      ['__proto__', 'x'],
      ['2024', 'y'],
      ["it's", 'z'],
      ['', 'w'],
    ])
    expect(recordSize(row)).toBe(72 + 4 * (8 + 25))
  })

  test('is counted by keys for a record nobody stamped, and for a very wide one', () => {
    expect(recordSize({ a: 1, b: 'x' })).toBe(72 + 16 + 25)
    const wide: Row = {}
    for (let index = 0; index < 1000; index++) wide[`c${index}`] = 'x'
    expect(recordSize(rowOfValues(wide))).toBe(72 + 1000 * (8 + 25))
  })
})

test.each<[string, Value, number]>([
  ['null', null, 0],
  ['a boolean', true, 0],
  ['a small integer', -5, 0],
  ['another number', 1.5, 16],
  ['a text', 'abc', 27],
  ['a large integer', 2n ** 60n, 24],
  ['a float', new Float(2), 24],
  ['a decimal', Decimal.of(150n, 2), 64],
  ['a date', date, 48],
  ['a date-time', CivilDateTime.of(date, 1, 2, 3) as CivilDateTime, 112],
  ['an array', [1, 2, 'x'], 32 + 24 + 25],
  ['a map', { a: 1, bc: 'x' }, 48 + (40 + 1) + (40 + 2 + 25)],
])('%s holds bytes beyond its slot', (_, value, bytes) => {
  expect(valueSize(value)).toBe(bytes)
})

test('a key holds what a value holds', () => {
  expect([null, true, 5, 2n ** 60n, 'abc'].map(keySize)).toEqual([0, 0, 0, 24, 27])
})
