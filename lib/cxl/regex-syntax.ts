/**
 * Reads the regular expressions of the language (spec/2, patterns) into a tree, with all flags applied: what is left are sets of
 * characters, positions, sequences, alternatives, repeats and groups. The tree is written out for either engine, see
 * {@link compileRegex}; neither sees what the user wrote, so both understand it alike.
 */

export type Pattern =
  | {
      readonly kind: 'set'
      readonly set: CharacterSet /** Upper and lower case count as the same. */
      readonly fold: boolean
    }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | {
      readonly kind: 'repeat'
      readonly body: Pattern
      readonly least: number
      /** Infinity where there is no limit. */
      readonly most: number
      readonly greedy: boolean
    }
  | { readonly kind: 'group'; readonly body: Pattern }
  | { readonly kind: 'position'; readonly position: Position }

/** Where a pattern can stand without taking a character. Lines end at line feeds only. */
export type Position = 'start' | 'end' | 'line_start' | 'line_end' | 'word_boundary' | 'no_word_boundary'

/** Characters of any of the items, or all others. */
export interface CharacterSet {
  readonly negated: boolean
  readonly items: readonly SetItem[]
}

export type SetItem =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'class'; readonly name: 'digit' | 'word' | 'space'; readonly negated: boolean }
  /** A Unicode property by the name JavaScript has for it, and the name as it was written. */
  | { readonly kind: 'property'; readonly name: string; readonly written: string; readonly negated: boolean }

/** What is wrong with a pattern; the message names the pattern. */
export class InvalidRegex extends Error {
  override readonly name: string = 'InvalidRegex'
}

/** A pattern as a tree, with the number of its groups. Throws {@link InvalidRegex}. */
export function parseRegex(pattern: string): { readonly tree: Pattern; readonly groups: number } {
  return new RegexParser(pattern).parse()
}

interface Flags {
  fold: boolean
  multiLine: boolean
  dotAll: boolean
  freeSpacing: boolean
  swapGreed: boolean
}

const flagOfLetter: Readonly<Record<string, keyof Flags>> = {
  i: 'fold',
  m: 'multiLine',
  s: 'dotAll',
  x: 'freeSpacing',
  U: 'swapGreed',
}

const largestCodePoint = 0x10ffff
/** What the linear engine allows, counted over nested repeats too. */
const mostRepeats = 1000
const deepestGroups = 250

class RegexParser {
  readonly #pattern: string
  /** The pattern by code point. */
  readonly #characters: readonly string[]
  #at = 0
  #groups = 0
  #depth = 0
  readonly #names = new Set<string>()
  #flags: Flags = { fold: false, multiLine: false, dotAll: false, freeSpacing: false, swapGreed: false }

  constructor(pattern: string) {
    this.#pattern = pattern
    this.#characters = [...pattern]
  }

  parse(): { tree: Pattern; groups: number } {
    const tree = this.#choice()
    if (this.#at < this.#characters.length) this.#fail('a `)` without its `(`')
    if (repeats(tree) > mostRepeats) this.#fail(`more than ${mostRepeats} repeats`)
    return { tree, groups: this.#groups }
  }

  #fail(what: string): never {
    throw new InvalidRegex(`invalid regex '${this.#pattern.slice(0, 256)}': ${what}, at character ${this.#at + 1}`)
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#characters[this.#at + index] !== text[index]) return false
    }
    this.#at += text.length
    return true
  }

