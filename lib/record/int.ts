export const minInt: bigint = -(2n ** 63n)
export const maxInt: bigint = 2n ** 63n - 1n

/** A result that does not fit a 64-bit signed integer. */
export class IntOverflow extends RangeError {
  override readonly name: string = 'IntOverflow'

  constructor() {
    super('integer overflow')
  }
}

export function fitsInt(value: bigint): boolean {
  return value >= minInt && value <= maxInt
}

/** The one form of an int: a number when it is safe, a BigInt beyond. Throws {@link IntOverflow} outside 64 bits. */
export function toInt(value: bigint): number | bigint {
  if (value >= minSafe && value <= maxSafe) return Number(value)
  if (!fitsInt(value)) throw new IntOverflow()
  return value
}

/** Reads an int: an optional sign and digits, nothing else, inside 64 bits. Undefined for any other text. */
export function parseInteger(text: string): number | bigint | undefined {
  const { length } = text
  const first = text.charCodeAt(0)
  const start = first === 45 /* - */ || first === 43 /* + */ ? 1 : 0
  if (length === start) return undefined
  let value = 0
  for (let at = start; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return undefined
    value = value * 10 + (code - 48)
  }
  // 15 digits are safe; from 16 on the sum above may have lost some.
  if (length - start <= 15) return first === 45 ? 0 - value : value
  return parseLong(text, start, first === 45)
}

const minSafe = BigInt(Number.MIN_SAFE_INTEGER)
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

function parseLong(text: string, start: number, negative: boolean): number | bigint | undefined {
  let at = start
  while (text.charCodeAt(at) === 48) at++
  // 19 digits hold any of 64 bits; leading zeros are no digits.
  if (text.length - at > 19) return undefined
  const size = BigInt(text.slice(at))
  const value = negative ? -size : size
  return fitsInt(value) ? toInt(value) : undefined
}
