import { deepStrictEqual, notDeepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boxFloat, Float, floatText, parseFinite, unboxFloat } from '../../../lib/record/float.ts'

describe('Float', () => {
  test('behaves as its number', () => {
    const two = new Float(2)
    expect(Number(two) + 1).toBe(3)
    expect(JSON.stringify({ two })).toBe('{"two":2}')
    expect(`${two}`).toBe('2')
  })

  test('is equal by content', () => {
    deepStrictEqual(new Float(2), new Float(2))
    notDeepStrictEqual(new Float(0), new Float(-0))
  })

  test('boxes what would look like an int, and nothing else', () => {
    expect(boxFloat(2)).toEqual(new Float(2))
    expect(boxFloat(-0)).toEqual(new Float(-0))
    expect(boxFloat(2 ** 60)).toEqual(new Float(2 ** 60))
    expect(boxFloat(2.5)).toBe(2.5)
    expect(boxFloat(Number.NaN)).toBeNaN()
    expect(boxFloat(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
    expect(unboxFloat(new Float(2))).toBe(2)
    expect(unboxFloat(2.5)).toBe(2.5)
  })
})

describe('floatText', () => {
  test.each([
    [2, '2'],
    [1.5, '1.5'],
    [-0, '-0'],
    [0, '0'],
    [1e-7, '0.0000001'],
    [-1.25e-7, '-0.000000125'],
    [1e21, '1000000000000000000000'],
    [1.5e21, '1500000000000000000000'],
    [-1.2345e22, '-12345000000000000000000'],
    [0.000001, '0.000001'],
    [123456789012345680000, '123456789012345680000'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'inf'],
    [Number.NEGATIVE_INFINITY, '-inf'],
  ])('%d is %s', (value, text) => {
    expect(floatText(value)).toBe(text)
  })

  test('reads back the same double and has no exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(floatText(value)).toMatch(/^-?\d+(\.\d*[1-9])?$/)
        expect(Number(floatText(value))).toBe(value)
        expect(parseFinite(floatText(value))).toBe(value)
      }),
    )
  })
})

describe('parseFinite', () => {
  test.each([
    ['1.50', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['+5', 5],
    ['-0', -0],
    ['-0.0', -0],
    ['007', 7],
    ['1e21', 1e21],
    ['1E+3', 1000],
    ['2.5e-3', 0.0025],
    ['.5e1', 5],
    ['1e-400', 0],
    ['0.1', 0.1],
    ['9007199254740993', 9007199254740992],
    ['123456789012345678901234567890', 1.2345678901234568e29],
  ])('reads %s', (text, value) => {
    expect(parseFinite(text)).toBe(value)
  })

  test.each([
    ['', '.', '-', '+.', 'e5', '1e', '1e+', '1e5.0', '1.2.3', ' 1', '1 ', '1_0', '1,5', '1;5'],
    ['NaN', 'inf', 'Infinity', '1e400', '-1e400', '0x10', '--1', '1f', '1e5 '],
  ])('refuses texts that are none', (...texts) => {
    for (const text of texts) expect(parseFinite(text)).toBeUndefined()
  })

  test('gives what Number gives for every text of its grammar', () => {
    const digits = (min: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: 22 })
    const written = fc
      .tuple(
        fc.constantFrom('', '-', '+'),
        digits(1),
        fc.option(digits(0)),
        fc.option(fc.integer({ min: -330, max: 310 })),
      )
      .map(([sign, whole, fraction, exponent]) => {
        return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`
      })
    fc.assert(
      fc.property(written, (text) => {
        const value = Number(text)
        expect(parseFinite(text)).toBe(Number.isFinite(value) ? value : undefined)
      }),
    )
  })
})
