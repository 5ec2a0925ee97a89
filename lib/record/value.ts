import type { CivilDate, CivilDateTime } from './civil.ts'
import type { Decimal } from './decimal.ts'
import type { Float } from './float.ts'

/**
 * A value of a column. An int is a number when safe and a BigInt beyond; a float is a number, or a {@link Float} where it is whole
 * and its static type is not known; a map is an ordinary object whose key order {@link mapKeys} gives.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Decimal
  | CivilDate
  | CivilDateTime
  | Value[]
  | ValueMap

export interface ValueMap {
  [key: string]: Value
}

/** A record: an ordinary object whose own enumerable properties are its columns. */
export interface Row {
  [column: string]: Value
}
