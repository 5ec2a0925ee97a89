import { Decimal as Oracle } from 'decimal.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal, DecimalOverflow, DivisionByZero, maxCoefficient } from '../../../lib/record/decimal.ts'

const d = (text: string): Decimal => {
  const decimal = Decimal.parse(text)
  if (!decimal) throw new Error(`no decimal: ${text}`)
  return decimal
}

const anyDecimal = fc
  .tuple(fc.bigInt({ min: -maxCoefficient, max: maxCoefficient }), fc.integer({ min: 0, max: 28 }))
  .map(([coefficient, scale]) => Decimal.of(coefficient, scale))
const smallDecimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.integer({ min: 0, max: 9 }))
  .map(([coefficient, scale]) => Decimal.of(coefficient, scale))

const Exact = Oracle.clone({ precision: 400, toExpNeg: -400, toExpPos: 400 })
const exact = (decimal: Decimal): Oracle => new Exact(decimal.toString())

/** The decimal nearest to `value` among those with as many places as fit, computed another way than the code does. */
function nearest(value: Oracle, scale: number): string | undefined {
  for (let places = Math.min(scale, 28); places >= 0; places--) {
    const rounded = value.toDecimalPlaces(places, Oracle.ROUND_HALF_EVEN)
    if (rounded.abs().mul(new Exact(10).pow(places)).lte(maxCoefficient.toString())) {
      return rounded.toFixed(places).replace(/^-(?=[0.]+$)/, '')
    }
  }
  return undefined
}

const textOf = (compute: () => Decimal): string | undefined => {
  try {
    return compute().toString()
  } catch (error) {
    if (error instanceof DecimalOverflow) return undefined
    throw error
  }
}

