import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { compileDatePattern, type DatePattern } from '../record/date-pattern.ts'
import { Decimal } from '../record/decimal.ts'
import { boxFloat, parseFinite } from '../record/float.ts'
import { parseInteger } from '../record/int.ts'
import type { Value } from '../record/value.ts'
import type { SchemaColumn } from './column.ts'

/** Reads a text as a value of one column; undefined when it does not convert. */
export type FromText = (text: string) => Value | undefined

export interface ReaderOptions {
  /** Patterns (spec/2, date patterns) tried behind the built-in forms: those with a time of day for `date_time`, the others for `date`. */
  readonly date_formats?: readonly string[] | undefined
}

/**
 * How a column reads text (spec/4, reading text into types): the one function for CSV cells, XML values and JSON strings. Of a
 * `multiple` column it reads one element.
 * @example textReader({ name: 'id', type: Type.of('int') })('007') // 7
 */
export function textReader(column: SchemaColumn, options: ReaderOptions = {}): FromText {
  const { name, nullable } = column.type
  const read = readerOf(column, options)
  if (!nullable || name === 'string' || name === 'any') return read
  return (text) => (text === '' ? null : read(text))
}

/** An optional sign and digits, 64 bits: `007`, `+5`. */
const readInt: (text: string) => number | bigint | undefined = parseInteger

/** Any finite double: `.5`, `5.`, `1e21`. */
const readFloat: (text: string) => number | undefined = parseFinite

/** `true false yes no on off 1 0`, in any case. */
export function readBool(text: string): boolean | undefined {
  if (text === 'true') return true
  if (text === 'false') return false
  return text.length <= 5 ? truths.get(text.toLowerCase()) : undefined
}

/** A decimal with the scale it is written with; digits that would have to be rounded are refused. */
function readDecimal(text: string): Decimal | undefined {
  return Decimal.parseExact(text)
}

/** A decimal of exactly `scale` places, and at most `precision` digits. */
export function decimalReader(
  scale: number | undefined,
  precision: number | undefined,
): (text: string) => Decimal | undefined {
  return (text) => {
    const written = Decimal.parseExact(text)
    const decimal = scale === undefined ? written : written?.withScale(scale)
    return decimal && precision !== undefined && decimal.precision > precision ? undefined : decimal
  }
}

/** Year, month, day with `-` or `/` between them: `2024-02-29`, `2024/3/1`. */
export function readDate(text: string): CivilDate | undefined {
  const { length } = text
  const end = dateEnd(text)
  return end === length ? dateBefore(text, end) : undefined
}

/**
 * A date, `T` or a space, `HH:MM` or `HH:MM:SS` with up to nine digits of a fraction, then nothing, `Z` or `±HH:MM`, which is brought
 * to UTC.
 */
export function readDateTime(text: string): CivilDateTime | undefined {
  const end = dateEnd(text)
  const between = text.charCodeAt(end)
  if (end === 0 || (between !== 84 /* T */ && between !== 32)) return undefined
  const hour = twoDigits(text, end + 1)
  const minute = twoDigits(text, end + 4)
  if (text.charCodeAt(end + 3) !== colon) return undefined
  let at = end + 6
  let second = 0
  let nanosecond = 0
  if (text.charCodeAt(at) === colon) {
    second = twoDigits(text, at + 1)
    at += 3
    if (text.charCodeAt(at) === point) {
      const start = ++at
      while (isDigit(text.charCodeAt(at))) nanosecond = nanosecond * 10 + (text.charCodeAt(at++) - 48)
      const digits = at - start
      if (digits === 0 || digits > 9) return undefined
      nanosecond *= powers[9 - digits] as number
    }
  }
  const offset = zoneMinutes(text, at)
  const date = dateBefore(text, end)
  if (offset === undefined || !date || hour < 0 || minute < 0 || second < 0) return undefined
  const time = CivilDateTime.of(date, hour, minute, second, nanosecond)
  return time && offset !== 0 ? shifted(time, -offset) : time
}

const colon = 58
const point = 46
const powers = Array.from({ length: 10 }, (_, exponent) => 10 ** exponent)
const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
])

