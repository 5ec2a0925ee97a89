/**
 * A float whose value is whole, where no static type says that it is a float: a plain number `2` would count as an int there
 * (spec/1, value types). Behaves as its number in arithmetic, in JSON and as text.
 */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  valueOf(): number {
    return this.value
  }

  toJSON(): number {
    return this.value
  }

  toString(): string {
    return floatText(this.value)
  }
}

/** A float as a value of unknown type: boxed when the plain number would look like an int, or is -0. */
export function boxFloat(value: number): number | Float {
  return Number.isInteger(value) ? new Float(value) : value
}

/** The number of a float, boxed or not. */
export function unboxFloat(value: number | Float): number {
  return typeof value === 'number' ? value : value.value
}

/** Shortest digits that read back the same double, never an exponent, no `.0`: `2`, `0.0000001`, `-0`, `inf`, `-inf`, `NaN`. */
export function floatText(value: number): string {
  if (value === 0) return 1 / value < 0 ? '-0' : '0'
  const size = value < 0 ? -value : value
  // Inside these bounds JavaScript writes no exponent either.
  if (size >= 1e-6 && size < 1e21) return `${value}`
  if (value !== value) return 'NaN'
  if (size === Infinity) return value < 0 ? '-inf' : 'inf'
  return withoutExponent(`${value}`)
}

/**
 * Reads an unsigned or signed decimal number: digits, one `.` with digits on one side at least, an optional exponent. Undefined for
 * anything else, spaces, `inf`, `NaN` and an overflow included.
 */
export function parseFinite(text: string): number | undefined {
  const { length } = text
  let at = 0
  const first = text.charCodeAt(0)
  if (first === 45 /* - */ || first === 43 /* + */) at = 1
  let mantissa = 0
  let digits = 0
  let places = 0
  let point = false
  for (; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) {
      mantissa = mantissa * 10 + (code - 48)
      digits++
      if (point) places++
    } else if (code === 46 /* . */ && !point) point = true
    else break
  }
  if (digits === 0) return undefined
  if (at === length && digits <= 15) {
    // Both are exact doubles, so the quotient is rounded once and is what Number(text) gives. Benchmark: `npm run bench -- copy`.
    const value = places === 0 ? mantissa : mantissa / (powers[places] as number)
    return first === 45 ? -value : value
  }
  if (at < length && !isExponent(text, at)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

const powers = Array.from({ length: 16 }, (_, places) => 10 ** places)

function isExponent(text: string, from: number): boolean {
  let at = from
  if ((text.charCodeAt(at++) | 32) !== 101 /* e */) return false
  const sign = text.charCodeAt(at)
  if (sign === 45 || sign === 43) at++
  if (at === text.length) return false
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 48 || code > 57) return false
  }
  return true
}

/** Moves the point of `1.25e-7` where the exponent says. */
function withoutExponent(text: string): string {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const shift = Number(exponent)
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
  return `${sign}${whole}${fraction.padEnd(shift, '0')}`
}