describe('reading', () => {
  test.each([
    ['0', '0'],
    ['12.340', '12.340'],
    ['-0.05', '-0.05'],
    ['+7', '7'],
    ['007.10', '7.10'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['-0.00', '0.00'],
    ['2.5e2', '250'],
    ['1.25e1', '12.5'],
    ['25E-4', '0.0025'],
    ['0e400', '0'],
    ['79228162514264337593543950335', '79228162514264337593543950335'],
    ['0.12345678901234567890123456785', '0.1234567890123456789012345679'],
    ['1.00000000000000000000000000005', '1.0000000000000000000000000001'],
    ['79228162514264337593543950335.4', '79228162514264337593543950335'],
    ['9.99999999999999999999999999999', '10.000000000000000000000000000'],
    ['1e-29', '0.0000000000000000000000000000'],
    ['5e-29', '0.0000000000000000000000000001'],
    ['1e-400', '0.0000000000000000000000000000'],
  ])('reads %s as %s', (text, written) => {
    expect(Decimal.parse(text)?.toString()).toBe(written)
  })

  test.each([
    '',
    '-',
    '.',
    ' 1',
    '1 ',
    '1_000',
    '1,5',
    '1.2.3',
    '1e',
    'e5',
    '1e5.0',
    'NaN',
    'inf',
    '0x10',
    '12a',
    '--1',
    '1e400',
    '1e99999999999999999999',
    '79228162514264337593543950336',
    '79228162514264337593543950335.5',
  ])('refuses %j', (text) => {
    expect(Decimal.parse(text)).toBeUndefined()
  })

  test('never drops a digit other than zero when it has to be exact', () => {
    expect(Decimal.parseExact('0.1234567890123456789012345678')?.scale).toBe(28)
    expect(Decimal.parseExact('0.12345678901234567890123456780')?.scale).toBe(28)
    expect(Decimal.parseExact('0.12345678901234567890123456781')).toBeUndefined()
    expect(Decimal.parseExact('1e-29')).toBeUndefined()
    expect(Decimal.parseExact('1.50000000000000000000000000000000')?.toString()).toBe('1.5000000000000000000000000000')
  })

  test('reads back what it writes', () => {
    fc.assert(
      fc.property(anyDecimal, (decimal) => {
        expect(d(decimal.toString())).toEqual(decimal)
      }),
    )
    fc.assert(
      fc.property(anyDecimal, (decimal) => {
        expect(Decimal.parseExact(decimal.toString())).toEqual(decimal)
      }),
    )
  })

  test('takes very long texts at once', () => {
    expect(Decimal.parse(`0.${'3'.repeat(1_000_000)}`)?.toString()).toBe('0.3333333333333333333333333333')
    expect(Decimal.parse(`${'0'.repeat(1_000_000)}7`)?.toString()).toBe('7')
    expect(Decimal.parse('9'.repeat(1_000_000))).toBeUndefined()
  })
})

describe('of other numbers', () => {
  test('takes ints as they are', () => {
    expect(Decimal.fromInt(-5)).toEqual(Decimal.of(-5n, 0))
    expect(Decimal.fromInt(9223372036854775807n).toString()).toBe('9223372036854775807')
  })

  test.each([
    [0.375, '0.375'],
    [0.1, '0.1000000000000000055511151231'],
    [-2.5, '-2.5'],
    [3, '3'],
    [-0, '0'],
    [2 ** 64, '18446744073709551616'],
    [1e28, '9999999999999999583119736832'],
    [5e-324, '0.0000000000000000000000000000'],
  ])('takes the binary value of %d', (value, written) => {
    expect(Decimal.fromFloat(value).toString()).toBe(written)
  })

  test('a float that is too large or no number overflows', () => {
    for (const value of [1e29, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => Decimal.fromFloat(value)).toThrow(new DecimalOverflow())
    }
  })

  test('there is no decimal beyond the largest coefficient or 28 places', () => {
    expect(() => Decimal.of(maxCoefficient + 1n, 0)).toThrow(DecimalOverflow)
    expect(() => Decimal.of(1n, 29)).toThrow(DecimalOverflow)
    expect(() => Decimal.of(1n, -1)).toThrow(DecimalOverflow)
  })
})

describe('arithmetic', () => {
  test.each([
    ['0.10', '+', '0.20', '0.30'],
    ['10.25', '+', '3', '13.25'],
    ['1.00', '-', '0.995', '0.005'],
    ['7.50', '-', '7.50', '0.00'],
    ['1.10', '*', '2.5', '2.750'],
    ['19.95', '*', '4', '79.80'],
    ['0.00', '*', '0.00', '0.0000'],
    ['1.1234567890123456', '*', '1.1234567890123456', '1.2621551567779300172687092138'],
    ['2.5', '*', '0.0000000000000000000000000001', '0.0000000000000000000000000002'],
    ['3.5', '*', '0.0000000000000000000000000001', '0.0000000000000000000000000004'],
    ['79228162514264337593543950335', '+', '0.1', '79228162514264337593543950335'],
    ['7922816251426433759354395033.5', '+', '0.05', '7922816251426433759354395034'],
    ['1.00', '/', '8', '0.1250'],
    ['12.500', '/', '2.5', '5.00'],
    ['100', '/', '0.20', '500'],
    ['10', '/', '4', '2.5'],
    ['1.10', '/', '2.5', '0.44'],
    ['1', '/', '3', '0.3333333333333333333333333333'],
    ['2', '/', '3', '0.6666666666666666666666666667'],
    ['-1', '/', '3', '-0.3333333333333333333333333333'],
    ['100', '/', '3', '33.333333333333333333333333333'],
    ['800', '/', '9', '88.88888888888888888888888889'],
    ['10', '/', '0.4', '25.0'],
    ['60.07', '/', '5', '12.0140'],
    ['0.00', '/', '7', '0.00'],
    ['7.25', '%', '2', '1.25'],
    ['-7.25', '%', '2', '-1.25'],
    ['7.25', '%', '-2', '1.25'],
    ['5.5', '%', '1.125', '1.000'],
    ['6.00', '%', '3', '0.00'],
  ] as const)('%s %s %s is %s', (left, operator, right, result) => {
    const method = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div', '%': 'rem' } as const
    expect(d(left)[method[operator]](d(right)).toString()).toBe(result)
  })

  test('a result out of range overflows', () => {
    const most = d('79228162514264337593543950335')
    expect(() => most.add(d('1'))).toThrow(new DecimalOverflow())
    expect(() => most.neg().sub(d('1'))).toThrow(DecimalOverflow)
    expect(() => most.mul(d('2'))).toThrow(DecimalOverflow)
    expect(() => most.div(d('0.1'))).toThrow(DecimalOverflow)
    expect(() => most.div(d('0.3'))).toThrow(DecimalOverflow)
  })

  test('nothing is divided by zero', () => {
    expect(() => d('1.0').div(d('0.00'))).toThrow(new DivisionByZero())
    expect(() => d('1.0').rem(d('0'))).toThrow(new DivisionByZero())
  })

  test('sums, differences and products are those of exact numbers, rounded once to what fits', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        const scale = Math.max(a.scale, b.scale)
        expect(textOf(() => a.add(b))).toBe(nearest(exact(a).add(exact(b)), scale))
        expect(textOf(() => a.sub(b))).toBe(nearest(exact(a).sub(exact(b)), scale))
        expect(textOf(() => a.mul(b))).toBe(nearest(exact(a).mul(exact(b)), a.scale + b.scale))
      }),
    )
  })

  test('a quotient is exact when it ends, else rounded once to what fits', () => {
    fc.assert(
      fc.property(fc.oneof(smallDecimal, anyDecimal), fc.oneof(smallDecimal, anyDecimal), (a, b) => {
        fc.pre(!b.isZero)
        const value = exact(a).div(exact(b))
        const needed = Math.max(a.scale - b.scale, 0, value.decimalPlaces())
        // Some quotients keep a zero more, see above.
        const quotient = textOf(() => a.div(b))
        expect([nearest(value, needed), nearest(value, needed + 1)]).toContain(quotient)
      }),
    )
  })

  test('a remainder belongs to the truncated quotient', () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        fc.pre(!b.isZero)
        const rest = a.rem(b)
        expect(rest.toString()).toBe(
          exact(a)
            .mod(exact(b))
            .toFixed(Math.max(a.scale, b.scale))
            .replace(/^-(?=[0.]+$)/, ''),
        )
      }),
    )
  })
})

