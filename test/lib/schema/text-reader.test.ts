import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Float } from '../../../lib/record/float.ts'
import { csvText } from '../../../lib/record/text.ts'
import { Type } from '../../../lib/record/type.ts'
import {
  parseTypeName,
  readBool,
  readDate,
  readDateTime,
  type SchemaColumn,
  textReader,
} from '../../../lib/schema/index.ts'

const column = (type: string, more: Partial<SchemaColumn> = {}): SchemaColumn => {
  return { name: 'v', type: parseTypeName(type) as Type, ...more }
}
/** What a column makes of a text, as it would be written again. */
const read = (type: string, text: string, more: Partial<SchemaColumn> = {}): string | null | undefined => {
  const value = textReader(column(type, more))(text)
  return value === undefined || value === null ? value : csvText(value)
}

test.each([
  ['int', ['007', '7'], ['+5', '5'], ['-0', '0'], ['9223372036854775807', '9223372036854775807']],
  ['float', ['1.50', '1.5'], ['.5', '0.5'], ['5.', '5'], ['1e21', '1000000000000000000000'], ['-0', '-0']],
  ['decimal', ['1.50', '1.50'], ['1e3', '1000'], ['-0.001', '-0.001'], ['007.10', '7.10']],
  [
    'bool',
    ['true', 'true'],
    ['FALSE', 'false'],
    ['Yes', 'true'],
    ['no', 'false'],
    ['ON', 'true'],
    ['off', 'false'],
    ['1', 'true'],
    ['0', 'false'],
  ],
  [
    'date',
    ['2024-02-29', '2024-02-29'],
    ['2024/03/01', '2024-03-01'],
    ['2024-2-9', '2024-02-09'],
    ['0001-01-01', '0001-01-01'],
  ],
  ['date_time', ['2024-02-29T23:59:58', '2024-02-29T23:59:58'], ['2024/2/9 07:30', '2024-02-09T07:30:00']],
  ['string', ['', ''], [' padded ', ' padded '], ['007', '007']],
  ['any', ['', ''], ['7', '7']],
] as [type: string, ...pairs: [string, string][]][])('reads %s', (type, ...pairs) => {
  for (const [text, written] of pairs) expect(read(type, text)).toBe(written)
})

test.each([
  ['int', '1.0', '1_000', ' 5', '5 ', 'five', '1e3', '9223372036854775808', '-', '0x1'],
  ['float', 'NaN', 'inf', '-Infinity', '1e400', '1;5', '1,5', ' 1', '.', '1e'],
  ['decimal', '1e400', '1,5', ' 1', '0.12345678901234567890123456789', '79228162514264337593543950336', 'NaN'],
  ['bool', 't', 'maybe', '2', ' true', 'TRUEE', 'y'],
  [
    'date',
    '2023-02-29',
    '12/31/1999',
    '31/12/1999',
    '29/02/2024',
    '2024-02-29T00:00:00',
    '2024-02/29',
    '24-02-29',
    '2024-02',
    '2024-002-01',
    '2024-01-001',
    ' 2024-01-01',
    '20240101',
    '2024-00-10',
    '2024-01-00',
    '２０２４-01-01',
    '02024-01-01',
  ],
  [
    'date_time',
    'yesterday',
    '2024-02-29',
    '2024-02-29T',
    '2024-02-29T7:30',
    '2024-02-29T07:30:',
    '2024-02-29T24:00',
    '2024-02-29T07:60',
    '2024-02-29T07:30:60',
    '2023-02-29T07:30',
    '2024-02-29  07:30',
    '2024-02-29T07:30.5',
    '2024-02-29T07:30:00.',
    '2024-02-29T07:30:00.1234567890',
    '2024-02-29T07:30:00z',
    '2024-02-29T07:30:00+0200',
    '2024-02-29T07:30:00+02',
    '2024-02-29T07:30:00+24:00',
    '2024-02-29T07:30:00+02:60',
    '2024-02-29T07:30:00 Z',
    '2024-02-29t07:30:00',
    '2024-02-29T07-30-00',
  ],
  ['array', '', '[]', 'a;b'],
  ['map', '', '{}'],
  ['null', 'null'],
])('%s refuses what is none', (type, ...texts) => {
  for (const text of texts) expect([text, read(type, text)]).toEqual([text, undefined])
})

describe('empty text', () => {
  test('stays text for strings, is null for every other nullable type, else a type error', () => {
    expect(read('string', '')).toBe('')
    expect(read('nullable(string)', '')).toBe('')
    for (const type of ['int', 'float', 'decimal', 'bool', 'date', 'date_time']) {
      expect([type, read(`nullable(${type})`, '')]).toEqual([type, null])
      expect([type, read(type, '')]).toEqual([type, undefined])
    }
    expect(read('null', '')).toBeNull()
    expect(read('nullable(int)', ' ')).toBeUndefined()
  })
})

