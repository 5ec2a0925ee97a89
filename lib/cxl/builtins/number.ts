import { compareValues } from '../../record/compare.ts'
import type { Decimal } from '../../record/decimal.ts'
import { maxInt, toInt } from '../../record/int.ts'
import type { Value } from '../../record/value.ts'
import { Failure } from '../failure.ts'
import type { BuiltinEntry, Int } from './builtin.ts'

type Methods = Readonly<Record<string, BuiltinEntry>>

export const intMethods: Methods = {
  abs: {
    signature: '() -> int',
    doc: 'The value without its sign; the smallest int has no counterpart and overflows.',
    examples: { '(-17).abs()': 17, '(-9223372036854775808).abs()': 'error: integer overflow' },
    run: (value: Int) => {
      if (typeof value === 'number') return Math.abs(value)
      if (-value > maxInt) throw new Failure('integer overflow', { value })
      return value < 0n ? toInt(-value) : value
    },
  },
  ceil: {
    signature: '() -> int',
    doc: 'An int is its own ceiling.',
    examples: { '7.ceil()': 7 },
    run: (value: Int) => value,
  },
  floor: {
    signature: '() -> int',
    doc: 'An int is its own floor.',
    examples: { '7.floor()': 7 },
    run: (value: Int) => value,
  },
  round: {
    signature: '(places?: int) -> int',
    doc: 'An int stays as it is, whatever the places.',
    examples: { '7.round()': 7, '1234.round(-2)': 1234 },
    run: (value: Int) => value,
  },
  round_to: {
    signature: '(places: int?) -> int',
    doc: 'As `round`: an int stays as it is.',
    examples: { '5.round_to(2)': 5 },
    run: (value: Int) => value,
  },
}

export const floatMethods: Methods = {
  abs: {
    signature: '() -> float',
    doc: 'The value without its sign.',
    examples: { '(-2.75).abs()': 2.75 },
    run: (value: number) => Math.abs(value),
  },
  ceil: {
    signature: '() -> int',
    doc: 'The smallest int that is not below the value. NaN and what no int holds overflow.',
    examples: { '2.1.ceil()': 3, '(-2.9).ceil()': -2 },
    run: (value: number) => intOf(Math.ceil(value)),
  },
  floor: {
    signature: '() -> int',
    doc: 'The greatest int that is not above the value. NaN and what no int holds overflow.',
    examples: { '2.9.floor()': 2, '(-2.1).floor()': -3 },
    run: (value: number) => intOf(Math.floor(value)),
  },
  round: {
    signature: '(places?: int) -> float',
    doc: 'Rounds to `places` digits after the point (default 0, may be negative), halves away from zero. It scales, rounds and scales back, so the binary value decides.',
    examples: { '3.14159.round(2)': 3.14, '1250.0.round(-2)': 1300, '2.5.round()': 3 },
    run: (value: number, places: Int | undefined) => roundFloat(value, places),
  },
  round_to: {
    signature: '(places: int?) -> float',
    doc: 'As `round`, with the places required; null counts as 0.',
    examples: { '6.28318.round_to(3)': 6.283 },
    run: (value: number, places: Int | undefined) => roundFloat(value, places),
  },
}

export const decimalMethods: Methods = {
  abs: {
    signature: '() -> decimal',
    doc: 'The value without its sign, with its scale.',
    examples: { "'-1.50'.to_decimal().abs()": '1.50' },
    run: (value: Decimal) => value.abs(),
  },
  ceil: {
    signature: '() -> decimal',
    doc: 'The smallest whole decimal (scale 0) that is not below the value.',
    examples: { "'2.10'.to_decimal().ceil()": '3' },
    run: (value: Decimal) => value.ceil(),
  },
  floor: {
    signature: '() -> decimal',
    doc: 'The greatest whole decimal (scale 0) that is not above the value.',
    examples: { "'-2.10'.to_decimal().floor()": '-3' },
    run: (value: Decimal) => value.floor(),
  },
  round: {
    signature: '(places?: int) -> decimal',
    doc: 'Rounds to `places` digits after the point (default 0), halves to the even digit. Fewer digits stay as they are, negative places count as 0.',
    examples: { "'2.345'.to_decimal().round(2)": '2.34', "'2.3'.to_decimal().round(4)": '2.3' },
    run: (value: Decimal, places: Int | undefined) => roundDecimal(value, places),
  },
  round_to: {
    signature: '(places: int?) -> decimal',
    doc: 'As `round`, with the places required; null counts as 0.',
    examples: { "'19.999'.to_decimal().round_to(2)": '20.00' },
    run: (value: Decimal, places: Int | undefined) => roundDecimal(value, places),
  },
}

