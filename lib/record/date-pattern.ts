/**
 * Date patterns (spec/2, date patterns): `%d.%m.%Y %H:%M`. A pattern is read once into items, each of which writes its part of a text
 * and reads it back:
 *
 *     %d    .   %m    .   %Y          pattern
 *     05    .   04    .   2023        text
 *     day       month     year        fields
 *
 * Reading collects fields, then looks for a date (and a time) they determine, then checks that every field agrees with it, so that a
 * wrong weekday is as bad as a thirteenth month.
 */
import { CivilDate, CivilDateTime } from './civil.ts'

/** A pattern in use. Make one with {@link compileDatePattern}. */
export interface DatePattern {
  readonly pattern: string
  /** Whether it writes or reads a time of day, which a date has not. */
  readonly needsTime: boolean
  /** The text of a date or date-time. Throws {@link BadDatePattern} for a date where the pattern {@link needsTime}. */
  format(value: CivilDate | CivilDateTime): string
  /** The date in a text, a time beside it aside. Undefined when the text does not fit, or tells no date. */
  readDate(text: string): CivilDate | undefined
  /** The date-time in a text. Undefined when the text does not fit, or tells no date or no time. */
  readDateTime(text: string): CivilDateTime | undefined
}

/** A pattern that is none, or is used for a value it does not fit. */
export class BadDatePattern extends Error {
  override readonly name: string = 'BadDatePattern'
}

/**
 * Reads a pattern; the same text gives the same object. Throws {@link BadDatePattern}, naming the pattern.
 * @example compileDatePattern('%d.%m.%Y').readDate('5.4.2023')?.toString() // '2023-04-05'
 */
export function compileDatePattern(pattern: string): DatePattern {
  let compiled = cache.get(pattern)
  if (!compiled) {
    compiled = new Compiled(pattern)
    // Patterns may be computed from data; they shall not pile up.
    if (cache.size >= largestCache) cache.clear()
    cache.set(pattern, compiled)
  }
  return compiled
}

const cache = new Map<string, DatePattern>()
const largestCache = 256

/** What a text told. Absent: the pattern does not speak of it. */
class Fields {
  year: number | undefined
  century: number | undefined
  yearOfCentury: number | undefined
  quarter: number | undefined
  month: number | undefined
  day: number | undefined
  dayOfYear: number | undefined
  /** 0 is Sunday. */
  weekday: number | undefined
  sundayWeek: number | undefined
  mondayWeek: number | undefined
  isoYear: number | undefined
  isoYearOfCentury: number | undefined
  isoWeek: number | undefined
  hour: number | undefined
  /** 0 to 11. */
  hourOfHalf: number | undefined
  /** 0 in the morning, 1 in the afternoon. */
  half: number | undefined
  minute: number | undefined
  second: number | undefined
  nanosecond: number | undefined
  epoch: number | undefined
}

type Field = keyof Fields

interface Item {
  write(date: CivilDate, time: CivilDateTime | undefined): string
  /** Reads at `at`; the place behind what was read, or -1. */
  read(text: string, at: number, fields: Fields): number
}

class Compiled implements DatePattern {
  readonly pattern: string
  readonly needsTime: boolean
  readonly #items: readonly Item[]

  constructor(pattern: string) {
    this.pattern = pattern
    const letters = new Set<string>()
    this.#items = parseItems(pattern, pattern, letters)
    this.needsTime = [...letters].some((letter) => timeLetters.has(letter))
  }

  format(value: CivilDate | CivilDateTime): string {
    const time = value instanceof CivilDateTime ? value : undefined
    if (this.needsTime && !time) {
      throw new BadDatePattern(`the date pattern '${this.pattern}' has a time of day, and a date has none`)
    }
    const date = time ? time.date : (value as CivilDate)
    let text = ''
    for (const item of this.#items) text += item.write(date, time)
    return text
  }

  readDate(text: string): CivilDate | undefined {
    const fields = this.#read(text)
    return fields && dateIn(fields)
  }

  readDateTime(text: string): CivilDateTime | undefined {
    const fields = this.#read(text)
    if (!fields) return undefined
    if (fields.epoch !== undefined) return atEpoch(fields)
    const date = dateIn(fields)
    return date && timeIn(fields, date)
  }

  #read(text: string): Fields | undefined {
    const fields = new Fields()
    let at = 0
    for (const item of this.#items) {
      at = item.read(text, at, fields)
      if (at < 0) return undefined
    }
    return at === text.length ? fields : undefined
  }
}

