import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { Decimal } from '../record/decimal.ts'
import { Float } from '../record/float.ts'
import { fromForeign } from '../record/foreign.ts'
import { fitsInt, toInt } from '../record/int.ts'
import type { Type } from '../record/type.ts'
import type { Value } from '../record/value.ts'

/**
 * What other code gives (a field of a plain object, the result of a function) as a value of a type, in the form of that type: a
 * float is a plain number. Undefined when it is none. Null and undefined are null, whatever the type.
 *
 * Takes what JavaScript has instead of a value of ours: a text with its digits or a number for a decimal, an ISO text or a `Date`
 * for a date or a date-time.
 */
export function convertForeign(given: unknown, type: Type): Value | undefined {
  if (given === null || given === undefined) return null
  switch (type.name) {
    case 'string':
      return typeof given === 'string' ? given : undefined
    case 'bool':
      return typeof given === 'boolean' ? given : undefined
    case 'int':
      return toIntOrNone(given)
    case 'float':
      if (typeof given === 'number') return given
      return typeof given === 'bigint' || given instanceof Float ? Number(given) : undefined
    case 'numeric':
      return typeof given === 'number' || given instanceof Float || given instanceof Decimal
        ? given
        : toIntOrNone(given)
    case 'decimal':
      return toDecimalOrNone(given)
    case 'date':
      return toDateOrNone(given)
    case 'date_time':
      if (typeof given === 'string') return CivilDateTime.parse(given)
      if (given instanceof Date) return CivilDateTime.fromDate(given)
      return given instanceof CivilDateTime ? given : undefined
    case 'array':
      return Array.isArray(given) ? given : undefined
    case 'map':
      return isPlain(given) ? (given as Value) : undefined
    case 'null':
      return undefined
    case 'any':
      return isValue(given) ? fromForeign(given) : undefined
  }
}

function toIntOrNone(given: unknown): number | bigint | undefined {
  // `+ 0` makes 0 of -0.
  if (typeof given === 'number') return Number.isSafeInteger(given) ? given + 0 : undefined
  return typeof given === 'bigint' && fitsInt(given) ? toInt(given) : undefined
}

function toDecimalOrNone(given: unknown): Decimal | undefined {
  if (given instanceof Decimal) return given
  // The digits that JavaScript shows, and not the binary value behind them.
  if (typeof given === 'string' || (typeof given === 'number' && Number.isFinite(given)))
    return Decimal.parse(`${given}`)
  return typeof given === 'bigint' && fitsInt(given) ? Decimal.fromInt(toInt(given)) : undefined
}

function toDateOrNone(given: unknown): CivilDate | undefined {
  if (typeof given === 'string') return CivilDate.parse(given)
  if (!(given instanceof Date)) return given instanceof CivilDate ? given : undefined
  // A `Date` at midnight means the day; of any other the time would be lost.
  return given.getTime() % millisecondsPerDay === 0 ? CivilDateTime.fromDate(given)?.date : undefined
}

const millisecondsPerDay = 24 * 60 * 60 * 1000

function isValue(given: unknown): boolean {
  if (typeof given === 'bigint') return fitsInt(given)
  if (typeof given !== 'object') return typeof given !== 'function' && typeof given !== 'symbol'
  return isPlain(given) || Array.isArray(given) || valueClasses.some((kind) => given instanceof kind)
}

const valueClasses = [Decimal, CivilDate, CivilDateTime, Float, Date] as const

/** Whether it is an ordinary object: class instances, promises, Maps are no maps. Objects of another realm count. */
function isPlain(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false
  const prototype: unknown = Object.getPrototypeOf(given)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
