import { countCharacters, utf8Length } from '../../diagnostics/index.ts'
import { displayText } from '../../record/text.ts'
import type { Value } from '../../record/value.ts'
import { Failure } from '../failure.ts'
import { compileRegex, InvalidRegex, type Regex } from '../regex.ts'
import type { BuiltinEntry, Int } from './builtin.ts'

/** Methods of strings. Positions and lengths count characters (code points). */
export const stringMethods: Readonly<Record<string, BuiltinEntry>> = {
  upper: {
    signature: '() -> string',
    doc: 'Upper case, by the full Unicode mapping: one character may become two.',
    examples: { "'straße'.upper()": 'STRASSE', "'pier 9'.upper()": 'PIER 9' },
    run: (text: string) => text.toUpperCase(),
  },
  lower: {
    signature: '() -> string',
    doc: 'Lower case, by the full Unicode mapping; a capital sigma that ends a word becomes a final one.',
    examples: { "'Harbour'.lower()": 'harbour', "'ΟΔΟΣ'.lower()": 'οδος' },
    run: (text: string) => text.toLowerCase(),
  },
  trim: {
    signature: '() -> string',
    doc: 'Drops white space (the Unicode property) from both ends; a byte order mark is none.',
    examples: { "'  pier 9\\t'.trim()": 'pier 9' },
    run: (text: string) => trimmed(text, true, true),
  },
  trim_start: {
    signature: '() -> string',
    doc: 'Drops white space from the start.',
    examples: { "'  a '.trim_start()": 'a ' },
    run: (text: string) => trimmed(text, true, false),
  },
  trim_end: {
    signature: '() -> string',
    doc: 'Drops white space from the end.',
    examples: { "'  a '.trim_end()": '  a' },
    run: (text: string) => trimmed(text, false, true),
  },
  starts_with: {
    signature: '(prefix: string) -> bool',
    doc: 'Whether the text begins with `prefix`, which is plain text and may be empty.',
    examples: { "'Harbour'.starts_with('Har')": true, "'Harbour'.starts_with(null)": null },
    run: (text: string, prefix: string) => text.startsWith(prefix),
  },
  ends_with: {
    signature: '(suffix: string) -> bool',
    doc: 'Whether the text ends with `suffix`, which is plain text and may be empty.',
    examples: { "'a.csv'.ends_with('.csv')": true },
    run: (text: string, suffix: string) => text.endsWith(suffix),
  },
  contains: {
    signature: '(part: string) -> bool',
    doc: 'Whether `part` occurs in the text. Plain text: `find` takes a pattern.',
    examples: { "'a.c'.contains('.')": true, "'abc'.contains('.')": false },
    run: (text: string, part: string) => text.includes(part),
  },
  replace: {
    signature: '(find: string, with: string) -> string',
    doc: 'Replaces every occurrence of `find`, from the left, all of it plain text; an empty `find` puts `with` around every character.',
    examples: { "'1,234'.replace(',', '')": '1234', "'abc'.replace('', '-')": '-a-b-c-' },
    run: (text: string, find: string, replacement: string) => replaced(text, find, replacement),
  },
  substring: {
    signature: '(start: int?, length?: int) -> string',
    doc: 'The characters from `start` (0 is the first) on, `length` of them or all. A negative or null `start` is 0, a negative or null `length` takes the rest.',
    examples: { "'Harbour'.substring(3)": 'bour', "'Harbour'.substring(0, 3)": 'Har', "'abc'.substring(9)": '' },
    run: (text: string, start: Int | undefined, length: Int | undefined) => substring(text, start, length),
  },
  left: {
    signature: '(count: int) -> string?',
    doc: 'The first `count` characters, or all there are; a negative count gives null.',
    examples: { "'Harbour'.left(3)": 'Har', "'ab'.left(-1)": null },
    run: (text: string, count: Int) => (count < 0 ? null : text.slice(0, offsetAfter(text, 0, Number(count)))),
  },
  right: {
    signature: '(count: int) -> string?',
    doc: 'The last `count` characters, or all there are; a negative count gives null.',
    examples: { "'Harbour'.right(4)": 'bour', "'ab'.right(-1)": null },
    run: (text: string, count: Int) => (count < 0 ? null : text.slice(offsetBefore(text, Number(count)))),
  },
  pad_left: {
    signature: '(width: int, fill?: string) -> string?',
    doc: 'Pads on the left to `width` characters with the first character of `fill` (default: a space). A negative width gives null, a result over 10485760 bytes is an error.',
    examples: { "'7'.pad_left(3, '0')": '007', "'abc'.pad_left(2)": 'abc' },
    run: (text: string, width: Int, fill: string | undefined) => {
      const padding = paddingFor(text, width, fill)
      return padding === null ? null : padding + text
    },
  },
  pad_right: {
    signature: '(width: int, fill?: string) -> string?',
    doc: 'Pads on the right to `width` characters with the first character of `fill` (default: a space). A negative width gives null, a result over 10485760 bytes is an error.',
    examples: { "'ab'.pad_right(5, '.')": 'ab...' },
    run: (text: string, width: Int, fill: string | undefined) => {
      const padding = paddingFor(text, width, fill)
      return padding === null ? null : text + padding
    },
  },
  repeat: {
    signature: '(count: int) -> string?',
    doc: 'The text `count` times; a negative count gives null, a result over 10485760 bytes is an error.',
    examples: { "'ab'.repeat(3)": 'ababab', "'ab'.repeat(-1)": null },
    run: (text: string, count: Int) => {
      if (count < 0) return null
      checkSize(utf8Length(text) * Number(count))
      return text === '' ? '' : text.repeat(Number(count))
    },
  },
  reverse: {
    signature: '() -> string',
    doc: 'The characters in reverse order.',
    examples: { "'abc'.reverse()": 'cba' },
    run: (text: string) => [...text].reverse().join(''),
  },
  length: {
    signature: '() -> int',
    doc: 'How many characters the text has.',
    examples: { "'Zoë'.length()": 3, "''.length()": 0 },
    run: (text: string) => countCharacters(text),
  },
  split: {
    signature: '(separator: string) -> array',
    doc: 'The parts between the separators, which are plain text. An empty separator gives an empty text, every character, an empty text.',
    examples: { "'a,b,,c'.split(',')": ['a', 'b', '', 'c'], "'ab'.split('')": ['', 'a', 'b', ''] },
    run: (text: string, separator: string) => (separator === '' ? ['', ...text, ''] : text.split(separator)),
  },
  join: {
    signature: '(separator: string) -> string?',
    doc: 'Null: a text has no elements to join.',
    examples: { "'abc'.join(',')": null },
    run: () => null,
  },
  concat: {
    signature: '(...parts: text) -> string',
    doc: 'The text with all `parts` behind it; nulls are skipped, untyped values are turned into text.',
    examples: { "'a'.concat('b', null, 'c')": 'abc' },
    run: (text: string, ...parts: Value[]) => {
      let result = text
      for (const part of parts) if (part !== null) result += typeof part === 'string' ? part : displayText(part)
      return result
    },
  },
  matches: {
    signature: '(pattern: pattern) -> bool',
    doc: 'Whether the pattern matches the whole text. A bad pattern is an error.',
    examples: { "'AB-12'.matches('[A-Z]{2}-\\d{2}')": true, "'AB-12'.matches('\\d')": false },
    run: (text: string, pattern: string) => regex(pattern).matches(text),
  },
  find: {
    signature: '(pattern: pattern) -> bool',
    doc: 'Whether the pattern matches anywhere in the text. A bad pattern is an error.',
    examples: { "'AB-12'.find('\\d')": true, "'AB'.find('\\d')": false },
    run: (text: string, pattern: string) => regex(pattern).find(text),
  },
  capture: {
    signature: '(pattern: pattern, group?: int) -> string?',
    doc: 'What a group of the pattern took at the first match; group 0 (default) is all of it. Null without a match, or where the group took no part.',
    examples: {
      "'a1-22'.capture('\\d+')": '1',
      "'a1-22'.capture('(\\d+)-(\\d+)', 2)": '22',
      "'a'.capture('\\d')": null,
    },
    run: (text: string, pattern: string, group: Int | undefined) => {
      return regex(pattern).capture(text, group === undefined || group < 0 ? 0 : Number(group))
    },
  },
}