/** Letters whose directive tells a time of day. */
const timeLetters = new Set('HkIlPpMSfs')

/** Directives that stand for several. */
const shorthands: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  F: '%Y-%m-%d',
  v: '%e-%b-%Y',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
}

/** Characters that a directive writes for itself. */
const characters: Readonly<Record<string, string>> = { '%': '%', t: '\t', n: '\n' }

/** `whole` is the pattern for messages, where `pattern` is the text behind a shorthand; `letters` collects what is used. */
function parseItems(pattern: string, whole: string, letters: Set<string>): Item[] {
  const items: Item[] = []
  const directive = /%(?:(\.[369]?|[369])f|([-_0]?)(.?))/suy
  let at = 0
  while (at < pattern.length) {
    if (pattern[at] !== '%') {
      const end = pattern.indexOf('%', at)
      const text = pattern.slice(at, end < 0 ? undefined : end)
      items.push(literal(text))
      at += text.length
      continue
    }
    directive.lastIndex = at
    const [all = '', fraction, padding = '', letter = ''] = directive.exec(pattern) ?? []
    at += all.length
    if (fraction !== undefined) {
      letters.add('f')
      items.push(fraction.startsWith('.') ? dottedFraction(Number(fraction.slice(1))) : fixedFraction(Number(fraction)))
      continue
    }
    const shorthand = own(shorthands, letter)
    const character = own(characters, letter)
    const number = own(numbers, letter)
    const name = own(names, letter)
    if (number) items.push(numeric(number, (padding || number.padding || '0') as Padding))
    else if (padding === '' && shorthand !== undefined) items.push(...parseItems(shorthand, whole, letters))
    else if (padding === '' && character !== undefined) items.push(literal(character))
    else if (padding === '' && name) items.push(name)
    else throw new BadDatePattern(`bad date pattern '${whole}': ${letter === '' ? 'it ends in' : 'there is no'} ${all}`)
    letters.add(letter)
  }
  return items
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

function literal(text: string): Item {
  return {
    write: () => text,
    read: (given, at) => (given.startsWith(text, at) ? at + text.length : -1),
  }
}

/** What fills a number up to its width: zeros, spaces, or nothing. */
type Padding = '0' | '_' | '-'

interface NumberDirective {
  readonly width: number
  /** Default: zeros. */
  readonly padding?: Padding
  readonly field: Field
  readonly least: number
  readonly most: number
  readonly value: (date: CivilDate, time: CivilDateTime) => number
  /** What the field is for a number read; default: that number. */
  readonly toField?: (read: number) => number
  /** A year: signed beyond four digits. */
  readonly signed?: true
}

const numbers: Readonly<Record<string, NumberDirective>> = {
  Y: { width: 4, field: 'year', least: -999_999, most: 999_999, signed: true, value: (date) => date.year },
  C: { width: 2, field: 'century', least: 0, most: 99, value: (date) => Math.floor(date.year / 100) },
  y: { width: 2, field: 'yearOfCentury', least: 0, most: 99, value: (date) => modulo(date.year, 100) },
  q: { width: 1, field: 'quarter', least: 1, most: 4, value: (date) => Math.ceil(date.month / 3) },
  m: { width: 2, field: 'month', least: 1, most: 12, value: (date) => date.month },
  d: { width: 2, field: 'day', least: 1, most: 31, value: (date) => date.day },
  e: { width: 2, padding: '_', field: 'day', least: 1, most: 31, value: (date) => date.day },
  w: { width: 1, field: 'weekday', least: 0, most: 6, value: (date) => date.weekday },
  u: {
    width: 1,
    field: 'weekday',
    least: 1,
    most: 7,
    value: (date) => date.weekday || 7,
    toField: (read) => read % 7,
  },
  U: { width: 2, field: 'sundayWeek', least: 0, most: 53, value: sundayWeek },
  W: { width: 2, field: 'mondayWeek', least: 0, most: 53, value: mondayWeek },
  G: { width: 4, field: 'isoYear', least: -999_999, most: 999_999, signed: true, value: (date) => date.isoWeek.year },
  g: { width: 2, field: 'isoYearOfCentury', least: 0, most: 99, value: (date) => modulo(date.isoWeek.year, 100) },
  V: { width: 2, field: 'isoWeek', least: 1, most: 53, value: (date) => date.isoWeek.week },
  j: { width: 3, field: 'dayOfYear', least: 1, most: 366, value: (date) => date.dayOfYear },
  H: { width: 2, field: 'hour', least: 0, most: 23, value: (_, time) => time.hour },
  k: { width: 2, padding: '_', field: 'hour', least: 0, most: 23, value: (_, time) => time.hour },
  I: { width: 2, field: 'hourOfHalf', least: 1, most: 12, value: hour12, toField: (read) => read % 12 },
  l: { width: 2, padding: '_', field: 'hourOfHalf', least: 1, most: 12, value: hour12, toField: (read) => read % 12 },
  M: { width: 2, field: 'minute', least: 0, most: 59, value: (_, time) => time.minute },
  S: { width: 2, field: 'second', least: 0, most: 59, value: (_, time) => time.second },
  f: { width: 9, field: 'nanosecond', least: 0, most: 999_999_999, value: (_, time) => time.nanosecond },
  s: { width: 1, field: 'epoch', least: -1e14, most: 1e14, signed: true, value: (_, time) => time.epochSeconds },
}

/** A number: padded when written; when read, padded or shorter. */
function numeric(directive: NumberDirective, padding: Padding): Item {
  const { width, field, least, most, signed, value } = directive
  const { toField } = directive
  const isYear = signed === true && width > 1
  const fill = padding === '-' ? '' : padding === '_' ? ' ' : '0'
  return {
    write: (date, time) => {
      const number = value(date, time as CivilDateTime)
      if (isYear && (number < 0 || number > 9999)) return signedYear(number, fill)
      const digits = `${number}`
      return fill === '' ? digits : digits.padStart(width, fill)
    },
    read: (text, at, fields) => {
      let from = at
      let room = width
      let negative = false
      const first = text.charCodeAt(at)
      if (signed && (first === 45 /* - */ || first === 43) /* + */) {
        negative = first === 45
        room = longestSigned
        from++
      } else if (signed && !isYear) room = longestSigned
      else {
        while (room > 1 && text.charCodeAt(from) === 32) {
          from++
          room--
        }
      }
      let number = 0
      let end = from
      for (; end < text.length && end - from < room; end++) {
        const digit = text.charCodeAt(end) - 48
        if (digit < 0 || digit > 9) break
        number = number * 10 + digit
      }
      if (end === from) return -1
      if (negative) number = 0 - number
      if (number < least || number > most) return -1
      return put(fields, field, toField ? toField(number) : number) ? end : -1
    },
  }
}

/** Digits a signed number may have: all are safe integers. */
const longestSigned = 15

/** A year beyond four digits, or before the year 0, with its sign. */
function signedYear(year: number, fill: string): string {
  const digits = `${Math.abs(year)}`
  const sign = year < 0 ? '-' : '+'
  return fill === '0' ? sign + digits.padStart(4, '0') : `${sign}${digits}`.padStart(fill === '' ? 0 : 5, ' ')
}

const months = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const halves = ['AM', 'PM']

const short = (name: string): string => name.slice(0, 3)

const names: Readonly<Record<string, Item>> = {
  b: named('month', 1, months.map(short), [], (date) => date.month),
  h: named('month', 1, months.map(short), [], (date) => date.month),
  B: named('month', 1, months, months.map(short), (date) => date.month),
  a: named('weekday', 0, weekdays.map(short), [], (date) => date.weekday),
  A: named('weekday', 0, weekdays, weekdays.map(short), (date) => date.weekday),
  p: named('half', 0, halves, [], (_, time) => (time.hour < 12 ? 0 : 1)),
  P: named('half', 0, ['am', 'pm'], [], (_, time) => (time.hour < 12 ? 0 : 1)),
}

/** A name: the first of `written` stands for `first`. Reads those and `others`, in any case. */
function named(
  field: Field,
  first: number,
  written: readonly string[],
  others: readonly string[],
  value: (date: CivilDate, time: CivilDateTime) => number,
): Item {
  const known = [written, others].flatMap((list) => list.map((name, index) => [name.toLowerCase(), index] as const))
  const longest = Math.max(...known.map(([name]) => name.length))
  return {
    write: (date, time) => written[value(date, time as CivilDateTime) - first] as string,
    read: (text, at, fields) => {
      const rest = text.slice(at, at + longest).toLowerCase()
      const found = known.find(([name]) => rest.startsWith(name))
      return found && put(fields, field, found[1] + first) ? at + found[0].length : -1
    },
  }
}

/** `%.f` (as many digits as it takes of 3, 6, 9), `%.3f`: a point and the fraction. Reads any number of digits, or nothing. */
function dottedFraction(places: number): Item {
  return {
    write: (_, time) => {
      const digits = nineDigits(time as CivilDateTime)
      if (places > 0) return `.${digits.slice(0, places)}`
      const shortened = digits.replace(/(?:000){1,3}$/, '')
      return shortened === '' ? '' : `.${shortened}`
    },
    read: (text, at, fields) => {
      if (text[at] !== '.') return at
      let end = at + 1
      while (isDigit(text.charCodeAt(end))) end++
      if (end === at + 1) return -1
      return put(fields, 'nanosecond', fractionIn(text.slice(at + 1, end))) ? end : -1
    },
  }
}

/** `%3f`: so many digits of the fraction, without a point. */
function fixedFraction(places: number): Item {
  return {
    write: (_, time) => nineDigits(time as CivilDateTime).slice(0, places),
    read: (text, at, fields) => {
      let end = at
      while (end < at + places && isDigit(text.charCodeAt(end))) end++
      return end === at + places && put(fields, 'nanosecond', fractionIn(text.slice(at, end))) ? end : -1
    },
  }
}

function nineDigits(time: CivilDateTime): string {
  return `${time.nanosecond}`.padStart(9, '0')
}

/** Nanoseconds of the digits behind a point; digits beyond the ninth are dropped. */
function fractionIn(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, '0'))
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** Notes a field; false when the text has told another value before. */
function put(fields: Fields, field: Field, value: number): boolean {
  if (fields[field] !== undefined) return fields[field] === value
  fields[field] = value
  return true
}

