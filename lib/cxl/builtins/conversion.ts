import { CivilDate, CivilDateTime } from '../../record/civil.ts'
import { Decimal, DecimalOverflow } from '../../record/decimal.ts'
import { Float, floatText } from '../../record/float.ts'
import { fitsInt, parseInteger, toInt } from '../../record/int.ts'
import { displayText } from '../../record/text.ts'
import type { Value } from '../../record/value.ts'
import { Failure } from '../failure.ts'
import type { BuiltinCode, BuiltinEntry, Int } from './builtin.ts'
import { withPattern } from './date.ts'
import { wholeToInt } from './number.ts'

/** Conversions of any value: `to_…` fails where there is no such value, `try_…` gives null. */
export const conversionMethods: Readonly<Record<string, BuiltinEntry>> = {
  to_int: {
    signature: '() -> int',
    doc: 'An int: of a text that is a sign and digits, of a float or decimal without its fraction, of a bool 1 or 0. Anything else, and what 64 bits do not hold, is an error.',
    examples: {
      "'0451'.to_int()": 451,
      '(-7.99).to_int()': -7,
      "'12a'.to_int()": "error: cannot convert '12a' to Int",
    },
    run: strict(readInt, 'Int'),
    typed: { string: strict(parseInteger, 'Int') },
  },
  try_int: {
    signature: '() -> int?',
    doc: 'As `to_int`, with null where that fails.',
    examples: { "'7'.try_int()": 7, "'12a'.try_int()": null },
    run: lenient(readInt),
    typed: { string: lenient(parseInteger) },
  },
  to_float: {
    signature: '() -> float',
    doc: 'A float: of a text with digits, point and exponent, or `inf`, `infinity`, `nan` in any case, of an int or decimal. Anything else is an error.',
    examples: {
      "'6.02e2'.to_float()": 602,
      "'.5'.to_float()": 0.5,
      "'1,5'.to_float()": "error: cannot convert '1,5' to Float",
    },
    run: strict(readFloat, 'Float'),
    typed: { float: (value: number) => value, int: Number },
  },
  try_float: {
    signature: '() -> float?',
    doc: 'As `to_float`, with null where that fails.',
    examples: { "'-2.5'.try_float()": -2.5, "''.try_float()": null },
    run: lenient(readFloat),
    typed: { float: (value: number) => value, int: Number },
  },
  to_decimal: {
    signature: '() -> decimal',
    doc: 'A decimal: of a text with digits, point and exponent, its scale kept and rounded half up to 28 places, of an int, of a float by its binary value. Anything else, and what is too large, is an error.',
    examples: {
      "'12.340'.to_decimal()": '12.340',
      '0.375.to_decimal()': '0.375',
      'true.to_decimal()': "error: cannot convert 'true' to Decimal",
    },
    run: strict(readDecimal, 'Decimal'),
    typed: { string: strict(Decimal.parse, 'Decimal'), float: strict(floatToDecimal, 'Decimal') },
  },
  try_decimal: {
    signature: '() -> decimal?',
    doc: 'As `to_decimal`, with null where that fails.',
    examples: { "'4.20'.try_decimal()": '4.20', "'x'.try_decimal()": null },
    run: lenient(readDecimal),
    typed: { string: lenient(Decimal.parse), float: lenient(floatToDecimal) },
  },
  to_bool: {
    signature: '() -> bool',
    doc: 'A bool: of `true`, `1`, `yes`, `false`, `0`, `no` in any case, of an int (only 0 is false). Anything else is an error.',
    examples: { "'YES'.to_bool()": true, '0.to_bool()': false, "'on'.to_bool()": "error: cannot convert 'on' to Bool" },
    run: strict(readBool, 'Bool'),
  },
  try_bool: {
    signature: '() -> bool?',
    doc: 'As `to_bool`, with null where that fails.',
    examples: { "'no'.try_bool()": false, '0.0.try_bool()': null },
    run: lenient(readBool),
  },
  to_date: {
    signature: '(pattern?: string) -> date',
    doc: 'A date: of a text as `pattern` reads it, by default `YYYY-MM-DD` with or without leading zeros, of a date-time its day. Anything else is an error.',
    examples: {
      "'2023-4-5'.to_date()": '2023-04-05',
      "'05/04/2023'.to_date('%d/%m/%Y')": '2023-04-05',
      "'2023-02-29'.to_date()": "error: cannot convert '2023-02-29' to Date",
    },
    run: strict(readDate, 'Date'),
  },
  try_date: {
    signature: '(pattern?: string) -> date?',
    doc: 'As `to_date`, with null where that fails, a bad pattern included.',
    examples: { "'2023-04-05'.try_date()": '2023-04-05', "'2023-04-31'.try_date()": null },
    run: lenient(readDate),
  },
  to_datetime: {
    signature: '(pattern?: string) -> date_time',
    doc: 'A date-time: of a text as `pattern` reads it, by default `YYYY-MM-DDTHH:MM:SS` with an optional fraction, cut to nine digits, of a date its midnight. Anything else is an error.',
    examples: {
      "'2023-04-05T06:07:08'.to_datetime()": '2023-04-05T06:07:08',
      "'05.04.2023 06:07'.to_datetime('%d.%m.%Y %H:%M')": '2023-04-05T06:07:00',
      "'2023-04-05'.to_datetime()": "error: cannot convert '2023-04-05' to DateTime",
    },
    run: strict(readDateTime, 'DateTime'),
  },
  try_datetime: {
    signature: '(pattern?: string) -> date_time?',
    doc: 'As `to_datetime`, with null where that fails, a bad pattern included.',
    examples: { "'2023-04-05 06:07'.try_datetime('%F %R')": '2023-04-05T06:07:00', "'x'.try_datetime()": null },
    run: lenient(readDateTime),
  },
  to_string: {
    signature: '() -> string',
    doc: 'The value as text: floats with their shortest digits and no exponent, dates in ISO form, arrays as `[1, a]`, maps as `{k: 1}`. Never fails.',
    examples: { '2.50.to_string()': '2.5', '100.0.to_string()': '100', '#2023-01-02#.to_string()': '2023-01-02' },
    run: displayText,
    typed: { string: (text: string) => text, int: String, float: floatText },
  },
}