/** Methods that take numbers of any kind beside each other. */
export const numericMethods: Methods = {
  clamp: {
    signature: '(low: numeric?, high: numeric?) -> numeric',
    doc: 'The nearest value from `low` to `high`. A null bound does not bind; a bound that is taken keeps its own type.',
    examples: { '(-17).clamp(0, 10)': 0, '99.clamp(0, null)': 99, '5.5.clamp(0, 10)': 5.5 },
    run: (value: Value, low: Value | undefined, high: Value | undefined) => {
      if (low !== undefined && compareValues(value, low) === -1) return low
      return high !== undefined && compareValues(value, high) === 1 ? high : value
    },
    typed: {
      int: (value: Int, low: Int, high: Int) => (value < low ? low : value > high ? high : value),
      float: (value: number, low: number, high: number) => (value < low ? low : value > high ? high : value),
    },
  },
  min: {
    signature: '(other: numeric) -> numeric',
    doc: 'The smaller of the two; the argument where they are equal or NaN is among them.',
    examples: { '8.min(3)': 3, '2.5.min(2)': 2, '3.min(null)': null },
    run: (value: Value, other: Value) => (compareValues(value, other) === -1 ? value : other),
    typed: {
      int: (value: Int, other: Int) => (value < other ? value : other),
      float: (value: number, other: number) => (value < other ? value : other),
    },
  },
  max: {
    signature: '(other: numeric) -> numeric',
    doc: 'The greater of the two; the argument where they are equal or NaN is among them.',
    examples: { '8.max(3)': 8, '2.max(2.5)': 2.5 },
    run: (value: Value, other: Value) => (compareValues(value, other) === 1 ? value : other),
    typed: {
      int: (value: Int, other: Int) => (value > other ? value : other),
      float: (value: number, other: number) => (value > other ? value : other),
    },
  },
}

/** A whole float as an int; undefined for what 64 bits do not hold. */
export function wholeToInt(whole: number): Int | undefined {
  // `+ 0` turns -0 into 0.
  if (Number.isSafeInteger(whole)) return whole + 0
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? BigInt(whole) : undefined
}

function intOf(whole: number): Int {
  const int = wholeToInt(whole)
  if (int === undefined) throw new Failure('integer overflow')
  return int
}

function roundFloat(value: number, places: Int | undefined): number {
  if (places === undefined) return halfAwayFromZero(value)
  const exponent = Math.trunc(Number(places))
  if (exponent === 0) return halfAwayFromZero(value)
  // Powers of ten are exact up to 22 only when they are positive, so negative places divide.
  const power = powerOfTen(Math.abs(exponent))
  if (exponent > 0) {
    const scaled = value * power
    return Number.isFinite(scaled) ? halfAwayFromZero(scaled) / power : value
  }
  if (power === Number.POSITIVE_INFINITY) return Number.isFinite(value) ? value / power : value
  const result = halfAwayFromZero(value / power) * power
  return Number.isFinite(result) ? result : value
}

function halfAwayFromZero(value: number): number {
  const whole = Math.trunc(value)
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole
}

const powers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

function powerOfTen(exponent: number): number {
  return powers[exponent] ?? Number(`1e${exponent}`)
}

function roundDecimal(value: Decimal, places: Int | undefined): Decimal {
  return value.round(Number(places ?? 0), 'half-even')
}