function dateIn(fields: Fields): CivilDate | undefined {
  if (fields.epoch !== undefined) return atEpoch(fields)?.date
  const date = dateCandidate(fields)
  return date && agrees(fields, date) ? date : undefined
}

/** The date that the first sufficient set of fields tells. */
function dateCandidate(fields: Fields): CivilDate | undefined {
  const { month, day, dayOfYear, weekday, sundayWeek, mondayWeek, isoWeek } = fields
  const year = yearIn(fields.year, fields.century, fields.yearOfCentury)
  if (year !== undefined) {
    if (month !== undefined && day !== undefined) return CivilDate.of(year, month, day)
    if (dayOfYear !== undefined) return inYear(year, dayOfYear)
    if (weekday !== undefined) {
      const first = CivilDate.of(year, 1, 1)
      if (!first) return undefined
      if (sundayWeek !== undefined) return inYear(year, weekDay(sundayWeek, weekday, first.weekday))
      if (mondayWeek !== undefined) return inYear(year, weekDay(mondayWeek, (weekday + 6) % 7, (first.weekday + 6) % 7))
    }
  }
  const isoYear = yearIn(fields.isoYear, undefined, fields.isoYearOfCentury)
  if (isoYear === undefined || isoWeek === undefined || weekday === undefined) return undefined
  // 4 January lies in week 1.
  const fourth = CivilDate.of(isoYear, 1, 4)
  return fourth?.addDays((isoWeek - 1) * 7 + ((weekday + 6) % 7) - ((fourth.weekday + 6) % 7))
}