describe('rounding', () => {
  test.each([
    ['2.5', 0, '2'],
    ['3.5', 0, '4'],
    ['-2.5', 0, '-2'],
    ['2.345', 2, '2.34'],
    ['2.3451', 2, '2.35'],
    ['2.3', 4, '2.3'],
    ['1234.56', -2, '1235'],
    ['19.99', 1, '20.0'],
  ])('%s to %d places is %s, halves to even', (text, places, rounded) => {
    expect(d(text).round(places).toString()).toBe(rounded)
  })

  test('halves go away from zero when asked to', () => {
    expect(d('2.345').round(2, 'half-up').toString()).toBe('2.35')
    expect(d('-2.5').round(0, 'half-up').toString()).toBe('-3')
  })

  test.each([
    ['2.10', '2', '2', '3'],
    ['-2.90', '-2', '-3', '-2'],
    ['-0.5', '0', '-1', '0'],
    ['3.00', '3', '3', '3'],
    ['7', '7', '7', '7'],
  ])('%s is truncated to %s, its floor is %s, its ceiling %s', (text, trunc, floor, ceil) => {
    expect(d(text).trunc().toString()).toBe(trunc)
    expect(d(text).floor().toString()).toBe(floor)
    expect(d(text).ceil().toString()).toBe(ceil)
  })

  test('agrees with decimal.js', () => {
    fc.assert(
      fc.property(anyDecimal, fc.integer({ min: 0, max: 28 }), (decimal, places) => {
        const kept = Math.min(places, decimal.scale)
        const plain = (value: Oracle): string => value.toFixed(kept).replace(/^-(?=[0.]+$)/, '')
        const value = exact(decimal)
        expect(decimal.round(places).toString()).toBe(plain(value.toDecimalPlaces(kept, Oracle.ROUND_HALF_EVEN)))
        expect(decimal.round(places, 'half-up').toString()).toBe(
          plain(value.toDecimalPlaces(kept, Oracle.ROUND_HALF_UP)),
        )
      }),
    )
  })
})

describe('scale', () => {
  test('is filled with zeros, and loses zeros only', () => {
    expect(d('1.5').withScale(3)?.toString()).toBe('1.500')
    expect(d('1.500').withScale(1)?.toString()).toBe('1.5')
    expect(d('1.55').withScale(1)).toBeUndefined()
    expect(d('79228162514264337593543950335').withScale(1)).toBeUndefined()
    expect(d('1').withScale(29)).toBeUndefined()
  })

  test('precision counts digits', () => {
    expect(d('123.45').precision).toBe(5)
    expect(d('-0.05').precision).toBe(1)
    expect(d('0.00').precision).toBe(1)
  })
})

describe('comparison and conversion', () => {
  test('compares by value', () => {
    expect(d('2.50').equals(d('2.5'))).toBe(true)
    expect(d('-0.1').compare(d('0.0'))).toBe(-1)
    expect(d('4.99').compare(d('5'))).toBe(-1)
    expect(d('5.01').compare(d('5'))).toBe(1)
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        expect(a.compare(b)).toBe(exact(a).comparedTo(exact(b)))
      }),
    )
  })

  test('gives the nearest double and the whole part', () => {
    expect(d('0.1').toNumber()).toBe(0.1)
    expect(d('-3.99').toBigInt()).toBe(-3n)
    fc.assert(
      fc.property(anyDecimal, (a) => {
        expect(a.toNumber()).toBe(exact(a).toNumber() + 0)
      }),
    )
  })

  test('is text in JSON', () => {
    expect(JSON.stringify({ price: d('7.50') })).toBe('{"price":"7.50"}')
    expect(`${d('-0.05')}`).toBe('-0.05')
  })

  test('sign changes', () => {
    expect(d('-1.50').abs().toString()).toBe('1.50')
    expect(d('1.50').neg().toString()).toBe('-1.50')
    expect(d('0.00').neg()).toEqual(d('0.00'))
  })
})
