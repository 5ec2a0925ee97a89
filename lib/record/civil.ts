/** Dates lie between these years; what would fall outside is no date (spec/2, add_days). */
export const maxYear = 262_142
export const minYear: number = -262_142

/** A calendar date without a zone (proleptic Gregorian). Immutable. */
export class CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number

  private constructor(year: number, month: number, day: number) {
    this.year = year
    this.month = month
    this.day = day
  }

  /** Undefined when the calendar has no such day. */
  static of(year: number, month: number, day: number): CivilDate | undefined {
    if (!(month >= 1 && month <= 12 && day >= 1 && year >= minYear && year <= maxYear)) return undefined
    if (day > 28 && day > daysInMonth(year, month)) return undefined
    return new CivilDate(year, month, day)
  }

  /** Reads what {@link CivilDate.toString} writes and nothing else: `2024-02-29`, `+12024-02-29`. */
  static parse(text: string): CivilDate | undefined {
    const match = /^(\d{4}|-\d{4,6}|\+\d{5,6})-(\d\d)-(\d\d)$/.exec(text)
    if (!match) return undefined
    const date = CivilDate.of(Number(match[1]), Number(match[2]), Number(match[3]))
    return date && date.toString() === text ? date : undefined
  }

  /** The date so many days after 1970-01-01. Throws a RangeError outside the calendar. */
  static fromDays(days: number): CivilDate {
    const date = dateOfDays(days)
    if (!date) throw new RangeError(`no date lies ${days} days from 1970-01-01`)
    return date
  }

  /** @internal */
  static trusted(year: number, month: number, day: number): CivilDate {
    return new CivilDate(year, month, day)
  }

  /** Days since 1970-01-01. */
  get days(): number {
    // Counted in years that begin in March, so that the leap day is the last one.
    const shifted = this.month > 2 ? this.year : this.year - 1
    const month = this.month > 2 ? this.month - 3 : this.month + 9
    return (
      shifted * 365 +
      Math.floor(shifted / 4) -
      Math.floor(shifted / 100) +
      Math.floor(shifted / 400) +
      Math.floor((153 * month + 2) / 5) +
      this.day -
      719_469
    )
  }

  /** 0 is Sunday. */
  get weekday(): number {
    return (((this.days + 4) % 7) + 7) % 7
  }

  /** 1 to 366. */
  get dayOfYear(): number {
    return this.days - CivilDate.trusted(this.year, 1, 1).days + 1
  }

  /** The ISO week and the year it belongs to. */
  get isoWeek(): { year: number; week: number } {
    // A week belongs to the year of its Thursday, which may lie in a year that has no dates of its own.
    const thursday = this.days - ((this.weekday + 6) % 7) + 3
    const { year } = fieldsOfDays(thursday)
    return { year, week: Math.floor((thursday - CivilDate.trusted(year, 1, 1).days) / 7) + 1 }
  }

  compare(other: CivilDate): -1 | 0 | 1 {
    const difference = this.year - other.year || this.month - other.month || this.day - other.day
    return difference < 0 ? -1 : difference > 0 ? 1 : 0
  }

  equals(other: CivilDate): boolean {
    return this.day === other.day && this.month === other.month && this.year === other.year
  }

  addDays(days: number): CivilDate | undefined {
    return dateOfDays(this.days + days)
  }

  /** The same day so many months later, or the last day of that month when it is shorter. */
  addMonths(months: number): CivilDate | undefined {
    const all = this.year * 12 + (this.month - 1) + months
    const year = Math.floor(all / 12)
    const month = all - year * 12 + 1
    if (!(year >= minYear && year <= maxYear)) return undefined
    return new CivilDate(year, month, Math.min(this.day, daysInMonth(year, month)))
  }

  addYears(years: number): CivilDate | undefined {
    return this.addMonths(years * 12)
  }

  /** `2024-02-29`; a year beyond four digits has its sign: `+12024-02-29`, `-0044-03-15`. */
  toString(): string {
    return yearText(this.year) + monthDays[this.month * 32 + this.day]
  }

  toJSON(): string {
    return this.toString()
  }
}

/** A date and a time of day without a zone, to the nanosecond. Immutable. */
export class CivilDateTime {
  readonly date: CivilDate
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 to 999 999 999. */
  readonly nanosecond: number

  private constructor(date: CivilDate, hour: number, minute: number, second: number, nanosecond: number) {
    this.date = date
    this.hour = hour
    this.minute = minute
    this.second = second
    this.nanosecond = nanosecond
  }

  /** Undefined when there is no such time of day; 24:00 and leap seconds are none. */
  static of(date: CivilDate, hour: number, minute: number, second: number, nanosecond = 0): CivilDateTime | undefined {
    const valid =
      hour >= 0 &&
      hour < 24 &&
      minute >= 0 &&
      minute < 60 &&
      second >= 0 &&
      second < 60 &&
      nanosecond >= 0 &&
      nanosecond < 1e9
    return valid ? new CivilDateTime(date, hour, minute, second, nanosecond) : undefined
  }

