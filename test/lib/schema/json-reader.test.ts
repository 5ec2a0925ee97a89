import { describe, expect, test } from 'vitest'
import { CivilDate } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { makeMap, mapKeys } from '../../../lib/record/map.ts'
import type { Type } from '../../../lib/record/type.ts'
import type { Value } from '../../../lib/record/value.ts'
import {
  fromJson,
  fromNumberText,
  jsonReader,
  type JsonValue,
  NumberText,
  parseTypeName,
  type SchemaColumn,
} from '../../../lib/schema/index.ts'

const n = (text: string): NumberText => new NumberText(text)
const reader = (type: string, more: Partial<SchemaColumn> = {}) => {
  return jsonReader({ name: 'v', type: parseTypeName(type) as Type, ...more })
}
const refused = undefined

test.each<[type: string, ...pairs: [JsonValue, Value | undefined][]]>([
  ['string', ['x', 'x'], ['', ''], [7, refused], [true, refused], [[], refused], [{}, refused]],
  ['int', [7, 7], [n('7.0'), 7], ['7', 7], [n('70e-1'), 7], [n('7.5'), refused], [7.5, refused], [2 ** 63, refused]],
  ['int', [n('9223372036854775807'), 9223372036854775807n], [n('9223372036854775808'), refused], [new Float(7), 7]],
  [
    'int',
    [9007199254740993n, 9007199254740993n],
    [2n ** 63n, refused],
    ['7.0', refused],
    ['', refused],
    [true, refused],
  ],
  ['int', [n('-0'), 0], [-0, 0], [n('1e400'), refused], [new Float(2 ** 53), 9007199254740992n]],
  ['float', [2, 2], [2.5, 2.5], ['1.5', 1.5], [n('1e3'), 1000], [n('1e400'), refused], ['x', refused], [true, refused]],
  ['float', [9007199254740993n, 9007199254740992], [new Float(3), 3]],
  ['bool', [true, true], [1, true], [0, false], [2, refused], ['yes', true], ['x', refused], [n('1.0'), true]],
  ['date', ['2024-02-29', CivilDate.of(2024, 2, 29)], ['2023-02-29', refused], [20240229, refused]],
  [
    'array',
    [
      [1, 'a'],
      [1, 'a'],
    ],
    ['[]', refused],
    [{}, refused],
  ],
  ['map', [{ a: 1 }, { a: 1 }], [[], refused], ['{}', refused], [n('1'), refused]],
  ['any', ['x', 'x'], [5, 5], [n('5.0'), new Float(5)], [n('2.50'), 2.5], [{ a: [1] }, { a: [1] }], [null, null]],
])('%s takes and refuses', (type, ...pairs) => {
  const read = reader(type)
  for (const [given, value] of pairs) expect([given, read(given)]).toEqual([given, value])
})

test('a decimal keeps the digits of the text, and is never rounded', () => {
  expect(`${reader('decimal')(n('2.50'))}`).toBe('2.50')
  expect(`${reader('decimal')(n('0.1000000000000000055511151231'))}`).toBe('0.1000000000000000055511151231')
  expect(`${reader('decimal')('7.500')}`).toBe('7.500')
  expect(`${reader('decimal', { scale: 2 })(7)}`).toBe('7.00')
  expect(`${reader('decimal')(12345678901234567890123n)}`).toBe('12345678901234567890123')
  expect(reader('decimal', { scale: 2 })(n('7.505'))).toBeUndefined()
  expect(reader('decimal')(0.1)).toEqual(Decimal.of(1n, 1))
  expect(reader('decimal')(true)).toBeUndefined()
})

describe('null', () => {
  test('needs a nullable column, as does an absent key', () => {
    expect(reader('int')(null)).toBeUndefined()
    expect(reader('nullable(int)')(null)).toBeNull()
    expect(reader('any')(null)).toBeNull()
    expect(reader('string')(null)).toBeUndefined()
    expect(reader('null')(null)).toBeNull()
    expect(reader('null')(1)).toBeUndefined()
    expect(reader('nullable(string)')('')).toBe('')
    expect(reader('nullable(int)')('')).toBeNull()
  })

  test('stays null in a nullable multiple column', () => {
    expect(reader('nullable(int)', { multiple: true })(null)).toBeNull()
    expect(reader('int', { multiple: true })(null)).toBeUndefined()
  })
})

describe('multiple', () => {
  test('makes one value an array of one', () => {
    expect(reader('int', { multiple: true })(5)).toEqual([5])
    expect(reader('int', { multiple: true })([5, '6'])).toEqual([5, 6])
    expect(reader('int', { multiple: true })([])).toEqual([])
    expect(reader('float', { multiple: true })([1, 2.5])).toEqual([new Float(1), 2.5])
  })

  test('one bad element refuses the cell', () => {
    expect(reader('int', { multiple: true })([5, 'x'])).toBeUndefined()
    expect(reader('int', { multiple: true })([5, null])).toBeUndefined()
    expect(reader('nullable(int)', { multiple: true })([5, null])).toEqual([5, null])
  })
})

describe('values of unknown type', () => {
  test('an integer of 64 bits is an int, any other number a float', () => {
    expect(fromNumberText('5')).toBe(5)
    expect(fromNumberText('-5')).toBe(-5)
    expect(fromNumberText('9223372036854775807')).toBe(9223372036854775807n)
    expect(fromNumberText('9223372036854775808')).toEqual(new Float(9223372036854775808))
    expect(fromNumberText('5.0')).toEqual(new Float(5))
    expect(fromNumberText('5e0')).toEqual(new Float(5))
    expect(fromNumberText('-0')).toEqual(new Float(-0))
    expect(fromNumberText('2.50')).toBe(2.5)
    expect(fromJson(2n ** 70n)).toEqual(new Float(2 ** 70))
    expect(fromJson(5n)).toBe(5)
    expect(fromJson(new Float(5))).toEqual(new Float(5))
  })

  test('carried integers keep their digits', () => {
    expect(fromNumberText('123456789012345678901234567890', true)).toBe(123456789012345678901234567890n)
    expect(fromJson([n('123456789012345678901234567890')], true)).toEqual([123456789012345678901234567890n])
  })

  test('nested values are converted, order kept, and left alone when there is nothing to do', () => {
    const map = makeMap([
      ['b', [1]],
      ['2', 'x'],
    ])
    expect(fromJson(map as JsonValue)).toBe(map)
    const numbers = makeMap([
      ['b', n('1.0') as unknown as Value],
      ['2', { c: n('2') } as unknown as Value],
    ])
    const converted = fromJson(numbers as JsonValue) as Record<string, Value>
    expect(converted).toEqual({ b: new Float(1), 2: { c: 2 } })
    expect(mapKeys(converted)).toEqual(['b', '2'])
  })
})
