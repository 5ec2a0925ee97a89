import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { Decimal } from '../record/decimal.ts'
import { boxFloat, Float, parseFinite } from '../record/float.ts'
import { fitsInt, parseInteger, toInt } from '../record/int.ts'
import { isMap } from '../record/kind.ts'
import { makeMap, mapEntries } from '../record/map.ts'
import type { Value, ValueMap } from '../record/value.ts'
import type { SchemaColumn } from './column.ts'
import { decimalReader, type FromText, type ReaderOptions, textReader } from './text-reader.ts'

/** A JSON number with the digits it was written with, where a double would lose some: `2.50`, `9007199254740993`, `1e400`. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/**
 * A value as a JSON parser gives it. A number is a plain one where it has all the digits (a whole plain number is an int), else
 * a {@link NumberText}, or already a value: a bigint, a boxed float.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | NumberText
  | JsonValue[]
  | { [key: string]: JsonValue }

/** Reads a JSON value as a value of one column; undefined when it does not convert. */
export type FromJson = (value: JsonValue) => Value | undefined

/**
 * How a column reads JSON (spec/4, JSON). Of an absent key give null. A `multiple` column gives an array, one of a single element for
 * a lone value.
 */
export function jsonReader(column: SchemaColumn, options: ReaderOptions = {}): FromJson {
  const { nullable } = column.type
  const read = readerOf(column, textReader(column, options))
  const single: FromJson = (value) => {
    if (value === null || value === undefined) return nullable ? null : undefined
    return read(value)
  }
  if (!column.multiple) return single
  return (value) => {
    if (value === null || value === undefined) return nullable ? null : undefined
    const elements = Array.isArray(value) ? value : [value]
    const result: Value[] = []
    for (const element of elements) {
      const value = single(element)
      if (value === undefined) return undefined
      result.push(value)
    }
    return result
  }
}

/**
 * A JSON value as a value of unknown type: an integer of 64 bits is an int, any other number a float. `keepDigits` (undeclared
 * columns, which are only carried and written again) leaves longer integers whole.
 */
export function fromJson(value: JsonValue, keepDigits = false): Value {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? longInt(value, keepDigits) : value
  if (value instanceof NumberText) return fromNumberText(value.text, keepDigits)
  if (value instanceof Float) return value
  // Most arrays and maps hold nothing to convert and stay the objects they are.
  if (Array.isArray(value)) {
    const converted = value.map((element) => fromJson(element, keepDigits))
    return converted.some((element, at) => element !== value[at]) ? converted : (value as Value[])
  }
  const map = value as ValueMap
  const converted = mapEntries(map).map(([key, inner]) => [key, fromJson(inner as JsonValue, keepDigits)] as const)
  return converted.some(([key, inner]) => inner !== map[key]) ? makeMap(converted) : map
}

/** A JSON number by its text: an int, or a float, boxed when it is whole. */
export function fromNumberText(text: string, keepDigits = false): number | bigint | Float {
  if (/^-?\d+$/.test(text) && text !== '-0') return parseInteger(text) ?? longInt(BigInt(text), keepDigits)
  return boxFloat(Number(text))
}

function longInt(value: bigint, keepDigits: boolean): number | bigint | Float {
  if (fitsInt(value)) return toInt(value)
  return keepDigits ? value : boxFloat(Number(value))
}

function readerOf(column: SchemaColumn, text: FromText): FromJson {
  switch (column.type.name) {
    case 'string':
      return (value) => (typeof value === 'string' ? value : undefined)
    case 'int':
      return (value) => (typeof value === 'string' ? text(value) : toIntOrNone(value))
    case 'float':
      return (value) => (typeof value === 'string' ? text(value) : floatOf(value, column.multiple === true))
    case 'decimal':
      return decimalFrom(column, text)
    case 'bool':
      return (value) => {
        if (typeof value === 'boolean') return value
        if (typeof value === 'string') return text(value)
        const number = toIntOrNone(value)
        return number === 1 ? true : number === 0 ? false : undefined
      }
    case 'date':
      return (value) => (typeof value === 'string' ? text(value) : value instanceof CivilDate ? value : undefined)
    case 'date_time':
      return (value) => (typeof value === 'string' ? text(value) : value instanceof CivilDateTime ? value : undefined)
    case 'array':
      return (value) => (Array.isArray(value) ? fromJson(value) : undefined)
    case 'map':
      return (value) => (isObject(value) ? fromJson(value) : undefined)
    case 'any':
      return (value) => fromJson(value)
    default:
      return () => undefined
  }
}

function isObject(value: JsonValue): boolean {
  return !(value instanceof NumberText) && isMap(value as Value)
}

/** A number that is whole, whatever its form: `7`, `7.0`, `70e-1`. */
function toIntOrNone(value: JsonValue): number | bigint | undefined {
  if (typeof value === 'number') return wholeInt(value)
  if (typeof value === 'bigint') return fitsInt(value) ? toInt(value) : undefined
  if (value instanceof Float) return wholeInt(value.value)
  if (!(value instanceof NumberText)) return undefined
  const int = parseInteger(value.text)
  if (int !== undefined) return int
  const decimal = Decimal.parseExact(value.text)?.withScale(0)
  return decimal && fitsInt(decimal.coefficient) ? toInt(decimal.coefficient) : undefined
}

function wholeInt(value: number): number | bigint | undefined {
  if (Number.isSafeInteger(value)) return value + 0
  if (!Number.isInteger(value)) return undefined
  const long = BigInt(value)
  return fitsInt(long) ? long : undefined
}

function floatOf(value: JsonValue, boxed: boolean): Value | undefined {
  const number = doubleOf(value)
  return number === undefined || !boxed ? number : boxFloat(number)
}

function doubleOf(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof NumberText) return parseFinite(value.text)
  return value instanceof Float ? value.value : undefined
}

function decimalFrom(column: SchemaColumn, text: FromText): FromJson {
  const read = decimalReader(column.scale, column.precision)
  return (value) => {
    if (typeof value === 'string') return text(value)
    if (value instanceof NumberText || typeof value === 'number' || typeof value === 'bigint') return read(`${value}`)
    return value instanceof Float ? read(`${value}`) : undefined
  }
}