function yearIn(year: number | undefined, century: number | undefined, rest: number | undefined): number | undefined {
  if (year !== undefined || rest === undefined) return year
  if (century !== undefined) return century * 100 + rest
  return rest + (rest < 70 ? 2000 : 1900)
}

/** The day of the year (from 1) of a day of week `week`; days are counted from the day that begins a week. */
function weekDay(week: number, day: number, first: number): number {
  return week * 7 + day - ((first + 6) % 7)
}

function inYear(year: number, dayOfYear: number): CivilDate | undefined {
  const date = CivilDate.of(year, 1, 1)?.addDays(dayOfYear - 1)
  return date?.year === year ? date : undefined
}

/** Whether every field the text told is that of `date`. */
function agrees(fields: Fields, date: CivilDate): boolean {
  const { isoYear, isoYearOfCentury, isoWeek } = fields
  if (!same(fields.year, date.year) || !same(fields.month, date.month) || !same(fields.day, date.day)) return false
  if (!same(fields.century, Math.floor(date.year / 100)) || !same(fields.yearOfCentury, modulo(date.year, 100)))
    return false
  if (!same(fields.quarter, Math.ceil(date.month / 3))) return false
  if (fields.weekday !== undefined && fields.weekday !== date.weekday) return false
  if (fields.dayOfYear !== undefined && fields.dayOfYear !== date.dayOfYear) return false
  if (fields.sundayWeek !== undefined && fields.sundayWeek !== sundayWeek(date)) return false
  if (fields.mondayWeek !== undefined && fields.mondayWeek !== mondayWeek(date)) return false
  if (isoYear === undefined && isoYearOfCentury === undefined && isoWeek === undefined) return true
  const iso = date.isoWeek
  return same(isoYear, iso.year) && same(isoYearOfCentury, modulo(iso.year, 100)) && same(isoWeek, iso.week)
}

