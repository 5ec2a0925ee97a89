import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { BadDatePattern, compileDatePattern } from '../../../lib/record/date-pattern.ts'

const date = (text: string): CivilDate => CivilDate.parse(text) as CivilDate
const time = (text: string): CivilDateTime => CivilDateTime.parse(text) as CivilDateTime
const format = (value: CivilDate | CivilDateTime, pattern: string): string => compileDatePattern(pattern).format(value)
const readDate = (text: string, pattern: string): string | undefined =>
  compileDatePattern(pattern).readDate(text)?.toString()
const readTime = (text: string, pattern: string): string | undefined =>
  compileDatePattern(pattern).readDateTime(text)?.toString()

describe('writing', () => {
  test.each([
    ['%Y', '2023'],
    ['%C', '20'],
    ['%y', '23'],
    ['%q', '3'],
    ['%m', '09'],
    ['%b|%h|%B', 'Sep|Sep|September'],
    ['%d|%e', '03| 3'],
    ['%a|%A|%w|%u', 'Sun|Sunday|0|7'],
    ['%U|%W|%V', '36|35|35'],
    ['%G|%g|%j', '2023|23|246'],
    ['%D|%x', '09/03/23|09/03/23'],
    ['%F', '2023-09-03'],
    ['%v', ' 3-Sep-2023'],
    ['%H|%k|%I|%l', '07| 7|07| 7'],
    ['%p|%P', 'AM|am'],
    ['%M|%S', '08|05'],
    ['%f|%.f|%.3f|%.6f|%.9f', '040506000|.040506|.040|.040506|.040506000'],
    ['%3f|%6f|%9f', '040|040506|040506000'],
    ['%R|%T|%X|%r', '07:08|07:08:05|07:08:05|07:08:05 AM'],
    ['%c', 'Sun Sep  3 07:08:05 2023'],
    ['%s', '1693724885'],
    ['a%tb%nc%%', 'a\tb\nc%'],
    ['%-d.%-m. %-H:%-M', '3.9. 7:8'],
    ['%_d/%_m %0e', ' 3/ 9 03'],
    ['Woche %V – 100%%', 'Woche 35 – 100%'],
    ['', ''],
  ])('%s gives %s', (pattern, expected) => {
    expect(format(time('2023-09-03T07:08:05.040506'), pattern)).toBe(expected)
  })

  test('counts the hours of noon and midnight as twelve', () => {
    expect(format(time('2023-09-03T12:00:00'), '%I %p %l %P')).toBe('12 PM 12 pm')
    expect(format(time('2023-09-03T00:00:00'), '%I %p')).toBe('12 AM')
  })

  test('writes the fraction of %.f with 0, 3, 6 or 9 digits', () => {
    expect(format(time('2023-09-03T00:00:00'), '[%.f]')).toBe('[]')
    expect(format(time('2023-09-03T00:00:00.500'), '%.f')).toBe('.500')
    expect(format(time('2023-09-03T00:00:00.000000001'), '%.f')).toBe('.000000001')
  })

  test('gives years beyond four digits their sign', () => {
    expect(format(CivilDate.of(12024, 1, 2) as CivilDate, '%Y %C %y %-Y %_Y')).toBe('+12024 120 24 +12024 +12024')
    expect(format(CivilDate.of(-44, 3, 15) as CivilDate, '%Y|%F|%y')).toBe('-0044|-0044-03-15|56')
    expect(format(CivilDate.of(7, 3, 15) as CivilDate, '%Y|%-Y|%_Y')).toBe('0007|7|   7')
  })

  test('knows the ISO weeks at the turn of a year', () => {
    expect(format(date('2020-12-31'), '%G-W%V')).toBe('2020-W53')
    expect(format(date('2024-12-30'), '%G-W%V')).toBe('2025-W01')
    expect(format(date('2023-01-01'), '%U %W')).toBe('01 00')
  })

  test('refuses a time of day for a date', () => {
    const pattern = compileDatePattern('%F %H:%M')
    expect(pattern.needsTime).toBe(true)
    expect(() => pattern.format(date('2023-09-03'))).toThrow(
      new BadDatePattern("the date pattern '%F %H:%M' has a time of day, and a date has none"),
    )
  })
})

