/**
 * The operators at run time, over values of unknown type (spec/2, operators at run time). They are the meaning of the language; code
 * generated for known types is a shortcut that must agree with them.
 */
import { compareValues, equalValues } from '../record/compare.ts'
import { Decimal } from '../record/decimal.ts'
import { boxFloat, Float } from '../record/float.ts'
import { fromForeign } from '../record/foreign.ts'
import { toInt } from '../record/int.ts'
import { isIntNumber, isMap } from '../record/kind.ts'
import type { Value } from '../record/value.ts'
import { Failure } from './failure.ts'

function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (!isIntNumber(a) || !isIntNumber(b)) return boxFloat(sum)
    if (Number.isSafeInteger(sum)) return sum
  }
  if (typeof a === 'string') return typeof b === 'string' ? a + b : null
  return calculate(a, b, addition)
}

function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (!isIntNumber(a) || !isIntNumber(b)) return boxFloat(difference)
    if (Number.isSafeInteger(difference)) return difference
  }
  return calculate(a, b, subtraction)
}

function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    if (!isIntNumber(a) || !isIntNumber(b)) return boxFloat(product)
    // `+ 0` makes 0 of -0.
    if (Number.isSafeInteger(product)) return product + 0
  }
  return calculate(a, b, multiplication)
}

/** Truncates toward zero over ints. */
function divide(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0) {
    const quotient = a / b
    // A quotient of safe ints is never so near a whole number that it rounds to it.
    return isIntNumber(a) && isIntNumber(b) ? Math.trunc(quotient) + 0 : boxFloat(quotient)
  }
  return calculate(a, b, division)
}

/** Has the sign of the dividend. */
function remainder(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number' && b !== 0) {
    const rest = a % b
    return isIntNumber(a) && isIntNumber(b) ? rest + 0 : boxFloat(rest)
  }
  return calculate(a, b, remaindering)
}

export function negate(a: Value): Value {
  if (typeof a === 'number') return isIntNumber(a) ? 0 - a : boxFloat(-a)
  if (typeof a === 'bigint') return toInt(-a)
  if (a instanceof Float) return boxFloat(-a.value)
  return a instanceof Decimal ? a.neg() : null
}

export function equal(a: Value, b: Value): boolean {
  return equalValues(a, b)
}

function unequal(a: Value, b: Value): boolean {
  return !equalValues(a, b)
}

function less(a: Value, b: Value): boolean | null {
  if (typeof a === 'number' && typeof b === 'number') return a < b
  if (isNull(a) || isNull(b)) return null
  const order = compareValues(a, b)
  return order !== undefined && order < 0
}

function lessOrEqual(a: Value, b: Value): boolean | null {
  if (typeof a === 'number' && typeof b === 'number') return a <= b
  if (isNull(a) || isNull(b)) return null
  const order = compareValues(a, b)
  return order !== undefined && order <= 0
}

function greater(a: Value, b: Value): boolean | null {
  return less(b, a)
}

function greaterOrEqual(a: Value, b: Value): boolean | null {
  return lessOrEqual(b, a)
}

/** `and` once its left side is known not to be false. */
export function and(a: Value, b: Value): boolean | null {
  if (a === true) return b === true ? true : b === false ? false : null
  return isNull(a) && b === false ? false : null
}

/** `or` once its left side is known not to be true. */
export function or(a: Value, b: Value): boolean | null {
  if (a === false) return b === true ? true : b === false ? false : null
  return isNull(a) && b === true ? true : null
}

export function not(a: Value): boolean | null {
  return a === true ? false : a === false ? true : null
}

/** `object.name` of a map. */
export function member(object: Value, name: string): Value {
  if (typeof object !== 'object' || object === null || !isMap(object) || !Object.hasOwn(object, name)) return null
  return fromForeign(object[name])
}

/** `object[at]`: an array by int, a map by string. */
export function element(object: Value, at: Value): Value {
  if (typeof at === 'string') return member(object, at)
  if (!Array.isArray(object) || typeof at !== 'number' || !(at >= 0)) return null
  return isIntNumber(at) ? fromForeign(object[at]) : null
}

/** A column of a plain object, which may lack it or hold what JavaScript means by a date. */
export function columnOf(record: object, name: string): Value {
  return Object.hasOwn(record, name) ? fromForeign((record as Record<string, unknown>)[name]) : null
}

/** A value read from a column of unknown type. */
export function load(value: unknown): Value {
  return typeof value === 'object' || value === undefined ? fromForeign(value) : (value as Value)
}

/** Brings a float of unknown form to a plain number, where the static type promises a float or null. */
export function unbox(value: Value): Value {
  return value instanceof Float ? value.value : value
}

/** Brings what a column of type float holds to the form of untyped values. */
export function box(value: Value): Value {
  return typeof value === 'number' ? boxFloat(value) : fromForeign(value)
}

function isNull(value: Value): boolean {
  return value === null || value === undefined
}

function divisionByZero(): never {
  throw new Failure('division by zero')
}

function notZero<T extends number | bigint>(divisor: T): T {
  // 0n, 0 and -0: all zeros are falsy; NaN is no zero.
  return divisor || Number.isNaN(divisor) ? divisor : divisionByZero()
}

/** An operation for each kind of operands. */
interface Operation {
  readonly ints: (a: bigint, b: bigint) => bigint
  readonly floats: (a: number, b: number) => number
  readonly decimals: (a: Decimal, b: Decimal) => Decimal
}

const addition: Operation = { ints: (x, y) => x + y, floats: (x, y) => x + y, decimals: (x, y) => x.add(y) }
const subtraction: Operation = { ints: (x, y) => x - y, floats: (x, y) => x - y, decimals: (x, y) => x.sub(y) }
const multiplication: Operation = { ints: (x, y) => x * y, floats: (x, y) => x * y, decimals: (x, y) => x.mul(y) }
const division: Operation = {
  ints: (x, y) => x / notZero(y),
  floats: (x, y) => x / notZero(y),
  decimals: (x, y) => (y.isZero ? divisionByZero() : x.div(y)),
}
const remaindering: Operation = {
  ints: (x, y) => x % notZero(y),
  floats: (x, y) => x % notZero(y),
  decimals: (x, y) => (y.isZero ? divisionByZero() : x.rem(y)),
}

/** What is left once plain numbers are done with. */
function calculate(a: Value, b: Value, { ints, floats, decimals }: Operation): Value {
  const whole = isInt(a)
  if (whole && isInt(b)) return toInt(ints(BigInt(a as number), BigInt(b as number)))
  if ((whole || isFloat(a)) && (isInt(b) || isFloat(b))) return boxFloat(floats(Number(a), Number(b)))
  if (a instanceof Decimal) {
    if (b instanceof Decimal) return decimals(a, b)
    return isInt(b) ? decimals(a, Decimal.fromInt(b as number)) : null
  }
  return whole && b instanceof Decimal ? decimals(Decimal.fromInt(a as number), b) : null
}

function isInt(value: Value): boolean {
  return typeof value === 'number' ? isIntNumber(value) : typeof value === 'bigint'
}

function isFloat(value: Value): boolean {
  return typeof value === 'number' || value instanceof Float
}

/** The binary operators on numbers, as both back ends run them. */
export const arithmetic = { '+': add, '-': subtract, '*': multiply, '/': divide, '%': remainder }

/** The comparing operators. */
export const comparisons = {
  '==': equal,
  '!=': unequal,
  '<': less,
  '<=': lessOrEqual,
  '>': greater,
  '>=': greaterOrEqual,
}