function readerOf(column: SchemaColumn, { date_formats = [] }: ReaderOptions): FromText {
  switch (column.type.name) {
    case 'int':
      return readInt
    case 'float':
      // An array says nothing of the types of its elements, so there a whole float must show what it is.
      return column.multiple ? boxedFloat : readFloat
    case 'decimal':
      if (column.scale === undefined && column.precision === undefined) return readDecimal
      return decimalReader(column.scale, column.precision)
    case 'bool':
      return readBool
    case 'date': {
      if (column.format !== undefined) return patternReader(column.format, 'readDate')
      const patterns = date_formats.map(compileDatePattern).filter((pattern) => !pattern.needsTime)
      return patterns.length ? withPatterns(readDate, patterns, 'readDate') : readDate
    }
    case 'date_time': {
      if (column.format !== undefined) return patternReader(column.format, 'readDateTime')
      const patterns = date_formats.map(compileDatePattern).filter((pattern) => pattern.needsTime)
      return patterns.length ? withPatterns(readDateTime, patterns, 'readDateTime') : readDateTime
    }
    case 'string':
    case 'any':
      return (text) => text
    default:
      // Text is never an array, a map or null.
      return () => undefined
  }
}

function boxedFloat(text: string): Value | undefined {
  const value = parseFinite(text)
  return value === undefined ? undefined : boxFloat(value)
}

type Reading = 'readDate' | 'readDateTime'

function patternReader(format: string, reading: Reading): FromText {
  const pattern = compileDatePattern(format)
  return (text) => pattern[reading](text)
}

function withPatterns(builtIn: FromText, patterns: readonly DatePattern[], reading: Reading): FromText {
  return (text) => {
    let value = builtIn(text)
    for (let at = 0; value === undefined && at < patterns.length; at++) value = patterns[at]?.[reading](text)
    return value
  }
}

/** Where a date that opens the text ends; 0 when none does. */
function dateEnd(text: string): number {
  const separator = text.charCodeAt(4)
  if (separator !== 45 /* - */ && separator !== 47 /* / */) return 0
  for (let at = 0; at < 4; at++) if (!isDigit(text.charCodeAt(at))) return 0
  if (!isDigit(text.charCodeAt(5))) return 0
  let at = isDigit(text.charCodeAt(6)) ? 7 : 6
  if (text.charCodeAt(at) !== separator || !isDigit(text.charCodeAt(at + 1))) return 0
  at += 2
  return isDigit(text.charCodeAt(at)) ? at + 1 : at
}

/** The date in the first `end` characters, which {@link dateEnd} has looked at. */
function dateBefore(text: string, end: number): CivilDate | undefined {
  const year = digit(text, 0) * 1000 + digit(text, 1) * 100 + digit(text, 2) * 10 + digit(text, 3)
  const long = isDigit(text.charCodeAt(6))
  const month = long ? digit(text, 5) * 10 + digit(text, 6) : digit(text, 5)
  const start = long ? 8 : 7
  const day = end - start === 2 ? digit(text, start) * 10 + digit(text, start + 1) : digit(text, start)
  return CivilDate.of(year, month, day)
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The number two digits write; -1 when they are not there. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at)
  const ones = text.charCodeAt(at + 1)
  return isDigit(tens) && isDigit(ones) ? (tens - 48) * 10 + ones - 48 : -1
}

/** The offset of a zone that fills the text from `at` on: 0 when there is none. Undefined: something else stands there. */
function zoneMinutes(text: string, at: number): number | undefined {
  const rest = text.length - at
  if (rest === 0) return 0
  const first = text.charCodeAt(at)
  if (rest === 1) return first === 90 /* Z */ ? 0 : undefined
  const sign = first === 43 /* + */ ? 1 : first === 45 /* - */ ? -1 : 0
  const hours = twoDigits(text, at + 1)
  const minutes = twoDigits(text, at + 4)
  if (sign === 0 || rest !== 6 || text.charCodeAt(at + 3) !== colon || hours < 0 || minutes < 0) return undefined
  return hours < 24 && minutes < 60 ? sign * (hours * 60 + minutes) : undefined
}

function shifted(time: CivilDateTime, minutes: number): CivilDateTime {
  return CivilDateTime.fromEpoch(time.epochSeconds + minutes * 60, time.nanosecond)
}
