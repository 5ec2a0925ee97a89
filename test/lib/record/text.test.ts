import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { makeMap } from '../../../lib/record/map.ts'
import { csvText, displayText, jsonFloatText, jsonText, NotFinite } from '../../../lib/record/text.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Value } from '../../../lib/record/value.ts'

const date = CivilDate.parse('2024-07-05') as CivilDate
const time = CivilDateTime.parse('2024-07-05T08:09:10') as CivilDateTime
const fraction = CivilDateTime.parse('2024-07-05T08:09:10.120500') as CivilDateTime
const foreign = new Date('2024-07-05T08:09:10Z') as unknown as Value
const absent = undefined as unknown as Value

test.each<[value: Value, csv: string | undefined, display: string, json: string]>([
  [null, '', '', 'null'],
  [absent, '', '', 'null'],
  [true, 'true', 'true', 'true'],
  [false, 'false', 'false', 'false'],
  [42, '42', '42', '42'],
  [9223372036854775807n, '9223372036854775807', '9223372036854775807', '9223372036854775807'],
  [2.5, '2.5', '2.5', '2.5'],
  [new Float(2), '2', '2', '2.0'],
  [new Float(-0), '-0', '-0', '-0.0'],
  [1e-7, '0.0000001', '0.0000001', '1e-7'],
  [new Float(1e21), '1000000000000000000000', '1000000000000000000000', '1e+21'],
  [Decimal.of(750n, 2), '7.50', '7.50', '"7.50"'],
  ['a"b\\c\n\u0001é', 'a"b\\c\n\u0001é', 'a"b\\c\n\u0001é', '"a\\"b\\\\c\\n\\u0001é"'],
  [date, '2024-07-05', '2024-07-05', '"2024-07-05"'],
  [time, '2024-07-05T08:09:10', '2024-07-05 08:09:10', '"2024-07-05T08:09:10"'],
  [fraction, '2024-07-05T08:09:10.120500', '2024-07-05 08:09:10.120500', '"2024-07-05T08:09:10.120500"'],
  [foreign, '2024-07-05T08:09:10', '2024-07-05 08:09:10', '"2024-07-05T08:09:10"'],
  [[1, 'a', null, time], undefined, '[1, a, , 2024-07-05 08:09:10]', '[1,"a",null,"2024-07-05T08:09:10"]'],
  [
    makeMap([
      ['k', 1],
      ['2', null],
    ]),
    undefined,
    '{k: 1, 2: }',
    '{"k":1,"2":null}',
  ],
  [[[new Float(1)], {}], undefined, '[[1], {}]', '[[1.0],{}]'],
])('%s in a cell, in the language, in JSON', (value, csv, display, json) => {
  expect(csvText(value)).toBe(csv)
  expect(displayText(value)).toBe(display)
  expect(jsonText(value)).toBe(json)
})

describe('floats in JSON', () => {
  test.each([
    [2, '2.0'],
    [-2.5, '-2.5'],
    [0, '0.0'],
    [-0, '-0.0'],
    [1e15, '1000000000000000.0'],
    [9999999999999998, '9999999999999998.0'],
    [1e16, '1e+16'],
    [1.2345e20, '1.2345e+20'],
    [0.00001, '0.00001'],
    [0.000012, '0.000012'],
    [0.000001, '1e-6'],
    [1.25e-7, '1.25e-7'],
    [5e-324, '5e-324'],
  ])('%d is %s', (value, text) => {
    expect(jsonFloatText(value)).toBe(text)
  })

  test('the static type tells a float from an int', () => {
    expect(jsonText(2, Type.of('float'))).toBe('2.0')
    expect(jsonText(2, Type.of('int'))).toBe('2')
    expect(jsonText(2)).toBe('2')
    expect(jsonText(2, Type.of('numeric'))).toBe('2')
    expect(jsonText(2 ** 60)).toBe('1.152921504606847e+18')
    expect(jsonText(-0)).toBe('-0.0')
  })

  test('NaN and infinities have no form', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, new Float(Number.NEGATIVE_INFINITY)]) {
      expect(() => jsonText([value])).toThrow(NotFinite)
    }
    expect(() => jsonFloatText(Number.NEGATIVE_INFINITY)).toThrow(new NotFinite(Number.NEGATIVE_INFINITY))
    expect(new NotFinite(Number.NaN).message).toBe('NaN has no form in JSON')
  })

  test('read back the same double, with a point or an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(jsonFloatText(value))).toBe(value)
        expect(jsonFloatText(value)).toMatch(/[.e]/)
      }),
    )
  })
})
