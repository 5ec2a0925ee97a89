import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitsInt, IntOverflow, maxInt, minInt, parseInteger, toInt } from '../../../lib/record/int.ts'

test('an int is a number when it is safe, else a BigInt', () => {
  expect(toInt(5n)).toBe(5)
  expect(toInt(9007199254740991n)).toBe(9007199254740991)
  expect(toInt(9007199254740992n)).toBe(9007199254740992n)
  expect(toInt(-9007199254740992n)).toBe(-9007199254740992n)
  expect(toInt(minInt)).toBe(-9223372036854775808n)
})

test('there is no int beyond 64 bits', () => {
  expect(fitsInt(maxInt)).toBe(true)
  expect(fitsInt(maxInt + 1n)).toBe(false)
  expect(() => toInt(maxInt + 1n)).toThrow(new IntOverflow())
  expect(() => toInt(minInt - 1n)).toThrow(IntOverflow)
})

describe('parseInteger', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['007', 7],
    ['+5', 5],
    ['-42', -42],
    ['999999999999999', 999999999999999],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['00000000000000000000000000000000000000000000007', 7],
    ['00000000000000000000000000000000000000000000000', 0],
    ['-00000000000000000000', 0],
  ])('reads %s', (text, value) => {
    expect(parseInteger(text)).toBe(value)
  })

  test.each([
    ['', '-', '+', '1.0', '1_000', ' 5', '5 ', '1e3', '--1', '0x10', '５'],
    ['9223372036854775808', '-9223372036854775809', '99999999999999999999', '18446744073709551617', 'five'],
  ])('refuses texts that are none', (...texts) => {
    for (const text of texts) expect(parseInteger(text)).toBeUndefined()
  })

  test('reads every int back, exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n * minInt, max: 2n * maxInt }), (value) => {
        expect(parseInteger(`${value}`)).toBe(fitsInt(value) ? toInt(value) : undefined)
      }),
    )
  })
})