describe('patterns', () => {
  test.each([
    ['%Q', "bad date pattern '%Q': there is no %Q"],
    ['%Y-%z', "bad date pattern '%Y-%z': there is no %z"],
    ['%-B', "bad date pattern '%-B': there is no %-B"],
    ['%.4f', "bad date pattern '%.4f': there is no %."],
    ['50%', "bad date pattern '50%': it ends in %"],
    ['%constructor'.slice(0, 1) + '_', "bad date pattern '%_': it ends in %_"],
  ])('refuses %s', (pattern, message) => {
    expect(() => compileDatePattern(pattern)).toThrow(new BadDatePattern(message))
  })

  test('are compiled once', () => {
    expect(compileDatePattern('%d.%m.%Y')).toBe(compileDatePattern('%d.%m.%Y'))
  })

  test.each([
    ['%F', false],
    ['%c', true],
    ['%s', true],
    ['%.3f', true],
    ['%6f', true],
    ['%H', true],
  ])('%s needs a time: %s', (pattern, expected) => {
    expect(compileDatePattern(pattern).needsTime).toBe(expected)
  })
})

describe('reading a date', () => {
  test.each([
    ['05/04/2023', '%d/%m/%Y', '2023-04-05'],
    ['5.4.2023', '%d.%m.%Y', '2023-04-05'],
    [' 5.04.2023', '%d.%m.%Y', '2023-04-05'],
    ['20230405', '%Y%m%d', '2023-04-05'],
    ['69-04-05', '%y-%m-%d', '2069-04-05'],
    ['70-04-05', '%y-%m-%d', '1970-04-05'],
    ['19 85 04 05', '%C %y %m %d', '1985-04-05'],
    ['5 aPR 2023', '%d %b %Y', '2023-04-05'],
    ['Wednesday 5 April 2023', '%A %d %B %Y', '2023-04-05'],
    ['wed 5 apr 2023', '%A %d %B %Y', '2023-04-05'],
    ['2024-366', '%Y-%j', '2024-12-31'],
    ['2020-W53-4', '%G-W%V-%u', '2020-12-31'],
    ['2023 01 0', '%Y %U %w', '2023-01-01'],
    ['2023 00 7', '%Y %W %u', '2023-01-01'],
    ['2023 36 3', '%Y %W %u', '2023-09-06'],
    ['on 2023-04-05', 'on %F', '2023-04-05'],
    ['04/05/23', '%D', '2023-04-05'],
    ['+12024-01-02', '%F', '+12024-01-02'],
    ['-0044-03-15', '%F', '-0044-03-15'],
    ['2023-04-05 23:59', '%F %R', '2023-04-05'],
    ['100% 2023-04-05', '100%% %F', '2023-04-05'],
  ])('%s by %s is %s', (text, pattern, expected) => {
    expect(readDate(text, pattern)).toBe(expected)
  })

  test.each([
    ['2023-04-05', '%d/%m/%Y'],
    ['2023-04-05 x', '%F'],
    ['2023-02-29', '%F'],
    ['2023-13-01', '%F'],
    ['2023-04', '%Y-%m'],
    ['Thursday 2023-04-05', '%A %F'],
    ['2023-04-05 2024', '%F %Y'],
    ['1 2023-04-05', '%q %F'],
    ['2023-366', '%Y-%j'],
    ['2023-04-05 24:00', '%F %R'],
    ['20 04 05', '%C %m %d'],
    ['2023-٠4-05', '%F'],
    ['2023-   04-05', '%F'],
    ['2021-W53-4', '%G-W%V-%u'],
    ['5 September 2023', '%d %b %Y'],
    ['', '%F'],
  ])('%s by %s is none', (text, pattern) => {
    expect(readDate(text, pattern)).toBe(undefined)
  })
})

