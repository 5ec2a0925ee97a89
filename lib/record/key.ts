import { CivilDate, CivilDateTime } from './civil.ts'
import { Decimal } from './decimal.ts'
import { Float } from './float.ts'
import { fromForeign } from './foreign.ts'
import type { Value } from './value.ts'

/** What a value is grouped by: usable in a `Map`, equal exactly for values of one group. */
export type Key = string | number | bigint | boolean | null

/**
 * The group key of a value (spec/3, Reshape, keys). Numbers are keyed by exact value whatever their kind, other kinds are apart; text
 * keys stand for themselves. Null for null and absent; undefined for NaN, an array or a map, which have none.
 */
export function keyOf(value: Value): Key | undefined {
  switch (typeof value) {
    case 'string':
      // Keys of other kinds begin with NUL, so texts that do get another one in front.
      return value.charCodeAt(0) === 0 ? `\0${value}` : value
    case 'number':
      return numberKey(value)
    case 'bigint':
      return value >= minSafe && value <= maxSafe ? Number(value) : value
    case 'boolean':
      return value
    default:
      return value === null || value === undefined ? null : objectKey(value)
  }
}

/** One text for several keys, different for different lists of keys. */
export function compoundKey(parts: readonly Key[]): string {
  let text = ''
  for (const part of parts) {
    switch (typeof part) {
      case 'string':
        // The length says where the text ends, whatever it holds.
        text += `s${part.length}:${part}`
        break
      case 'boolean':
        text += part ? 't' : 'f'
        break
      case 'object':
        text += '_'
        break
      default:
        text += `n${part};`
    }
  }
  return text
}

const minSafe = BigInt(Number.MIN_SAFE_INTEGER)
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

function numberKey(value: number): number | bigint | undefined {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  if (Number.isInteger(value)) return BigInt(value)
  return value === value ? value : undefined
}

function objectKey(value: object): Key | undefined {
  if (value instanceof Decimal) return decimalKey(value)
  if (value instanceof Float) return numberKey(value.value)
  if (value instanceof CivilDate) return `\0D${value}`
  if (value instanceof CivilDateTime) return `\0T${value}`
  return value instanceof Date ? keyOf(fromForeign(value)) : undefined
}

function decimalKey(value: Decimal): Key {
  let { coefficient, scale } = value
  while (scale > 0 && coefficient % 10n === 0n) {
    coefficient /= 10n
    scale--
  }
  if (scale === 0) return keyOf(coefficient) as Key
  // coefficient / 10^scale is a fraction of a power of two, hence perhaps a double, when it holds 5^scale.
  const fives = 5n ** BigInt(scale)
  if (coefficient % fives === 0n) {
    const numerator = coefficient / fives
    if (numerator >= minSafe && numerator <= maxSafe) return Number(numerator) / 2 ** scale
  }
  return `\0N${Decimal.of(coefficient, scale)}`
}
