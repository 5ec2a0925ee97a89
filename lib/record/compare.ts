import { CivilDate, CivilDateTime } from './civil.ts'
import { Decimal } from './decimal.ts'
import { Float, unboxFloat } from './float.ts'
import { fromForeign } from './foreign.ts'
import { canGenerate, Code } from './generate.ts'
import { type Kind, kindOf } from './kind.ts'
import { mapKeys } from './map.ts'
import type { Row, Value, ValueMap } from './value.ts'

/** Orders strings by code point. UTF-16 order differs where a surrogate meets a unit from U+E000 on. */
export function compareText(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0
  const length = left.length < right.length ? left.length : right.length
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at)
    const b = right.charCodeAt(at)
    if (a !== b) {
      if (a >= 0xd800 && b >= 0xd800)
        return isSurrogate(a) === isSurrogate(b) ? (a < b ? -1 : 1) : isSurrogate(a) ? 1 : -1
      return a < b ? -1 : 1
    }
  }
  return left.length < right.length ? -1 : 1
}

/**
 * `==` of the language: int and float by value as doubles, int and decimal exactly, arrays and maps by content; NaN equals nothing,
 * null equals null, and other pairs of kinds are unequal.
 */
export function equalValues(left: Value, right: Value): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right
  if (typeof left === 'number' && typeof right === 'number') return left === right
  const kind = kindOf(left)
  const other = kindOf(right)
  if (isNumber(kind) && isNumber(other)) return compareNumbers(left, kind, right, other) === 0
  if (kind !== other) return false
  switch (kind) {
    case 'null':
      return true
    case 'array':
      return equalArrays(left as Value[], right as Value[])
    case 'map':
      return equalMaps(left as ValueMap, right as ValueMap)
    case 'date':
      return (left as CivilDate).equals(right as CivilDate)
    case 'date_time':
      return dateTimeOf(left).equals(dateTimeOf(right))
    default:
      return left === right
  }
}

/**
 * The order behind `<` of the language. Undefined for a pair it does not order: null, bool, array, map, NaN, two kinds other than
 * int with float and int with decimal.
 */
export function compareValues(left: Value, right: Value): -1 | 0 | 1 | undefined {
  if (typeof left === 'number' && typeof right === 'number') return order(left, right)
  if (typeof left === 'string') return typeof right === 'string' ? compareText(left, right) : undefined
  const kind = kindOf(left)
  const other = kindOf(right)
  if (isNumber(kind) && isNumber(other)) return compareNumbers(left, kind, right, other)
  if (kind !== other) return undefined
  if (kind === 'date') return (left as CivilDate).compare(right as CivilDate)
  if (kind === 'date_time') return dateTimeOf(left).compare(dateTimeOf(right))
  return undefined
}

/**
 * The total order of sorting, nulls aside: numbers of all kinds by exact value (NaN behind them), text by code point, false before
 * true, dates by calendar. Values of different kinds stand in the order bool, number, string, date, date-time, array, map.
 */
export function compareForSort(left: Value, right: Value): -1 | 0 | 1 {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right)
  const kind = kindOf(left)
  const other = kindOf(right)
  if (ranks[kind] !== ranks[other]) return ranks[kind] < ranks[other] ? -1 : 1
  if (isNumber(kind)) return compareExactly(left as Numeric, right as Numeric)
  switch (kind) {
    case 'bool':
      return left === right ? 0 : left ? 1 : -1
    case 'date':
      return (left as CivilDate).compare(right as CivilDate)
    case 'date_time':
      return dateTimeOf(left).compare(dateTimeOf(right))
    case 'array':
      return compareArrays(left as Value[], right as Value[])
    default:
      // Maps have no order of their own: equal ranks leave them as they came.
      return 0
  }
}

export interface SortKey {
  readonly column: string
  readonly descending?: boolean
  /** Where null and absent values stand, in either direction. Default: `last`. */
  readonly nulls?: 'first' | 'last'
}

/** Orders records by columns; zero for records that tie, which a stable sort leaves as they came. */
export function sortComparator(keys: readonly SortKey[]): (left: Row, right: Row) => number {
  return canGenerate() ? generatedComparator(keys) : plainComparator(keys)
}

type Numeric = number | bigint | Float | Decimal

const ranks: Record<Kind, number> = {
  null: 0,
  bool: 1,
  int: 2,
  float: 2,
  decimal: 2,
  string: 3,
  date: 4,
  date_time: 5,
  array: 6,
  map: 7,
}