/** Undefined where the value does not convert. */
type Reading = (value: never, pattern?: string) => Value | undefined

function strict(read: Reading, title: string): BuiltinCode {
  return (value, pattern) => {
    const result = read(value as never, pattern)
    if (result === undefined) throw new Failure(`cannot convert '${preview(value)}' to ${title}`, { value })
    return result
  }
}

function lenient(read: Reading): BuiltinCode {
  return (value, pattern) => {
    try {
      return read(value as never, pattern) ?? null
    } catch (error) {
      if (error instanceof Failure) return null
      throw error
    }
  }
}

const longestPreview = 256

/** The text of a value for a message: one line, not too long. */
function preview(value: Value): string {
  const text = typeof value === 'number' ? floatText(value) : displayText(value)
  const line = text.slice(0, longestPreview).replaceAll(/\s+/g, ' ')
  return text.length > longestPreview ? `${line}…` : line
}

function readInt(value: Value): Int | undefined {
  switch (typeof value) {
    case 'string':
      return parseInteger(value)
    case 'number':
      return wholeToInt(Math.trunc(value))
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
  }
  if (value instanceof Float) return wholeToInt(value.value)
  if (!(value instanceof Decimal)) return undefined
  const whole = value.toBigInt()
  return fitsInt(whole) ? toInt(whole) : undefined
}

/** Sign, digits with a point anywhere, exponent; without a way to match one run of digits twice. */
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

function readFloat(value: Value): number | undefined {
  switch (typeof value) {
    case 'string':
      return number.test(value) ? Number(value) : namedFloat(value)
    case 'number':
    case 'bigint':
      return Number(value)
  }
  if (value instanceof Float) return value.value
  return value instanceof Decimal ? value.toNumber() : undefined
}

function namedFloat(text: string): number | undefined {
  const [, sign, name] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? []
  if (name === undefined) return undefined
  if (name.toLowerCase() === 'nan') return Number.NaN
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

function readDecimal(value: Value): Decimal | undefined {
  switch (typeof value) {
    case 'string':
      return Decimal.parse(value)
    case 'number':
      return Number.isSafeInteger(value) ? Decimal.fromInt(value) : floatToDecimal(value)
    case 'bigint':
      return Decimal.fromInt(value)
  }
  if (value instanceof Float) return floatToDecimal(value.value)
  return value instanceof Decimal ? value : undefined
}

function floatToDecimal(value: number): Decimal | undefined {
  try {
    return Decimal.fromFloat(value)
  } catch (error) {
    if (error instanceof DecimalOverflow) return undefined
    throw error
  }
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

function readBool(value: Value): boolean | undefined {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return truths.get(value) ?? (/^[a-z]{2,5}$/i.test(value) ? truths.get(value.toLowerCase()) : undefined)
    case 'number':
      return Number.isSafeInteger(value) ? value !== 0 : undefined
    case 'bigint':
      return true
    default:
      return undefined
  }
}

const isoDate = /^([+-]\d{4,6}|\d{4})-(\d\d?)-(\d\d?)$/
const isoDateTime = /^([+-]\d{4,6}|\d{4})-(\d\d?)-(\d\d?)T(\d\d?):(\d\d?):(\d\d?)(?:\.(\d+))?$/

function readDate(value: Value, pattern?: string): CivilDate | undefined {
  if (value instanceof CivilDate) return value
  if (value instanceof CivilDateTime) return value.date
  if (typeof value !== 'string') return undefined
  if (pattern !== undefined && pattern !== null) return withPattern(pattern, (compiled) => compiled.readDate(value))
  const parts = isoDate.exec(value)
  return parts ? CivilDate.of(Number(parts[1]), Number(parts[2]), Number(parts[3])) : undefined
}

function readDateTime(value: Value, pattern?: string): CivilDateTime | undefined {
  if (value instanceof CivilDateTime) return value
  if (value instanceof CivilDate) return CivilDateTime.of(value, 0, 0, 0, 0)
  if (typeof value !== 'string') return undefined
  if (pattern !== undefined && pattern !== null) return withPattern(pattern, (compiled) => compiled.readDateTime(value))
  const parts = isoDateTime.exec(value)
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const date = CivilDate.of(year, month, day)
  const nanosecond = Number((parts[7] ?? '').slice(0, 9).padEnd(9, '0'))
  return date && CivilDateTime.of(date, hour, minute, second, nanosecond)
}
