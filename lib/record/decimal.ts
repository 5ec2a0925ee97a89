/** A decimal result beyond the largest coefficient. */
export class DecimalOverflow extends RangeError {
  override readonly name: string = 'DecimalOverflow'

  constructor() {
    super('decimal overflow')
  }
}

/** Division or remainder by zero. */
export class DivisionByZero extends RangeError {
  override readonly name: string = 'DivisionByZero'

  constructor() {
    super('division by zero')
  }
}

/** Where a digit is dropped exactly at the half: to the even neighbour, or away from zero. */
export type Rounding = 'half-even' | 'half-up'

export const maxCoefficient: bigint = 79228162514264337593543950335n
export const maxScale = 28

/**
 * An exact decimal number, `coefficient` / 10^`scale`. It keeps its scale: `0.10` plus `0.20` is `0.30` (spec/2, operators).
 * Immutable; two decimals of equal value but another scale are `equals`, not the same text.
 * @example Decimal.parse('0.10')?.add(Decimal.of(20n, 2)).toString() // '0.30'
 */
export class Decimal {
  /** At most 79228162514264337593543950335 on either side of zero. */
  readonly coefficient: bigint
  /** Digits behind the point, 0 to 28. */
  readonly scale: number

  private constructor(coefficient: bigint, scale: number) {
    this.coefficient = coefficient
    this.scale = scale
  }

  /** Exactly this number with this scale. Throws {@link DecimalOverflow} when there is no such decimal. */
  static of(coefficient: bigint, scale: number): Decimal {
    if (!(scale >= 0 && scale <= maxScale) || !fits(coefficient)) throw new DecimalOverflow()
    return new Decimal(coefficient, scale)
  }

  static fromInt(value: number | bigint): Decimal {
    return Decimal.of(BigInt(value), 0)
  }

  /** The binary value of a float, to 28 places: `0.1` is 0.1000000000000000055511151231. Throws {@link DecimalOverflow}. */
  static fromFloat(value: number): Decimal {
    if (!Number.isFinite(value)) throw new DecimalOverflow()
    let numerator = value
    let twos = 0
    // Doubling is exact, and 1074 times make any double whole.
    while (!Number.isInteger(numerator)) {
      numerator *= 2
      twos++
    }
    return fitted(BigInt(numerator) * 5n ** BigInt(twos), twos, 'half-even')
  }

  /**
   * Reads sign, digits, `.` and an optional exponent; more digits than fit are rounded half up. Undefined when the text is no number
   * or too large.
   */
  static parse(text: string): Decimal | undefined {
    return parseDecimal(text, false)
  }

  /** As {@link Decimal.parse}, but a digit other than zero is never dropped: then the text is refused. */
  static parseExact(text: string): Decimal | undefined {
    return parseDecimal(text, true)
  }

  add(other: Decimal): Decimal {
    if (this.scale === other.scale) return fitted(this.coefficient + other.coefficient, this.scale, 'half-even')
    const scale = Math.max(this.scale, other.scale)
    return fitted(scaled(this, scale) + scaled(other, scale), scale, 'half-even')
  }

  sub(other: Decimal): Decimal {
    if (this.scale === other.scale) return fitted(this.coefficient - other.coefficient, this.scale, 'half-even')
    const scale = Math.max(this.scale, other.scale)
    return fitted(scaled(this, scale) - scaled(other, scale), scale, 'half-even')
  }

  mul(other: Decimal): Decimal {
    return fitted(this.coefficient * other.coefficient, this.scale + other.scale, 'half-even')
  }

  /**
   * Exact when the quotient ends, with as many places as it needs but not fewer than the scales' difference; else as many digits as
   * fit, the last one rounded half to even. Throws {@link DivisionByZero} and {@link DecimalOverflow}.
   */
  div(other: Decimal): Decimal {
    if (other.coefficient === 0n) throw new DivisionByZero()
    const shift = this.scale - other.scale
    const least = Math.max(shift, 0)
    if (this.coefficient % other.coefficient === 0n) {
      return fitted((this.coefficient / other.coefficient) * power(least - shift), least, 'half-even')
    }
    const long = this.coefficient * power(maxScale - shift)
    if (long % other.coefficient !== 0n) return fittedQuotient(long, other.coefficient, maxScale, 'half-even')
    let quotient = long / other.coefficient
    let scale = maxScale
    while (scale > least && quotient % 10n === 0n) {
      quotient /= 10n
      scale--
    }
    if (keepsZero(shift, scale) && fits(quotient * 10n)) return new Decimal(quotient * 10n, scale + 1)
    return fitted(quotient, scale, 'half-even')
  }

