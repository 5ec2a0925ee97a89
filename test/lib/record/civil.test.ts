import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime, daysInMonth, isLeapYear, maxYear, minYear } from '../../../lib/record/civil.ts'

const date = (year: number, month: number, day: number): CivilDate => CivilDate.of(year, month, day) as CivilDate

// Temporal's calendar is a little wider than ours on either side.
const anyDate = fc
  .integer({ min: date(minYear, 1, 1).days, max: date(maxYear, 12, 31).days })
  .map((days) => CivilDate.fromDays(days))
const anyTime = fc
  .tuple(anyDate, fc.integer({ min: 0, max: 86_399 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([day, second, nanosecond]) => CivilDateTime.fromEpoch(day.days * 86_400 + second, nanosecond))
const plain = ({ year, month, day }: CivilDate): Temporal.PlainDate => new Temporal.PlainDate(year, month, day)
const fromPlain = ({ year, month, day }: Temporal.PlainDate): CivilDate | undefined => CivilDate.of(year, month, day)

describe('CivilDate', () => {
  test('knows which days there are', () => {
    expect(CivilDate.of(2024, 2, 29)?.toString()).toBe('2024-02-29')
    expect(CivilDate.of(2023, 2, 29)).toBeUndefined()
    expect(CivilDate.of(1900, 2, 29)).toBeUndefined()
    expect(CivilDate.of(2000, 2, 29)?.day).toBe(29)
    expect(CivilDate.of(2024, 4, 31)).toBeUndefined()
    expect(CivilDate.of(2024, 0, 1)).toBeUndefined()
    expect(CivilDate.of(2024, 13, 1)).toBeUndefined()
    expect(CivilDate.of(2024, 1, 0)).toBeUndefined()
    expect(CivilDate.of(Number.NaN, 1, 1)).toBeUndefined()
    expect(CivilDate.of(262_143, 1, 1)).toBeUndefined()
    expect(isLeapYear(2100)).toBe(false)
    expect(daysInMonth(2024, 2)).toBe(29)
  })

  test('is equal by content, shows its fields and is text in JSON', () => {
    deepStrictEqual(date(2024, 7, 5), CivilDate.parse('2024-07-05'))
    expect(Object.keys(date(2024, 7, 5))).toEqual(['year', 'month', 'day'])
    expect(JSON.stringify([date(2024, 7, 5)])).toBe('["2024-07-05"]')
  })

  test.each([
    [2024, 2, 29, '2024-02-29'],
    [1, 1, 1, '0001-01-01'],
    [0, 1, 1, '0000-01-01'],
    [-44, 3, 15, '-0044-03-15'],
    [12_024, 12, 31, '+12024-12-31'],
    [262_142, 12, 31, '+262142-12-31'],
    [-262_142, 1, 1, '-262142-01-01'],
  ])('writes %d %d %d as %s and reads it back', (year, month, day, text) => {
    expect(date(year, month, day).toString()).toBe(text)
    expect(CivilDate.parse(text)).toEqual(date(year, month, day))
  })

  test.each(['2024-2-29', '2023-02-29', '2024/02/29', '+2024-02-29', '12024-02-29', ' 2024-02-29', '2024-02-29T', ''])(
    'does not read %j',
    (text) => {
      expect(CivilDate.parse(text)).toBeUndefined()
    },
  )

  test('counts days from 1970', () => {
    expect(date(1970, 1, 1).days).toBe(0)
    expect(date(1969, 12, 31).days).toBe(-1)
    expect(date(2000, 3, 1).days).toBe(11_017)
    expect(CivilDate.fromDays(19_782).toString()).toBe('2024-02-29')
    expect(() => CivilDate.fromDays(1e9)).toThrow(new RangeError('no date lies 1000000000 days from 1970-01-01'))
    fc.assert(
      fc.property(anyDate, (day) => {
        expect(CivilDate.fromDays(day.days)).toEqual(day)
        expect(day.days).toBe(plain(day).since('1970-01-01').days)
      }),
    )
  })

  test('months and years end where the calendar says', () => {
    expect(date(2024, 1, 31).addMonths(1)?.toString()).toBe('2024-02-29')
    expect(date(2024, 3, 31).addMonths(-1)?.toString()).toBe('2024-02-29')
    expect(date(2024, 2, 29).addYears(1)?.toString()).toBe('2025-02-28')
    expect(date(2024, 12, 31).addDays(1)?.toString()).toBe('2025-01-01')
    expect(date(2024, 1, 1).addYears(-2025)?.toString()).toBe('-0001-01-01')
  })

  test('no date lies beyond the calendar', () => {
    expect(date(maxYear, 12, 31).addDays(1)).toBeUndefined()
    expect(date(minYear, 1, 1).addDays(-1)).toBeUndefined()
    expect(date(2024, 1, 1).addMonths(1e9)).toBeUndefined()
    expect(date(2024, 1, 1).addYears(Number.MAX_SAFE_INTEGER)).toBeUndefined()
    expect(date(2024, 1, 1).addDays(Number.MAX_VALUE)).toBeUndefined()
    expect(date(2024, 1, 1).addDays(0.5)).toBeUndefined()
  })

  test('agrees with Temporal', () => {
    const steps = fc.integer({ min: -5000, max: 5000 })
    const inner = anyDate.filter((day) => Math.abs(day.year) < 250_000)
    fc.assert(
      fc.property(inner, inner, steps, (a, b, n) => {
        expect(a.addDays(n)).toEqual(fromPlain(plain(a).add({ days: n })))
        expect(a.addMonths(n)).toEqual(fromPlain(plain(a).add({ months: n })))
        expect(a.addYears(n)).toEqual(fromPlain(plain(a).add({ years: n })))
        expect(a.compare(b)).toBe(Temporal.PlainDate.compare(plain(a), plain(b)))
        expect(a.equals(b)).toBe(plain(a).equals(plain(b)))
        expect(a.weekday).toBe(plain(a).dayOfWeek % 7)
        expect(a.dayOfYear).toBe(plain(a).dayOfYear)
        expect(a.isoWeek).toEqual({ year: plain(a).yearOfWeek, week: plain(a).weekOfYear })
      }),
    )
  })

  test('the first week of a year holds its first Thursday', () => {
    expect(date(2021, 1, 3).isoWeek).toEqual({ year: 2020, week: 53 })
    expect(date(2024, 12, 30).isoWeek).toEqual({ year: 2025, week: 1 })
    expect(date(2024, 7, 4).weekday).toBe(4)
    expect(date(2024, 12, 31).dayOfYear).toBe(366)
  })
})

describe('CivilDateTime', () => {
  const noon = date(2024, 7, 5)

  test('knows which times there are', () => {
    expect(CivilDateTime.of(noon, 23, 59, 59, 999_999_999)?.second).toBe(59)
    expect(CivilDateTime.of(noon, 24, 0, 0, 0)).toBeUndefined()
    expect(CivilDateTime.of(noon, 0, 60, 0, 0)).toBeUndefined()
    expect(CivilDateTime.of(noon, 0, 0, 60, 0)).toBeUndefined()
    expect(CivilDateTime.of(noon, 0, 0, 0, 1e9)).toBeUndefined()
    expect(CivilDateTime.of(noon, -1, 0, 0, 0)).toBeUndefined()
  })

  test.each([
    [0, '2024-07-05T08:09:10'],
    [120_000_000, '2024-07-05T08:09:10.120'],
    [120_500_000, '2024-07-05T08:09:10.120500'],
    [120_500_300, '2024-07-05T08:09:10.120500300'],
    [1, '2024-07-05T08:09:10.000000001'],
  ])('writes %d nanoseconds as %s', (nanosecond, text) => {
    const time = CivilDateTime.of(noon, 8, 9, 10, nanosecond)
    expect(time?.toString()).toBe(text)
    expect(JSON.stringify(time)).toBe(`"${text}"`)
    deepStrictEqual(CivilDateTime.parse(text), time)
  })

  test.each([
    '2024-07-05',
    '2024-07-05 08:09:10',
    '2024-07-05T08:09',
    '2024-07-05T08:09:10.5',
    '2024-07-05T08:09:10.000',
    '2024-07-05T24:00:00',
    '2024-07-05T08:09:10Z',
  ])('does not read %j', (text) => {
    expect(CivilDateTime.parse(text)).toBeUndefined()
  })

  test('takes JavaScript dates as UTC', () => {
    expect(CivilDateTime.fromDate(new Date('2024-07-05T08:09:10.120Z'))?.toString()).toBe('2024-07-05T08:09:10.120')
    expect(CivilDateTime.fromDate(new Date(-1))?.toString()).toBe('1969-12-31T23:59:59.999')
    expect(CivilDateTime.fromDate(new Date(Number.NaN))).toBeUndefined()
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true, min: new Date(-8e15 + 1), max: new Date(8e15) }), (given) => {
        const time = CivilDateTime.fromDate(given)
        expect(time?.toString().replace(/\.\d+$/, '')).toBe(
          given
            .toISOString()
            .replace(/\.\d+Z$/, '')
            .replace(/^([+-])0(?=\d{5}-)/, '$1')
            .replace(/^-00(?=\d{4}-)/, '-')
            .replace(/^-0(?=\d{4}-)/, '-'),
        )
        expect((time?.epochSeconds ?? 0) * 1000 + (time?.nanosecond ?? 0) / 1e6).toBe(given.getTime())
      }),
    )
  })

  test('counts seconds from 1970 and back', () => {
    expect(CivilDateTime.fromEpoch(-1, 5).toString()).toBe('1969-12-31T23:59:59.000000005')
    expect(CivilDateTime.fromEpoch(0).epochSeconds).toBe(0)
    fc.assert(
      fc.property(anyTime, (time) => {
        expect(CivilDateTime.fromEpoch(time.epochSeconds, time.nanosecond)).toEqual(time)
        expect(CivilDateTime.parse(time.toString())).toEqual(time)
      }),
    )
  })

  test('keeps its time of day when days, months or years are added', () => {
    const time = CivilDateTime.of(date(2024, 1, 31), 23, 59, 58, 7) as CivilDateTime
    expect(time.addDays(1)?.toString()).toBe('2024-02-01T23:59:58.000000007')
    expect(time.addMonths(1)?.toString()).toBe('2024-02-29T23:59:58.000000007')
    expect(time.addYears(-1)?.toString()).toBe('2023-01-31T23:59:58.000000007')
    expect(time.addYears(300_000)).toBeUndefined()
  })

  test('is ordered by date, then by time', () => {
    const early = CivilDateTime.of(noon, 8, 0, 0, 0) as CivilDateTime
    const late = CivilDateTime.of(noon, 8, 0, 0, 1) as CivilDateTime
    const next = CivilDateTime.of(date(2024, 7, 6), 0, 0, 0, 0) as CivilDateTime
    expect([early.compare(late), late.compare(early), late.compare(next), early.compare(early)]).toEqual([-1, 1, -1, 0])
    expect(early.equals(CivilDateTime.of(noon, 8, 0, 0, 0) as CivilDateTime)).toBe(true)
  })
})