function same(told: number | undefined, value: number): boolean {
  return told === undefined || told === value
}

/** The time of day the fields tell, on `date`; seconds may be missing, hour and minute may not. */
function timeIn(fields: Fields, date: CivilDate): CivilDateTime | undefined {
  const { hour, hourOfHalf, half, minute, second, nanosecond } = fields
  const told = hour ?? (hourOfHalf === undefined || half === undefined ? undefined : half * 12 + hourOfHalf)
  if (told === undefined || minute === undefined) return undefined
  if (!same(hourOfHalf, told % 12) || !same(half, told < 12 ? 0 : 1)) return undefined
  if (second === undefined && nanosecond !== undefined) return undefined
  return CivilDateTime.of(date, told, minute, second ?? 0, nanosecond ?? 0)
}

/** The time of an epoch second, where all other fields agree with it. */
function atEpoch(fields: Fields): CivilDateTime | undefined {
  const { epoch = 0, nanosecond = 0 } = fields
  const date = CivilDate.of(1970, 1, 1)?.addDays(Math.floor(epoch / 86_400))
  if (!date || !agrees(fields, date)) return undefined
  const time = CivilDateTime.fromEpoch(epoch, nanosecond)
  const { hour, minute, second } = time
  const agree =
    same(fields.hour, hour) &&
    same(fields.hourOfHalf, hour % 12) &&
    same(fields.half, hour < 12 ? 0 : 1) &&
    same(fields.minute, minute) &&
    same(fields.second, second)
  return agree ? time : undefined
}

function hour12(_: CivilDate, time: CivilDateTime): number {
  return time.hour % 12 || 12
}

/** Weeks begin on Sunday; days before the first Sunday are week 0. */
function sundayWeek(date: CivilDate): number {
  return Math.floor((date.dayOfYear + 6 - date.weekday) / 7)
}

/** Weeks begin on Monday; days before the first Monday are week 0. */
function mondayWeek(date: CivilDate): number {
  return Math.floor((date.dayOfYear + 6 - ((date.weekday + 6) % 7)) / 7)
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
