import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../../lib/record/civil.ts'
import { evaluate, plain } from './evaluate.ts'
import { failures, results } from './table.ts'

const day = CivilDate.parse('2024-01-31') as CivilDate
const row = { n: null, s: '2024-01-31', day, time: CivilDateTime.of(day, 21, 5, 59, 999_000_000) as CivilDateTime }

describe('parts', () => {
  results(row, [
    ['day.year()', 2024],
    ['time.month()', 1],
    ['time.day()', 31],
    ['time.hour()', 21],
    ['time.minute()', 5],
    ['time.second()', 59],
    ['day.hour()', null],
    ['s.year()', null],
    ['n.year()', null],
  ])
})

describe('shifts', () => {
  results(row, [
    ['day.add_days(-31)', '2023-12-31'],
    ['day.add_days(n)', '2024-01-31'],
    ['day.add_days(1.9)', '2024-02-01'],
    ['day.add_days(s)', null],
    ['day.add_days(9000000000000000)', null],
    ['day.add_days(9223372036854775807)', null],
    ['day.add_months(1)', '2024-02-29'],
    ['day.add_months(-2)', '2023-11-30'],
    ['day.add_months(4294967297)', null],
    ['day.add_years(1)', '2025-01-31'],
    ['#2024-02-29#.add_years(1)', '2025-02-28'],
    ['#2024-02-29#.add_years(-4)', '2020-02-29'],
    ['time.add_days(1)', '2024-02-01T21:05:59.999'],
    ['time.add_months(1)', '2024-02-29T21:05:59.999'],
    ['time.add_years(-24)', '2000-01-31T21:05:59.999'],
    ['s.add_days(1)', null],
  ])
})

describe('differences', () => {
  results(row, [
    ['day.diff_days(time)', 0],
    ['time.diff_days(#2024-02-01#)', -1],
    ['day.diff_days(s)', null],
    ['#2024-02-28#.diff_months(#2024-01-31#)', 0],
    ['#2024-02-29#.diff_months(#2024-01-31#)', 1],
    ['#2024-01-31#.diff_months(#2024-02-29#)', -1],
    ['#2023-05-15#.diff_months(#2023-08-14#)', -2],
    ['#2025-02-28#.diff_years(#2024-02-29#)', 1],
    ['#2020-05-15#.diff_years(#2025-05-14#)', -4],
    ['#2025-12-31#.diff_years(#2025-01-01#)', 0],
    ['#2025-01-01#.diff_years(#2025-12-31#)', 0],
    ['day.diff_years(n)', null],
  ])
})

describe('format_date', () => {
  results(row, [
    ["day.format_date('%A, %e %B %Y')", 'Wednesday, 31 January 2024'],
    ["time.format_date('%F %T%.f')", '2024-01-31 21:05:59.999'],
    ['day.format_date(n)', null],
    ["s.format_date('%Y')", null],
  ])
  failures(row, [
    ["day.format_date('%H:%M')", "the date pattern '%H:%M' has a time of day, and a date has none"],
    ["time.format_date('%Z')", "bad date pattern '%Z': there is no %Z"],
  ])
})

describe('laws', () => {
  const days = fc.integer({ min: -700_000, max: 2_900_000 }).map((n) => CivilDate.fromDays(n))

  test('diff_days is the inverse of add_days', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -100_000, max: 100_000 }), (a, n) => {
        expect(evaluate('a.add_days(n).diff_days(a)', { a, n })).toBe(n)
      }),
    )
  })

  test('diff_months is the greatest number of months that add_months does not carry past the receiver', () => {
    fc.assert(
      fc.property(days, days, (a, b) => {
        const [from, to] = a.compare(b) < 0 ? [a, b] : [b, a]
        const months = evaluate('a.diff_months(b)', { a: to, b: from }) as number
        expect((from.addMonths(months) as CivilDate).compare(to)).not.toBe(1)
        expect((from.addMonths(months + 1) as CivilDate).compare(to)).toBe(1)
        expect(evaluate('b.diff_months(a)', { a: to, b: from })).toBe(0 - months)
      }),
    )
  })

  test('what format_date writes, to_date reads', () => {
    fc.assert(
      fc.property(days, fc.constantFrom('%d.%m.%Y', '%Y/%j', '%B %-d, %Y'), (a, pattern) => {
        expect(plain(evaluate('a.format_date(pattern).to_date(pattern)', { a, pattern }))).toBe(a.toString())
      }),
    )
  })
})
