import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../../../../lib/record/decimal.ts'
import { Float } from '../../../../lib/record/float.ts'
import { evaluate, plain } from './evaluate.ts'
import { failures, results } from './table.ts'

const row = {
  n: null,
  s: '5',
  i: -17,
  f: -2.75,
  h: new Float(1e300),
  whole: new Float(2),
  d: Decimal.of(-250n, 2),
  nan: Number.NaN,
  least: -(2n ** 63n),
  most: 2n ** 63n - 1n,
}

describe('abs, ceil, floor', () => {
  results(row, [
    ['i.abs()', 17],
    ['most.abs()', 2n ** 63n - 1n],
    ['(least + 1).abs()', 2n ** 63n - 1n],
    ['f.abs()', 2.75],
    ['(-0.0).abs()', 0],
    ['d.abs()', '2.50'],
    ['s.abs()', null],
    ['n.abs()', null],
    ['f.ceil()', -2],
    ['f.floor()', -3],
    ['(-0.5).ceil()', 0],
    ['d.ceil()', '-2'],
    ['d.floor()', '-3'],
    ['i.floor()', -17],
    ['9007199254740993.0.floor()', 9007199254740992n],
    ['(-9223372036854775808.0).floor()', -(2n ** 63n)],
  ])
  failures(row, [
    ['least.abs()', 'integer overflow'],
    ['h.ceil()', 'integer overflow'],
    ['nan.floor()', 'integer overflow'],
    ['9223372036854775808.0.ceil()', 'integer overflow'],
  ])
})

describe('round', () => {
  results(row, [
    ['2.5.round()', 3],
    ['(-2.5).round()', -3],
    ['0.49999999999999994.round()', 0],
    ['4503599627370497.5.round()', 4503599627370498],
    ['(-0.4).round()', -0],
    ['2.675.round(2)', 2.68],
    ['1.005.round(2)', 1],
    ['1.115.round(2)', 1.12],
    ['1234.5.round(-2)', 1200],
    ['1250.0.round(-2)', 1300],
    ['12.0.round(-400)', 0],
    ['(-12.0).round(-400)', -0],
    ['h.round(2)', 1e300],
    ['h.round(10)', 1e300],
    ['1.5.round(400)', 1.5],
    ['0.0.round(400)', 0],
    ['nan.round(2)', Number.NaN],
    ['2.75.round(n)', 3],
    ['2.345.round(1.9)', 2.3],
    ['whole.round()', 2],
    ['whole.round().type_of()', 'float'],
    ['i.round(-1)', -17],
    ['i.round().type_of()', 'int'],
    ['s.round()', null],
    ['2.5.round_to(n)', 3],
    ['i.round_to(2)', -17],
    ["'2.5'.to_decimal().round()", '2'],
    ["'3.5'.to_decimal().round()", '4'],
    ["'-2.345'.to_decimal().round(2)", '-2.34'],
    ["'2.3451'.to_decimal().round(2)", '2.35'],
    ["'2.3'.to_decimal().round(4)", '2.3'],
    ["'1234.56'.to_decimal().round(-2)", '1235'],
  ])
})

describe('clamp, min, max', () => {
  results(row, [
    ['i.clamp(0, 10)', 0],
    ['5.clamp(3, 1)', 1],
    ['5.clamp(5.5, 9.5)', 5.5],
    ['i.clamp(n, 10)', -17],
    ['99.clamp(n, n)', 99],
    ['nan.clamp(0, 1)', Number.NaN],
    ["'5.50'.to_decimal().clamp(0, 5)", 5],
    ["'4.50'.to_decimal().clamp(0, 5)", '4.50'],
    ['i.min(f)', -17],
    ['2.5.min(2)', 2],
    ['whole.min(2).type_of()', 'int'],
    ['2.max(whole).type_of()', 'float'],
    ['3.min(n)', null],
    ['3.min(s)', null],
    ['3.max(nan)', Number.NaN],
    ['most.max(least)', 2n ** 63n - 1n],
    ["'1.50'.to_decimal().max('1.5'.to_decimal())", '1.5'],
    ["'2.50'.to_decimal().min(2)", 2],
  ])
})

describe('laws', () => {
  test('rounding to two places is within half a cent and idempotent', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (x) => {
        const rounded = plain(evaluate('x.round(2)', { x: Number.isInteger(x) ? new Float(x) : x })) as number
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(0.005 + 1e-9)
        expect(plain(evaluate('x.round(2)', { x: Number.isInteger(rounded) ? new Float(rounded) : rounded }))).toBe(
          rounded,
        )
      }),
    )
  })
})