/** The one free function of row expressions: like the method, but no argument is special. */
export const concatFunction: BuiltinEntry = {
  signature: '(...parts: text) -> string?',
  doc: 'All `parts` in one text; nulls are skipped wherever they stand, untyped values are turned into text. Null when all are null.',
  examples: { "concat(null, 'a', 'b')": 'ab', 'concat(null)': null },
  run: (...parts: Value[]) => {
    let result: string | null = null
    for (const part of parts) {
      if (part !== null) result = (result ?? '') + (typeof part === 'string' ? part : displayText(part))
    }
    return result
  },
}

const largestResult = 10_485_760

/** A compiled pattern; a bad one is an evaluation error. */
function regex(pattern: string): Regex {
  try {
    return compileRegex(pattern)
  } catch (error) {
    if (error instanceof InvalidRegex) throw new Failure(error.message, { value: pattern })
    throw error
  }
}

function trimmed(text: string, start: boolean, end: boolean): string {
  let from = 0
  let to = text.length
  if (start) while (from < to && isWhiteSpace(text.charCodeAt(from))) from++
  if (end) while (to > from && isWhiteSpace(text.charCodeAt(to - 1))) to--
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

/** The Unicode property White_Space; `String.prototype.trim` lacks U+0085 and takes U+FEFF. */
function isWhiteSpace(code: number): boolean {
  if (code < 0x85) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  if (code < 0x1680) return code === 0x85 || code === 0xa0
  if (code >= 0x2000 && code <= 0x200a) return true
  return code === 0x1680 || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f || code === 0x3000
}

function replaced(text: string, find: string, replacement: string): string {
  if (find === '') return replacement + [...text].map((character) => character + replacement).join('')
  // As a function, `$&` and its like stay plain text.
  return text.replaceAll(find, () => replacement)
}

function substring(text: string, start: Int | undefined, length: Int | undefined): string {
  const from = start === undefined || start < 0 ? 0 : offsetAfter(text, 0, Number(start))
  if (length === undefined || length < 0) return text.slice(from)
  return text.slice(from, offsetAfter(text, from, Number(length)))
}

/** The place of the character `count` characters behind the one at `from`; at most the end. */
function offsetAfter(text: string, from: number, count: number): number {
  let offset = from
  for (let left = count; left > 0 && offset < text.length; left--) {
    const pair = isHigh(text.charCodeAt(offset)) && isLow(text.charCodeAt(offset + 1))
    offset += pair ? 2 : 1
  }
  return offset
}

/** The place of the character `count` characters before the end; at least the start. */
function offsetBefore(text: string, count: number): number {
  let offset = text.length
  for (let left = count; left > 0 && offset > 0; left--) {
    const pair = isLow(text.charCodeAt(offset - 1)) && isHigh(text.charCodeAt(offset - 2))
    offset -= pair ? 2 : 1
  }
  return offset
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function paddingFor(text: string, width: Int, fill: string | undefined): string | null {
  if (width < 0) return null
  const missing = Number(width) - countCharacters(text)
  if (missing <= 0) return ''
  const character = fill ? String.fromCodePoint(fill.codePointAt(0) as number) : ' '
  checkSize(utf8Length(text) + utf8Length(character) * missing)
  return character.repeat(missing)
}

function checkSize(bytes: number): void {
  if (bytes > largestResult) throw new Failure(`the text would have more than ${largestResult} bytes`)
}