function isNumber(kind: Kind): boolean {
  return kind === 'int' || kind === 'float' || kind === 'decimal'
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function dateTimeOf(value: Value): CivilDateTime {
  return fromForeign(value) as CivilDateTime
}

function order<T extends number | bigint>(left: T, right: T): -1 | 0 | 1 | undefined {
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : undefined
}

function compareNumbers(left: Value, kind: Kind, right: Value, other: Kind): -1 | 0 | 1 | undefined {
  if (kind === 'decimal' || other === 'decimal') {
    if (kind === 'float' || other === 'float') return undefined
    return decimalOf(left as number | bigint | Decimal).compare(decimalOf(right as number | bigint | Decimal))
  }
  if (kind === 'float' || other === 'float') return order(doubleOf(left), doubleOf(right))
  return order(BigInt(left as number | bigint), BigInt(right as number | bigint))
}

function decimalOf(value: number | bigint | Decimal): Decimal {
  return value instanceof Decimal ? value : Decimal.fromInt(value)
}

function doubleOf(value: Value): number {
  return typeof value === 'bigint' ? Number(value) : unboxFloat(value as number | Float)
}

/** Compares numbers of any kinds by their exact values; NaN is behind all others. */
function compareExactly(left: Numeric, right: Numeric): -1 | 0 | 1 {
  const a = left instanceof Float ? left.value : left
  const b = right instanceof Float ? right.value : right
  // JavaScript compares a number with a BigInt exactly.
  if (!(a instanceof Decimal) && !(b instanceof Decimal)) {
    if (a < b) return -1
    if (a > b) return 1
    return a == b ? 0 : Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : -1
  }
  if (a instanceof Decimal) return b instanceof Decimal ? a.compare(b) : compareDecimal(a, b)
  return b instanceof Decimal ? (-compareDecimal(b, a) as -1 | 0 | 1) : 0
}

function compareDecimal(decimal: Decimal, number: number | bigint): -1 | 0 | 1 {
  if (typeof number === 'number' && !Number.isInteger(number)) {
    if (!Number.isFinite(number)) return number === -Infinity ? 1 : -1
    // numerator / 2^twos is the double, exactly.
    let numerator = number
    let twos = 0n
    while (!Number.isInteger(numerator)) {
      numerator *= 2
      twos++
    }
    return order(decimal.coefficient << twos, BigInt(numerator) * 10n ** BigInt(decimal.scale)) ?? 0
  }
  return order(decimal.coefficient, BigInt(number) * 10n ** BigInt(decimal.scale)) ?? 0
}

function equalArrays(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((value, at) => equalValues(value, right[at] as Value))
}

function equalMaps(left: ValueMap, right: ValueMap): boolean {
  const keys = mapKeys(left)
  return (
    keys.length === mapKeys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalValues(left[key] as Value, right[key] as Value))
  )
}

function compareArrays(left: readonly Value[], right: readonly Value[]): -1 | 0 | 1 {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const result = compareForSort(left[at] as Value, right[at] as Value)
    if (result !== 0) return result
  }
  return left.length === right.length ? 0 : left.length < right.length ? -1 : 1
}

function compareKey(left: Value, right: Value, descending: boolean, nullsFirst: boolean): number {
  // `==` on purpose: an absent column counts as null.
  if (left == null || right == null) {
    if (left == null && right == null) return 0
    return (left == null) === nullsFirst ? -1 : 1
  }
  const result = compareForSort(left, right)
  return descending ? -result : result
}

function plainComparator(keys: readonly SortKey[]): (left: Row, right: Row) => number {
  return (left, right) => {
    for (const { column, descending = false, nulls = 'last' } of keys) {
      const result = compareKey(left[column] as Value, right[column] as Value, descending, nulls === 'first')
      if (result !== 0) return result
    }
    return 0
  }
}

/** {@link plainComparator} with the columns read by name, and numbers, texts and dates compared without looking for their kinds. Benchmark: `npm run bench -- reshape`. */
function generatedComparator(keys: readonly SortKey[]): (left: Row, right: Row) => number {
  const code = new Code()
  const date = code.bind(CivilDate)
  const lines = ['let x, y, c']
  for (const { column, descending = false, nulls = 'last' } of keys) {
    const [less, more] = descending ? [1, -1] : [-1, 1]
    const other = `${code.bind(compareKey)}(x, y, ${descending}, ${nulls === 'first'})`
    lines.push(
      `x = ${code.member('a', column)}; y = ${code.member('b', column)}`,
      'if (x !== y) {',
      "  if (typeof x === 'number' && typeof y === 'number') {",
      `    if (x < y) return ${less}`,
      `    if (x > y) return ${more}`,
      `    c = ${other}`,
      `  } else if (typeof x === 'string' && typeof y === 'string') c = ${descending ? '-' : ''}${code.bind(compareText)}(x, y)`,
      `  else if (x instanceof ${date} && y instanceof ${date}) {`,
      '    c = x.year - y.year || x.month - y.month || x.day - y.day',
      `    if (c !== 0) return c < 0 ? ${less} : ${more}`,
      `  } else c = ${other}`,
      '  if (c !== 0) return c',
      '}',
    )
  }
  return code.compile(['a', 'b'], [...lines, 'return 0'].join('\n'))
}