  /** The remainder of the division truncated toward zero: it has the dividend's sign and the larger scale. */
  rem(other: Decimal): Decimal {
    if (other.coefficient === 0n) throw new DivisionByZero()
    const scale = Math.max(this.scale, other.scale)
    return new Decimal(scaled(this, scale) % scaled(other, scale), scale)
  }

  neg(): Decimal {
    return new Decimal(-this.coefficient, this.scale)
  }

  abs(): Decimal {
    return this.coefficient < 0n ? this.neg() : this
  }

  /** At most `scale` places (below zero: none). Fewer places stay as they are. */
  round(scale: number, rounding: Rounding = 'half-even'): Decimal {
    const places = Math.max(0, scale)
    if (places >= this.scale) return this
    return new Decimal(quotientOf(this.coefficient, power(this.scale - places), rounding), places)
  }

  trunc(): Decimal {
    return this.scale === 0 ? this : new Decimal(this.toBigInt(), 0)
  }

  floor(): Decimal {
    const whole = this.trunc()
    return this.coefficient < 0n && !whole.equals(this) ? new Decimal(whole.coefficient - 1n, 0) : whole
  }

  ceil(): Decimal {
    const whole = this.trunc()
    return this.coefficient > 0n && !whole.equals(this) ? new Decimal(whole.coefficient + 1n, 0) : whole
  }

  compare(other: Decimal): -1 | 0 | 1 {
    const scale = Math.max(this.scale, other.scale)
    const left = scaled(this, scale)
    const right = scaled(other, scale)
    return left < right ? -1 : left > right ? 1 : 0
  }

  equals(other: Decimal): boolean {
    return this.compare(other) === 0
  }

  get isZero(): boolean {
    return this.coefficient === 0n
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(this.toString())
  }

  /** The whole part, toward zero. */
  toBigInt(): bigint {
    return this.coefficient / power(this.scale)
  }

  /** The same value with exactly `scale` places; undefined when a digit would be lost, or it does not fit. */
  withScale(scale: number): Decimal | undefined {
    if (scale === this.scale) return this
    if (scale > this.scale) {
      const coefficient = scaled(this, scale)
      return scale <= maxScale && fits(coefficient) ? new Decimal(coefficient, scale) : undefined
    }
    const unit = power(this.scale - scale)
    return this.coefficient % unit === 0n ? new Decimal(this.coefficient / unit, scale) : undefined
  }

  /** How many digits it has, from the first that is not zero, those behind the point included; 1 for zero. */
  get precision(): number {
    const size = this.coefficient < 0n ? -this.coefficient : this.coefficient
    return `${size}`.length
  }

  toString(): string {
    const { coefficient, scale } = this
    if (scale === 0) return `${coefficient}`
    const negative = coefficient < 0n
    const written = `${negative ? -coefficient : coefficient}`
    const digits = written.length > scale ? written : written.padStart(scale + 1, '0')
    const point = digits.length - scale
    return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
  }

  toJSON(): string {
    return this.toString()
  }
}

const powers = Array.from({ length: 2 * maxScale + 1 }, (_, exponent) => 10n ** BigInt(exponent))

function power(exponent: number): bigint {
  return powers[exponent] ?? 10n ** BigInt(exponent)
}

function fits(coefficient: bigint): boolean {
  return coefficient <= maxCoefficient && coefficient >= -maxCoefficient
}

/** The coefficient a decimal has at a scale that is not smaller than its own. */
function scaled(decimal: Decimal, scale: number): bigint {
  return decimal.scale === scale ? decimal.coefficient : decimal.coefficient * power(scale - decimal.scale)
}

