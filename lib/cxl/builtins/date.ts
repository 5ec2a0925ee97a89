import { CivilDate, CivilDateTime, daysInMonth } from '../../record/civil.ts'
import { BadDatePattern, compileDatePattern, type DatePattern } from '../../record/date-pattern.ts'
import { Failure } from '../failure.ts'
import type { BuiltinEntry, Int } from './builtin.ts'

type Day = CivilDate | CivilDateTime

/** Methods of dates and date-times. */
export const dateMethods: Readonly<Record<string, BuiltinEntry>> = {
  year: {
    signature: '() -> int',
    doc: 'The year.',
    examples: { '#2024-11-09#.year()': 2024 },
    run: (day: Day) => dateOf(day).year,
    typed: { date: (date: CivilDate) => date.year },
  },
  month: {
    signature: '() -> int',
    doc: 'The month, 1 to 12.',
    examples: { '#2024-11-09#.month()': 11 },
    run: (day: Day) => dateOf(day).month,
    typed: { date: (date: CivilDate) => date.month },
  },
  day: {
    signature: '() -> int',
    doc: 'The day of the month, 1 to 31.',
    examples: { '#2024-11-09#.day()': 9 },
    run: (day: Day) => dateOf(day).day,
    typed: { date: (date: CivilDate) => date.day },
  },
  hour: {
    signature: '() -> int?',
    doc: 'The hour, 0 to 23; null for a date.',
    examples: { "'2024-11-09T21:05:59'.to_datetime().hour()": 21, '#2024-11-09#.hour()': null },
    run: (day: Day) => (day instanceof CivilDateTime ? day.hour : null),
  },
  minute: {
    signature: '() -> int?',
    doc: 'The minute, 0 to 59; null for a date.',
    examples: { "'2024-11-09T21:05:59'.to_datetime().minute()": 5 },
    run: (day: Day) => (day instanceof CivilDateTime ? day.minute : null),
  },
  second: {
    signature: '() -> int?',
    doc: 'The second, 0 to 59, without its fraction; null for a date.',
    examples: { "'2024-11-09T21:05:59.9'.to_datetime().second()": 59 },
    run: (day: Day) => (day instanceof CivilDateTime ? day.second : null),
  },
  diff_days: {
    signature: '(other: date|date_time) -> int',
    doc: 'Calendar days from `other` to the receiver, times of day aside; negative when `other` is later.',
    examples: { '#2023-05-16#.diff_days(#2023-05-06#)': 10, '#2023-05-06#.diff_days(#2023-05-16#)': -10 },
    run: (day: Day, other: Day) => dateOf(day).days - dateOf(other).days,
  },
  diff_months: {
    signature: '(other: date|date_time) -> int',
    doc: 'Whole months from `other` to the receiver, as `add_months` counts them, times of day aside; negative when `other` is later.',
    examples: { '#2023-08-14#.diff_months(#2023-05-15#)': 2, '#2024-02-29#.diff_months(#2024-01-31#)': 1 },
    run: (day: Day, other: Day) => monthsBetween(dateOf(other), dateOf(day)),
  },
  diff_years: {
    signature: '(other: date|date_time) -> int',
    doc: 'Whole years from `other` to the receiver, times of day aside; negative when `other` is later.',
    examples: { '#2025-05-14#.diff_years(#2020-05-15#)': 4 },
    run: (day: Day, other: Day) => Math.trunc(monthsBetween(dateOf(other), dateOf(day)) / 12) + 0,
  },
  format_date: {
    signature: '(pattern: string) -> string',
    doc: 'The text a date pattern gives, with English names: see date patterns. A bad pattern, or one with a time for a date, is an error.',
    examples: {
      "#2023-09-03#.format_date('%d.%m.%Y')": '03.09.2023',
      "#2023-09-03#.format_date('%a, %e %B')": 'Sun,  3 September',
    },
    run: (day: Day, pattern: string) => withPattern(pattern, (compiled) => compiled.format(day)),
  },
}

/** Methods of dates that give a date. */
export const dateOnlyMethods: Readonly<Record<string, BuiltinEntry>> = shifts('date', '#2024-01-31#', '')

/** Methods of date-times that give a date-time. */
export const dateTimeMethods: Readonly<Record<string, BuiltinEntry>> = shifts(
  'date_time',
  "'2024-01-31T08:15:00'.to_datetime()",
  'T08:15:00',
)

/** `add_…` for one of the two kinds. */
function shifts(type: string, receiver: string, time: string): Record<string, BuiltinEntry> {
  const signature = `(count: int?) -> ${type}?`
  const keeps = time === '' ? '' : ' The time of day stays.'
  return {
    add_days: {
      signature,
      doc: `The day \`count\` days later, or earlier where it is negative; null counts as 0.${keeps} Null where there is no such date.`,
      examples: { [`${receiver}.add_days(30)`]: `2024-03-01${time}` },
      run: (day: Day, count: Int | undefined) => day.addDays(Number(count ?? 0)) ?? null,
    },
    add_months: {
      signature,
      doc: `The same day \`count\` months later, or the last of that month where it is shorter; null counts as 0.${keeps} Null where there is no such date.`,
      examples: { [`${receiver}.add_months(1)`]: `2024-02-29${time}` },
      run: (day: Day, count: Int | undefined) => day.addMonths(Number(count ?? 0)) ?? null,
    },
    add_years: {
      signature,
      doc: `The same day \`count\` years later, 28 February for a leap day where there is none; null counts as 0.${keeps} Null where there is no such date.`,
      examples: { [`${receiver}.add_years(-1)`]: `2023-01-31${time}` },
      run: (day: Day, count: Int | undefined) => day.addYears(Number(count ?? 0)) ?? null,
    },
  }
}

/** Uses a date pattern; a bad one, or one that does not fit the value, is an evaluation error that names it. */
export function withPattern<T>(pattern: string, use: (compiled: DatePattern) => T): T {
  try {
    return use(compileDatePattern(pattern))
  } catch (error) {
    if (error instanceof BadDatePattern) throw new Failure(error.message, { value: pattern })
    throw error
  }
}

function dateOf(day: Day): CivilDate {
  return day instanceof CivilDateTime ? day.date : day
}

function monthsBetween(from: CivilDate, to: CivilDate): number {
  if (from.compare(to) === 1) return 0 - monthsBetween(to, from)
  const months = (to.year - from.year) * 12 + to.month - from.month
  // The last month is complete when adding it to `from` does not pass `to`.
  return Math.min(from.day, daysInMonth(to.year, to.month)) > to.day ? months - 1 : months
}