describe('reading a date-time', () => {
  test.each([
    ['05.04.2023 06:07', '%d.%m.%Y %H:%M', '2023-04-05T06:07:00'],
    ['04/05/2023 06:07 PM', '%m/%d/%Y %I:%M %p', '2023-04-05T18:07:00'],
    ['04/05/2023 12:30 am', '%m/%d/%Y %I:%M %p', '2023-04-05T00:30:00'],
    ['04/05/2023  1:30 Pm', '%m/%d/%Y %l:%M %P', '2023-04-05T13:30:00'],
    ['20230405060708', '%Y%m%d%H%M%S', '2023-04-05T06:07:08'],
    ['2023-04-05 06:07:08.5', '%Y-%m-%d %H:%M:%S%.f', '2023-04-05T06:07:08.500'],
    ['2023-04-05 06:07:08', '%Y-%m-%d %H:%M:%S%.f', '2023-04-05T06:07:08'],
    ['2023-04-05 06:07:08.1234567891', '%F %T%.f', '2023-04-05T06:07:08.123456789'],
    ['2023-04-05 06:07:08,250', '%F %T,%3f', '2023-04-05T06:07:08.250'],
    ['86400', '%s', '1970-01-02T00:00:00'],
    ['-1', '%s', '1969-12-31T23:59:59'],
    ['1970-01-02 is 86400', '%F is %s', '1970-01-02T00:00:00'],
    ['Sun Sep  3 07:08:05 2023', '%c', '2023-09-03T07:08:05'],
  ])('%s by %s is %s', (text, pattern, expected) => {
    expect(readTime(text, pattern)).toBe(expected)
  })

  test.each([
    ['2023-04-05', '%F'],
    ['2023-04-05 06', '%F %H'],
    ['2023-04-05 06:07', '%F %I:%M'],
    ['2023-04-05 14:07 AM', '%F %H:%M %p'],
    ['2023-04-05 06:07:60', '%F %T'],
    ['2023-04-05 06:07:08,25', '%F %T,%3f'],
    ['2023-04-05 06:07:08.', '%F %T%.f'],
    ['1970-01-03 is 86400', '%F is %s'],
    ['99999999999999', '%s'],
  ])('%s by %s is none', (text, pattern) => {
    expect(readTime(text, pattern)).toBe(undefined)
  })
})

describe('laws', () => {
  const days = fc.integer({ min: -719_000, max: 2_900_000 }).map((n) => CivilDate.fromDays(n))
  const times = fc
    .tuple(fc.integer({ min: -6e10, max: 2.5e11 }), fc.integer({ min: 0, max: 999_999_999 }))
    .map(([seconds, nanosecond]) => CivilDateTime.fromEpoch(seconds, nanosecond))

  test('what a complete pattern writes, it reads', () => {
    const patterns = fc.constantFrom(
      '%F',
      '%d %B %Y',
      '%A, %e. %b %Y',
      '%Y-%j',
      '%G-W%V-%u',
      '%Y %U %a',
      '%Y|%W|%A',
      '%v',
      '%Y%m%d',
      '%C%y %-m %-d',
    )
    fc.assert(
      fc.property(days, patterns, (day, pattern) => {
        expect(readDate(format(day, pattern), pattern)).toBe(day.toString())
      }),
    )
  })

  test('what a complete pattern writes of a time, it reads', () => {
    const patterns = fc.constantFrom('%F %T%.f', '%F %I:%M:%S.%f %p', '%s%.9f', '%d/%m/%Y %k:%M:%S,%9f', '%c %9f')
    fc.assert(
      fc.property(times, patterns, (moment, pattern) => {
        expect(readTime(format(moment, pattern), pattern)).toBe(moment.toString())
      }),
    )
  })

  test('no pattern and no text makes reading throw anything but a bad pattern', () => {
    const pieces = fc.constantFrom(...'%Y %m %d %H %M %b %p %s %.f %q %j - : x'.split(' '), ' ')
    const pattern = fc.array(pieces, { maxLength: 6 }).map((list) => list.join(''))
    const text = fc.string({ unit: fc.constantFrom(...'0123456789-:. xAPMJan'), maxLength: 20 })
    fc.assert(
      fc.property(pattern, text, (given, from) => {
        readDate(from, given)
        readTime(from, given)
      }),
    )
  })
})
