import { CivilDate, CivilDateTime } from './civil.ts'
import { Decimal } from './decimal.ts'
import { Float } from './float.ts'
import type { TypeName } from './type.ts'
import type { Value, ValueMap } from './value.ts'

/** What a value can be at run time. */
export type Kind = Exclude<TypeName, 'numeric' | 'any'>

/**
 * The kind of a value of which no static type is known. A plain number is an int when it is safe and not -0, else a float; undefined
 * (from other code) is null, a JavaScript `Date` a date-time.
 */
export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return isIntNumber(value) ? 'int' : 'float'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'object':
      return value === null ? 'null' : objectKind(value)
    default:
      return 'null'
  }
}

/** Whether a plain number of unknown type is an int. */
export function isIntNumber(value: number): boolean {
  return Number.isSafeInteger(value) && (value !== 0 || 1 / value > 0)
}

/** Whether a value is a map. */
export function isMap(value: Value): value is ValueMap {
  return typeof value === 'object' && value !== null && objectKind(value) === 'map'
}

function objectKind(value: object): Kind {
  if (Array.isArray(value)) return 'array'
  if (value instanceof CivilDate) return 'date'
  if (value instanceof Decimal) return 'decimal'
  if (value instanceof CivilDateTime || value instanceof Date) return 'date_time'
  return value instanceof Float ? 'float' : 'map'
}