  /** The time so many seconds after 1970-01-01T00:00:00. Throws a RangeError outside the calendar. */
  static fromEpoch(seconds: number, nanosecond = 0): CivilDateTime {
    const days = Math.floor(seconds / 86_400)
    return atSecond(CivilDate.fromDays(days), seconds - days * 86_400, nanosecond)
  }

  /** The UTC time of a JavaScript date; undefined for an invalid one. */
  static fromDate(date: Date): CivilDateTime | undefined {
    const time = date.getTime()
    if (Number.isNaN(time)) return undefined
    const seconds = Math.floor(time / 1000)
    return CivilDateTime.fromEpoch(seconds, (time - seconds * 1000) * 1_000_000)
  }

  /** Reads what {@link CivilDateTime.toString} writes and nothing else. */
  static parse(text: string): CivilDateTime | undefined {
    const match = /^(.+)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}|\d{6}|\d{9}))?$/.exec(text)
    const date = match && CivilDate.parse(match[1] as string)
    if (!date) return undefined
    const nanosecond = Number((match[5] ?? '').padEnd(9, '0'))
    const time = CivilDateTime.of(date, Number(match[2]), Number(match[3]), Number(match[4]), nanosecond)
    return time && time.toString() === text ? time : undefined
  }

  /** Whole seconds since 1970-01-01T00:00:00. */
  get epochSeconds(): number {
    return this.date.days * 86_400 + this.hour * 3600 + this.minute * 60 + this.second
  }

  compare(other: CivilDateTime): -1 | 0 | 1 {
    const dates = this.date.compare(other.date)
    if (dates !== 0) return dates
    const difference =
      this.hour - other.hour ||
      this.minute - other.minute ||
      this.second - other.second ||
      this.nanosecond - other.nanosecond
    return difference < 0 ? -1 : difference > 0 ? 1 : 0
  }

  equals(other: CivilDateTime): boolean {
    return this.compare(other) === 0
  }

  addDays(days: number): CivilDateTime | undefined {
    return this.#on(this.date.addDays(days))
  }

  /** As {@link CivilDate.addMonths}; the time of day stays. */
  addMonths(months: number): CivilDateTime | undefined {
    return this.#on(this.date.addMonths(months))
  }

  addYears(years: number): CivilDateTime | undefined {
    return this.#on(this.date.addYears(years))
  }

  /** `HH:MM:SS`, with a fraction of 3, 6 or 9 digits when there is one. */
  get timeText(): string {
    const text = `${twoDigits[this.hour]}:${twoDigits[this.minute]}:${twoDigits[this.second]}`
    return this.nanosecond === 0 ? text : `${text}.${fractionText(this.nanosecond)}`
  }

  /** `2024-07-05T08:09:10`, `2024-07-05T08:09:10.120`. */
  toString(): string {
    return `${this.date.toString()}T${this.timeText}`
  }

  toJSON(): string {
    return this.toString()
  }

  #on(date: CivilDate | undefined): CivilDateTime | undefined {
    return date && new CivilDateTime(date, this.hour, this.minute, this.second, this.nanosecond)
  }
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const twoDigits = Array.from({ length: 60 }, (_, number) => `${number}`.padStart(2, '0'))

/** `-02-29` at 2 * 32 + 29: one lookup where two numbers would have to be padded and joined. Benchmark: `npm run bench -- copy`. */
const monthDays = Array.from({ length: 13 * 32 }, (_, at) => {
  return `-${`${at >> 5}`.padStart(2, '0')}-${`${at & 31}`.padStart(2, '0')}`
})

function yearText(year: number): string {
  if (year >= 1000 && year <= 9999) return `${year}`
  const digits = `${Math.abs(year)}`.padStart(4, '0')
  return year < 0 ? `-${digits}` : year > 9999 ? `+${digits}` : digits
}

/** Milliseconds when they suffice, else microseconds, else all nine digits. */
function fractionText(nanosecond: number): string {
  const digits = `${nanosecond}`.padStart(9, '0')
  return digits.endsWith('000000') ? digits.slice(0, 3) : digits.endsWith('000') ? digits.slice(0, 6) : digits
}

function atSecond(date: CivilDate, second: number, nanosecond: number): CivilDateTime {
  const hour = Math.floor(second / 3600)
  const minute = Math.floor((second - hour * 3600) / 60)
  return CivilDateTime.of(date, hour, minute, second - hour * 3600 - minute * 60, nanosecond) as CivilDateTime
}

function dateOfDays(days: number): CivilDate | undefined {
  if (!Number.isSafeInteger(days)) return undefined
  const { year, month, day } = fieldsOfDays(days)
  return year >= minYear && year <= maxYear ? CivilDate.trusted(year, month, day) : undefined
}

function fieldsOfDays(days: number): { year: number; month: number; day: number } {
  // Eras of 400 years that begin on a first of March.
  const fromEra = days + 719_468
  const era = Math.floor(fromEra / 146_097)
  const dayOfEra = fromEra - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  }
}
