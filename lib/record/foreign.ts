import { CivilDateTime } from './civil.ts'
import type { Value } from './value.ts'

/**
 * A value found in a record that other code built: undefined counts as null, a JavaScript `Date` as its UTC date-time (an invalid
 * one as null). Everything else is a value as it stands.
 */
export function fromForeign(value: unknown): Value {
  if (value === undefined) return null
  if (value instanceof Date) return CivilDateTime.fromDate(value) ?? null
  return value as Value
}
