import { CivilDateTime } from './civil.ts'
import { Decimal } from './decimal.ts'
import { Float, floatText } from './float.ts'
import { fromForeign } from './foreign.ts'
import { isIntNumber, isMap } from './kind.ts'
import { mapKeys } from './map.ts'
import type { Type } from './type.ts'
import type { Value } from './value.ts'

/** NaN or an infinity where only finite numbers can be written. */
export class NotFinite extends RangeError {
  override readonly name: string = 'NotFinite'

  constructor(value: number) {
    super(`${floatText(value)} has no form in JSON`)
  }
}

/** A function or a symbol where a value should be: only a record of other code can hold one. */
export class NoValue extends RangeError {
  override readonly name: string = 'NoValue'

  constructor(given: unknown) {
    super(`a ${typeof given} is no value`)
  }
}

/** The text of a value in a cell (spec/4, text forms); null is `''`. Undefined for an array or a map, which have none of their own. */
export function csvText(value: Value): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return floatText(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return `${value}`
    default:
      return scalarText(value)
  }
}

/** The text of a value in the language (spec/2, text of values): `to_string`, `concat`, `join`. Null is `''`. */
export function displayText(value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return displayText(fromForeign(value))
  if (value instanceof CivilDateTime) return `${value.date} ${value.timeText}`
  const text = csvText(value)
  if (text !== undefined) return text
  if (Array.isArray(value)) return `[${value.map(displayText).join(', ')}]`
  if (!isMap(value)) return ''
  return `{${mapKeys(value)
    .map((key) => `${key}: ${displayText(value[key] ?? null)}`)
    .join(', ')}}`
}

/** A float as JSON shows it: with a fraction always, from 1e16 up and below 1e-5 with an exponent. NaN and infinities throw. */
export function jsonFloatText(value: number): string {
  const size = value < 0 ? -value : value
  if (size >= 1e-5 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : floatText(value)
  if (size === 0) return 1 / value < 0 ? '-0.0' : '0.0'
  if (!Number.isFinite(value)) throw new NotFinite(value)
  return value.toExponential()
}

/**
 * A value as JSON text: decimals, dates and date-times as strings, maps in insertion order. `type` is its static type, which tells
 * floats from ints. NaN and infinities throw {@link NotFinite}.
 */
export function jsonText(value: Value, type?: Type): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return type?.name === 'int' || (type?.name !== 'float' && isIntNumber(value)) ? `${value}` : jsonFloatText(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'bigint':
      return `${value}`
    default:
      return jsonObjectText(value)
  }
}

function jsonObjectText(value: Value): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `[${value.map((element) => jsonText(element)).join(',')}]`
  if (value instanceof Float) return jsonFloatText(value.value)
  if (isMap(value)) {
    const entries = mapKeys(value).map((key) => `${JSON.stringify(key)}:${jsonText(value[key] ?? null)}`)
    return `{${entries.join(',')}}`
  }
  if (value instanceof Date) return jsonText(fromForeign(value))
  if (typeof value !== 'object') throw new NoValue(value)
  return `"${value}"`
}

function scalarText(value: Value): string | undefined {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) || isMap(value)) return undefined
  if (value instanceof Date) return csvText(fromForeign(value))
  if (typeof value !== 'object') throw new NoValue(value)
  return `${value as Decimal | Float | CivilDateTime}`
}