/** `coefficient` / 10^`scale` with as many places as fit. */
function fitted(coefficient: bigint, scale: number, rounding: Rounding): Decimal {
  if (scale <= maxScale && fits(coefficient)) return Decimal.of(coefficient, scale)
  return fittedQuotient(coefficient, 1n, scale, rounding)
}

/** `numerator` / `denominator` / 10^`scale` with as many places as fit, rounded once. */
function fittedQuotient(numerator: bigint, denominator: bigint, scale: number, rounding: Rounding): Decimal {
  const digits = `${numerator / denominator}`.replace('-', '').length
  for (let surplus = Math.max(0, scale - maxScale, digits - 29); surplus <= scale; surplus++) {
    const coefficient = quotientOf(numerator, denominator * power(surplus), rounding)
    if (fits(coefficient)) return Decimal.of(coefficient, scale - surplus)
  }
  throw new DecimalOverflow()
}

/**
 * Whether a quotient is written with a zero more than it needs. Where the division of the coefficients ends with its first further
 * digit, pipelines are used to the texts `1.00 / 8 = 0.1250`, `60.07 / 5 = 12.0140` and `10 / 0.4 = 25.0`, but `10 / 4 = 2.5` and
 * `1.10 / 2.5 = 0.44`.
 */
function keepsZero(shift: number, scale: number): boolean {
  return scale - shift === 1 && (shift >= 2 || shift === -1) && scale < maxScale
}

function quotientOf(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const quotient = numerator / denominator
  const rest = numerator % denominator
  if (rest === 0n) return quotient
  const twice = 2n * (rest < 0n ? -rest : rest)
  const size = denominator < 0n ? -denominator : denominator
  if (twice < size) return quotient
  if (twice === size && rounding === 'half-even' && quotient % 2n === 0n) return quotient
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n
}

function parseDecimal(text: string, exact: boolean): Decimal | undefined {
  const { length } = text
  const first = text.charCodeAt(0)
  const start = first === 45 /* - */ || first === 43 /* + */ ? 1 : 0
  let at = start
  let value = 0
  let digits = 0
  let point = -1
  for (; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) {
      value = value * 10 + (code - 48)
      digits++
    } else if (code === 46 /* . */ && point < 0) point = at
    else break
  }
  if (digits === 0) return undefined
  const scale = point < 0 ? 0 : at - point - 1
  if (at === length && digits <= 15) return Decimal.of(BigInt(first === 45 ? 0 - value : value), scale)
  let exponent = 0
  if (at < length) {
    const written = /^[eE]([+-]?\d+)$/.exec(text.slice(at))
    if (!written) return undefined
    exponent = Number(written[1])
  }
  const all = text.slice(start, point < 0 ? at : point) + (point < 0 ? '' : text.slice(point + 1, at))
  const size = fromDigits(all.replace(/^0+/, ''), scale - exponent, exact)
  return size && first === 45 ? size.neg() : size
}

/** `digits` (without leading zeros, of any number) / 10^`scale`, `scale` being any number. */
function fromDigits(digits: string, scale: number, exact: boolean): Decimal | undefined {
  if (digits === '') return Decimal.of(0n, Math.min(maxScale, Math.max(0, scale)))
  // 10^29 is too large, so past this nothing has to be computed with.
  if (digits.length - scale > 29) return undefined
  if (scale < 0) return fromDigits(digits + '0'.repeat(-scale), 0, exact)
  for (let surplus = Math.max(0, scale - maxScale, digits.length - 29); surplus <= scale; surplus++) {
    const kept = digits.length - surplus
    if (exact && !onlyZeros(digits, Math.max(0, kept))) return undefined
    const up = kept >= 0 && digits.charCodeAt(kept) >= 53 /* 5 */ ? 1n : 0n
    const coefficient = BigInt(kept > 0 ? digits.slice(0, kept) : 0) + up
    if (fits(coefficient)) return Decimal.of(coefficient, scale - surplus)
  }
  return undefined
}

function onlyZeros(digits: string, from: number): boolean {
  for (let at = from; at < digits.length; at++) if (digits.charCodeAt(at) !== 48) return false
  return true
}