  #choice(): Pattern {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 ? (options[0] as Pattern) : { kind: 'choice', options }
  }

  #sequence(): Pattern {
    const parts: Pattern[] = []
    for (;;) {
      this.#skipSpace()
      const next = this.#next
      if (next === undefined || next === '|' || next === ')') break
      if (next === '*' || next === '+' || next === '?' || next === '{') this.#fail(`\`${next}\` has nothing to repeat`)
      const part = this.#part()
      if (part) parts.push(this.#repeated(part))
    }
    return parts.length === 1 ? (parts[0] as Pattern) : { kind: 'sequence', parts }
  }

  /** One part without its repeats; undefined for flags, which match nothing. */
  #part(): Pattern | undefined {
    const { multiLine, dotAll, fold } = this.#flags
    const next = this.#characters[this.#at++] as string
    switch (next) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'set', set: this.#class(), fold }
      case '.':
        return { kind: 'set', set: { negated: true, items: dotAll ? [] : [range(10)] }, fold: false }
      case '^':
        return { kind: 'position', position: multiLine ? 'line_start' : 'start' }
      case '$':
        return { kind: 'position', position: multiLine ? 'line_end' : 'end' }
      case '\\':
        return this.#escape()
      default:
        return literal(next.codePointAt(0) as number, fold)
    }
  }

  #escape(): Pattern {
    const position = positions[this.#next ?? '']
    if (position) {
      this.#at++
      if (this.#next === '{') this.#fail('`\\b{` is not supported')
      return { kind: 'position', position }
    }
    const item = this.#escapedItem()
    return { kind: 'set', set: { negated: false, items: [item] }, fold: this.#flags.fold }
  }

  #group(): Pattern | undefined {
    if (++this.#depth > deepestGroups) this.#fail('groups nest too deep')
    const outer = this.#flags
    this.#flags = { ...outer }
    let captures = true
    if (this.#take('?')) {
      if (this.#take('=') || this.#take('!') || this.#take('<=') || this.#take('<!')) {
        this.#fail('look-around is not supported')
      }
      if (this.#take('P<') || this.#take('<')) this.#name()
      else {
        captures = false
        if (this.#setFlags()) {
          // `(?i)`: for the rest of the group around it.
          this.#depth--
          return undefined
        }
      }
    }
    if (captures) this.#groups++
    const body = this.#choice()
    if (!this.#take(')')) this.#fail('a `(` without its `)`')
    this.#flags = outer
    this.#depth--
    return captures ? { kind: 'group', body } : body
  }

  #name(): void {
    let name = ''
    while (this.#next !== undefined && this.#next !== '>') name += this.#characters[this.#at++]
    if (!this.#take('>') || !/^[A-Za-z_][\w.[\]]*$/.test(name)) this.#fail('a bad group name')
    if (this.#names.has(name)) this.#fail(`two groups are named \`${name}\``)
    this.#names.add(name)
  }

  /** Reads `i-s)` or `i-s:`; true when no body follows. */
  #setFlags(): boolean {
    let on = true
    let count = 0
    for (;;) {
      const letter = this.#characters[this.#at++]
      if (letter === ':') return false
      if (letter === ')') {
        if (count === 0) this.#fail('an empty `(?)`')
        return true
      }
      if (letter === '-' && on) on = false
      else {
        const flag = letter === undefined ? undefined : flagOfLetter[letter]
        if (!flag) this.#fail('an unknown flag or kind of group')
        this.#flags[flag] = on
        count++
      }
    }
  }

  #repeated(part: Pattern): Pattern {
    let result = part
    for (;;) {
      this.#skipSpace()
      const [least, most] = this.#count() ?? []
      if (least === undefined || most === undefined) return result
      const lazy = this.#take('?')
      result = { kind: 'repeat', body: result, least, most, greedy: lazy === this.#flags.swapGreed }
    }
  }

  #count(): [least: number, most: number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY]
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY]
    if (this.#take('?')) return [0, 1]
    if (this.#next !== '{') return undefined
    const end = this.#characters.indexOf('}', this.#at)
    const match = /^\{(\d+)(?:(,)(\d*))?\}$/.exec(this.#characters.slice(this.#at, end + 1).join(''))
    if (!match) this.#fail('a bad repeat count; a plain brace is written `\\{`')
    const least = Number(match[1])
    const most = match[2] === undefined ? least : match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3])
    if (most < least) this.#fail('a repeat count that ends before it begins')
    if (least > mostRepeats || (most !== Number.POSITIVE_INFINITY && most > mostRepeats)) {
      this.#fail(`more than ${mostRepeats} repeats`)
    }
    this.#at = end + 1
    return [least, most]
  }

  /** A bracketed class, behind its `[`. */
  #class(): CharacterSet {
    const negated = this.#take('^')
    const items: SetItem[] = []
    for (let first = true; ; first = false) {
      this.#skipSpace()
      const next = this.#next
      if (next === undefined) this.#fail('a `[` without its `]`')
      if (next === ']' && !first) break
      if (next === '[') items.push(...this.#named())
      else items.push(this.#classRange())
    }
    this.#at++
    return { negated, items }
  }

  /** `a`, `a-z`, `\d` inside a class. */
  #classRange(): SetItem {
    if (this.#take('&&') || this.#take('--') || this.#take('~~')) {
      this.#fail('set operations are not supported; escape the two characters')
    }
    const first = this.#classCharacter()
    this.#skipSpace()
    if (this.#next !== '-' || this.#characters[this.#at + 1] === ']') return first
    if (this.#characters[this.#at + 1] === '-') return first
    this.#at++
    this.#skipSpace()
    if (this.#next === undefined) this.#fail('a `[` without its `]`')
    const last = this.#classCharacter()
    if (first.kind !== 'range' || last.kind !== 'range') this.#fail('a range between classes')
    if (last.from < first.from) this.#fail('a range that ends before it begins')
    return range(first.from, last.from)
  }

  #classCharacter(): SetItem {
    const next = this.#characters[this.#at++] as string
    if (next === '[') this.#fail('a bracket in a class is written `\\[`')
    return next === '\\' ? this.#escapedItem() : range(next.codePointAt(0) as number)
  }

  /** `[:alpha:]` inside a class. */
  #named(): SetItem[] {
    const end = this.#characters.indexOf(']', this.#at)
    const match = /^\[:(\^?)([a-z]+):\]$/.exec(this.#characters.slice(this.#at, end + 1).join(''))
    const ranges = match && Object.hasOwn(posixClasses, match[2] as string) && posixClasses[match[2] as string]
    if (!match || !ranges) this.#fail('a bracket in a class is written `\\[`')
    this.#at = end + 1
    return match[1] === '^' ? complement(ranges) : ranges.map(([from, to]) => range(from, to))
  }

  /** What an escape stands for, behind its backslash. */
  #escapedItem(): SetItem {
    const next = this.#characters[this.#at++]
    if (next === undefined) this.#fail('a backslash at the end')
    const name = classes[next.toLowerCase()]
    if (name) return { kind: 'class', name, negated: next !== next.toLowerCase() }
    if (next === 'p' || next === 'P') return this.#property(next === 'P')
    if (next === 'x') return range(this.#hexadecimal(2))
    if (next === 'u') return range(this.#hexadecimal(4))
    if (next === 'U') return range(this.#hexadecimal(8))
    const control = controls[next]
    if (control !== undefined) return range(control)
    if (/\d/.test(next)) this.#fail('back-references are not supported')
    if (!/[!-/:;=?@[-`{-~ ]/.test(next)) this.#fail(`an unknown escape \`\\${next}\``)
    return range(next.codePointAt(0) as number)
  }

  #hexadecimal(digits: number): number {
    const { length } = this.#characters
    const braces = this.#take('{')
    const end = braces ? this.#characters.indexOf('}', this.#at) : Math.min(length, this.#at + digits)
    const text = this.#characters.slice(this.#at, end < 0 ? length : end).join('')
    const code = Number.parseInt(text, 16)
    const complete = braces ? end > 0 && text.length > 0 : text.length === digits
    const surrogate = code >= 0xd800 && code <= 0xdfff
    if (!complete || !/^[\dA-Fa-f]+$/.test(text) || code > largestCodePoint || surrogate)
      this.#fail('a bad character code')
    this.#at = end + (braces ? 1 : 0)
    return code
  }

  #property(negated: boolean): SetItem {
    let written = this.#characters[this.#at++] ?? ''
    if (written === '{') {
      const end = this.#characters.indexOf('}', this.#at)
      if (end < 0) this.#fail('a `{` without its `}`')
      written = this.#characters.slice(this.#at, end).join('')
      this.#at = end + 1
    }
    const name = propertyName(written)
    if (name === undefined) this.#fail(`an unknown Unicode property \`${written}\``)
    return { kind: 'property', name, written, negated }
  }

  /** Under `(?x)`, white space and comments stand between the parts of a pattern. */
  #skipSpace(): void {
    if (!this.#flags.freeSpacing) return
    for (;;) {
      const next = this.#next
      if (next === '#') while (this.#next !== undefined && this.#next !== '\n') this.#at++
      else if (next !== undefined && /\p{White_Space}/u.test(next)) this.#at++
      else return
    }
  }
}

const positions: Readonly<Record<string, Position>> = {
  A: 'start',
  z: 'end',
  b: 'word_boundary',
  B: 'no_word_boundary',
}

const classes: Readonly<Record<string, 'digit' | 'word' | 'space'>> = { d: 'digit', w: 'word', s: 'space' }

const controls: Readonly<Record<string, number>> = { a: 7, t: 9, n: 10, v: 11, f: 12, r: 13 }

type Ranges = readonly (readonly [from: number, to: number])[]

const posixClasses: Readonly<Record<string, Ranges>> = {
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  alpha: [
    [65, 90],
    [97, 122],
  ],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: [[48, 57]],
  graph: [[33, 126]],
  lower: [[97, 122]],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [[65, 90]],
  word: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
}

function range(from: number, to: number = from): SetItem & { kind: 'range' } {
  return { kind: 'range', from, to }
}

function literal(code: number, fold: boolean): Pattern {
  return { kind: 'set', set: { negated: false, items: [range(code)] }, fold }
}

/** All characters outside of sorted ranges. */
function complement(ranges: Ranges): SetItem[] {
  const items: SetItem[] = []
  let from = 0
  for (const [first, last] of ranges) {
    if (first > from) items.push(range(from, first - 1))
    from = last + 1
  }
  items.push(range(from, largestCodePoint))
  return items
}

/** JavaScript's name of a Unicode property; names are taken loosely, as `greek` for `Script=Greek`. */
function propertyName(written: string): string | undefined {
  const [key, value] = written.split(/[=:]/, 2) as [string, string?]
  const loose = (name: string): string[] => {
    const titled = name
      .split(/[\s_-]+/)
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
      .join('_')
    return [name, titled, name.toUpperCase()]
  }
  const candidates =
    value === undefined
      ? [...loose(key), ...loose(key).map((name) => `Script=${name}`)]
      : loose(key).flatMap((name) => loose(value).map((second) => `${name}=${second}`))
  return candidates.find((name) => {
    if (!/^[\w=]+$/.test(name)) return false
    try {
      // Under `v` it would also know properties of strings.
      new RegExp(`\\p{${name}}`, 'u')
      return true
    } catch {
      return false
    }
  })
}

/** How often the innermost part of nested repeats can be written out. */
function repeats(tree: Pattern): number {
  switch (tree.kind) {
    case 'repeat': {
      const count = Number.isFinite(tree.most) ? tree.most : tree.least
      return Math.max(1, count) * repeats(tree.body)
    }
    case 'group':
      return repeats(tree.body)
    case 'sequence':
      return Math.max(1, ...tree.parts.map(repeats))
    case 'choice':
      return Math.max(1, ...tree.options.map(repeats))
    default:
      return 1
  }
}