describe('decimals', () => {
  test('fewer places are filled, surplus zeros dropped, other surplus digits refused', () => {
    expect(read('decimal', '1.5', { scale: 3 })).toBe('1.500')
    expect(read('decimal', '1.50000', { scale: 2 })).toBe('1.50')
    expect(read('decimal', '1.255', { scale: 2 })).toBeUndefined()
    expect(read('decimal', '1.25000000000000000000000000000000000', { scale: 2 })).toBe('1.25')
    expect(read('decimal', '79228162514264337593543950335', { scale: 1 })).toBeUndefined()
  })

  test('more digits than the precision are refused', () => {
    expect(read('decimal', '123.45', { scale: 2, precision: 5 })).toBe('123.45')
    expect(read('decimal', '1234.56', { scale: 2, precision: 5 })).toBeUndefined()
    expect(read('decimal', '1234.5', { precision: 4 })).toBeUndefined()
  })
})

describe('dates', () => {
  test('a zone is brought to UTC', () => {
    expect(read('date_time', '2024-03-31T01:30:00+02:00')).toBe('2024-03-30T23:30:00')
    expect(read('date_time', '2024-03-31T01:30:00Z')).toBe('2024-03-31T01:30:00')
    expect(read('date_time', '2024-12-31T23:30-05:30')).toBe('2025-01-01T05:00:00')
    expect(read('date_time', '2024-03-31T01:30:00.5-00:00')).toBe('2024-03-31T01:30:00.500')
  })

  test('a fraction has up to nine digits', () => {
    expect(read('date_time', '2024-01-01T00:00:00.000000001')).toBe('2024-01-01T00:00:00.000000001')
    expect(read('date_time', '2024-01-01T00:00:00.12')).toBe('2024-01-01T00:00:00.120')
  })

  test('a format of the column is the only form', () => {
    expect(read('date', '05.10.2024', { format: '%d.%m.%Y' })).toBe('2024-10-05')
    expect(read('date', '2024-10-05', { format: '%d.%m.%Y' })).toBeUndefined()
    expect(read('date_time', '5.10.2024 7:30', { format: '%d.%m.%Y %H:%M' })).toBe('2024-10-05T07:30:00')
  })

  test('the formats of the pipeline are tried behind the built-in forms', () => {
    const options = { date_formats: ['%d.%m.%Y', '%d.%m.%Y %H:%M', '%Y%m%d'] }
    const date = textReader(column('date'), options)
    const time = textReader(column('date_time'), options)
    expect(['05.12.2024', '2024-12-06', '20241207', '05.12.2024 07:30'].map(date)).toEqual([
      CivilDate.of(2024, 12, 5),
      CivilDate.of(2024, 12, 6),
      CivilDate.of(2024, 12, 7),
      undefined,
    ])
    expect(`${time('05.12.2024 07:30')} ${time('2024-12-06T08:00:00')} ${time('05.12.2024')}`).toBe(
      '2024-12-05T07:30:00 2024-12-06T08:00:00 undefined',
    )
    expect(textReader(column('date', { format: '%Y' }), options)('05.12.2024')).toBeUndefined()
  })

  test('every date and time is read back', () => {
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
    fc.assert(
      fc.property(seconds, fc.nat(999_999_999), (second, nanosecond) => {
        const time = CivilDateTime.fromEpoch(second, nanosecond)
        expect(readDateTime(`${time}`)).toEqual(time)
        expect(readDateTime(`${time}Z`)).toEqual(time)
        expect(readDate(`${time.date}`)).toEqual(time.date)
      }),
    )
  })

  test('zones agree with Temporal', () => {
    const offset = fc
      .tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59))
      .map(([sign, hour, minute]) => `${sign}${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}`)
    fc.assert(
      fc.property(fc.integer({ min: -6e10, max: 2e11 }), offset, (second, zone) => {
        const text = `${CivilDateTime.fromEpoch(second)}${zone}`
        expect(`${readDateTime(text)}Z`).toBe(Temporal.Instant.from(text).toString())
      }),
    )
  })
})

test('an element of a multiple column shows that it is a float', () => {
  const element = textReader(column('float', { multiple: true }))
  expect(['2', '2.5', 'x'].map(element)).toEqual([new Float(2), 2.5, undefined])
})

test('readBool takes any case and nothing longer', () => {
  expect(['true', 'TrUe', 'oN', 'truetrue', ''].map(readBool)).toEqual([true, true, true, undefined, undefined])
})
