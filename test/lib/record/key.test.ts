import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { compareForSort } from '../../../lib/record/compare.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { compoundKey, type Key, keyOf } from '../../../lib/record/key.ts'
import type { Value } from '../../../lib/record/value.ts'

const decimal = (text: string): Decimal => Decimal.parse(text) as Decimal

describe('keyOf', () => {
  test.each<[values: Value[], key: Key | undefined]>([
    [[null, undefined as unknown as Value], null],
    [['a'], 'a'],
    [[''], ''],
    [[' '], ' '],
    [[true], true],
    [[2, new Float(2), decimal('2'), decimal('2.00')], 2],
    [[0, -0, new Float(-0), decimal('0.00')], 0],
    [[0.5, decimal('0.5'), decimal('0.50')], 0.5],
    [[9007199254740993n, decimal('9007199254740993.0')], 9007199254740993n],
    [[new Float(9007199254740992), 9007199254740992n], 9007199254740992n],
    [[Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY],
    [[Number.NaN, new Float(Number.NaN), [1], {}], undefined],
  ])('%s are keyed as %s', (values, key) => {
    for (const value of values) expect(keyOf(value)).toBe(key)
  })

  test('values of different kinds have different keys', () => {
    const day = CivilDate.parse('2024-01-01') as CivilDate
    const midnight = CivilDateTime.parse('2024-01-01T00:00:00') as CivilDateTime
    const apart: Value[] = [1, '1', true, 'true', null, 'null', '', day, '2024-01-01', midnight, '2024-01-01T00:00:00']
    apart.push(0.1, decimal('0.1'), '0.1', '\0N0.1', '\0\0N0.1', '\0', '\0D2024-01-01')
    expect(new Set(apart.map(keyOf)).size).toBe(apart.length)
  })

  test('a JavaScript date is keyed as its date-time', () => {
    const midnight = CivilDateTime.parse('2024-01-01T00:00:00') as CivilDateTime
    expect(keyOf(new Date('2024-01-01T00:00:00Z') as unknown as Value)).toBe(keyOf(midnight))
  })

  test('numbers share a key exactly when they are equal', () => {
    const whole = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.integer({ min: -3, max: 3 }).map((n) => 2 ** 53 + 2 * n),
    )
    const number: fc.Arbitrary<Value> = fc.oneof(
      whole.map((n) => (Number.isSafeInteger(n) ? n : BigInt(n))),
      whole.map((n) => new Float(n)),
      fc.integer({ min: -40, max: 40 }).map((n) => (n % 8 === 0 ? new Float(n / 8) : n / 8)),
      fc
        .tuple(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: 0, max: 4 }))
        .map(([n, scale]) => Decimal.of(BigInt(n), scale)),
    )
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(keyOf(a) === keyOf(b)).toBe(compareForSort(a, b) === 0)
      }),
    )
  })
})

describe('compoundKey', () => {
  test('is different for different lists', () => {
    const lists: Key[][] = [
      [],
      ['a'],
      ['a', ''],
      ['', 'a'],
      ['a', null],
      [null, 'a'],
      [null, null],
      ['null'],
      [null],
      [1],
      ['1'],
      [12],
      [1, 2],
      [1n],
      [true],
      ['t'],
      [true, false],
      ['s1:a'],
      ['a', 'b'],
      ['as1:b'],
    ]
    // 1 and 1n are never both keys: an int has one form.
    expect(new Set(lists.map(compoundKey)).size).toBe(lists.length - 1)
  })

  test('is the same for the same list only', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('s', ':', '1', ';', '_'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const parts = fc.array(part, { maxLength: 4 })
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(compoundKey(a) === compoundKey(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
      }),
    )
  })
})
