import { utf8Length } from '../diagnostics/index.ts'
import { CivilDate } from '../record/civil.ts'
import { cureIn, foreignSigns } from './habit.ts'
import type { Problem, SourceText } from './problem.ts'
import { isReserved } from './token.ts'

export type TokenKind =
  /** A plain name. */
  | 'name'
  /** A reserved word; `text` tells which. */
  | 'word'
  /** An operator or punctuation. */
  | 'symbol'
  | 'int'
  | 'float'
  | 'string'
  | 'date'
  /** `$name`; `value` is the name. */
  | 'namespace'
  /** Text that is no token; reported already. */
  | 'bad'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  /** As written. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether it is the first token of a line. */
  readonly newline: boolean
  /** What a literal stands for. Ints are kept as BigInt until their sign is known. */
  readonly value?: bigint | number | string | CivilDate
}

export interface Comment {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether nothing but blanks stands before it on its line. */
  readonly alone: boolean
}

export interface Lexed {
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
}

/** Bytes of UTF-8 a program may have. */
export const longestProgram = 65_536
/** Bytes of UTF-8 a module may have. */
export const longestModule = 2 ** 20

const nameStart = /[A-Za-z_]/
const pairs = ['??', '==', '!=', '<=', '>=', '=>', '::']
const singles = '.=<>+-*/%,:()[]{}'
/** What foreign signs enclose: no fault is looked for in there. */
const enclosures: Readonly<Record<string, RegExp>> = {
  '`': /`[^`\r\n]*`?/y,
  '“': /“[^”\r\n]*”?/y,
  '‘': /‘[^’\r\n]*’?/y,
  '//': /[^\r\n]*/y,
  '/*': /\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/y,
}
const escapes: Readonly<Record<string, string>> = { '\\': '\\', '"': '"', "'": "'", n: '\n', t: '\t', r: '\r' }

/** Cuts a program into tokens. What is no token is reported to `problems` and becomes one of kind `bad`. */
export function tokenize(source: SourceText, problems: Problem[], longest: number = longestProgram): Lexed {
  const { text } = source
  const tokens: Token[] = []
  const comments: Comment[] = []
  let newline = true
  let at = 0

  const report = (start: number, end: number, message: string, help?: string): void => {
    problems.push({ phase: 'parse', message, start, end, source, ...(help === undefined ? {} : { help }) })
  }
  const push = (kind: TokenKind, start: number, end: number, value?: Token['value']): void => {
    tokens.push({ kind, text: text.slice(start, end), start, end, newline, ...(value === undefined ? {} : { value }) })
    newline = false
    at = end
  }

  if (text.length > longest / 3 && utf8Length(text) > longest) {
    report(0, 1, `this text has more than ${longest} bytes`)
    push('end', 0, 0)
    return { tokens, comments }
  }

  while (at < text.length) {
    const start = at
    const character = text[at] as string
    if (character === '\n' || character === '\r') {
      newline = true
      at++
    } else if (character === ' ' || character === '\t' || (at === 0 && character === '\ufeff')) {
      at++
    } else if (nameStart.test(character)) {
      const end = endOf(text, /[A-Za-z0-9_]*/y, at)
      push(isReserved(text.slice(start, end)) ? 'word' : 'name', start, end)
    } else if (isDigit(character)) {
      const end = endOf(text, /[0-9]+(?:\.[0-9]+)?/y, at)
      const digits = text.slice(start, end)
      if (digits.includes('.')) push('float', start, end, Number(digits))
      else push('int', start, end, BigInt(digits))
    } else if (character === '"' || character === "'") {
      readString(character)
    } else if (character === '#') {
      if (isDigit(text[at + 1])) readDate()
      else {
        const end = endOf(text, /[^\r\n]*/y, at)
        comments.push({ text: text.slice(start, end), start, end, alone: newline })
        at = end
      }
    } else if (character === '$' && nameStart.test(text[at + 1] ?? '')) {
      const end = endOf(text, /[A-Za-z0-9_]*/y, at + 1)
      push('namespace', start, end, text.slice(start + 1, end))
    } else {
      const foreign = foreignSignAt()
      if (foreign) bad(foreign.length, `unexpected '${foreign.sign}'`, foreign.help, foreign.extent)
      else if (pairs.includes(text.slice(at, at + 2))) push('symbol', start, at + 2)
      else if (singles.includes(character)) push('symbol', start, at + 1)
      else {
        const shown = String.fromCodePoint(text.codePointAt(at) as number)
        bad(shown.length, `unexpected character '${shown}'`)
      }
    }
  }
  newline = true
  push('end', text.length, text.length)
  return { tokens, comments }

  /** Reports what is no token. `extent`: how far the text is skipped that belongs to it. */
  function bad(length: number, message: string, help?: string, extent = length): void {
    report(at, at + length, message, help)
    push('bad', at, at + extent)
  }

  /** A sign of another language, the longest one that stands here, and what it encloses. */
  function foreignSignAt(): { sign: string; length: number; help: string; extent: number } | undefined {
    for (const length of [3, 2, 1]) {
      const sign = text.slice(at, at + length)
      const help = sign.length === length ? cureIn(foreignSigns, sign) : undefined
      // `!=` is ours and `!` is not: the longest token wins.
      if (help === undefined) {
        if (length === 2 && pairs.includes(sign)) return undefined
        continue
      }
      const enclosed = enclosures[sign]
      const extent = enclosed ? endOf(text, enclosed, at) - at : length
      return { sign, length, help, extent: Math.max(length, extent) }
    }
    return undefined
  }

  function readString(quote: string): void {
    const start = at
    let value = ''
    let from = at + 1
    for (let next = from; ; next++) {
      const character = text[next]
      if (character === undefined || character === '\n' || character === '\r') {
        report(start, next, 'this text has no closing quote on its line', `close it with ${quote}`)
        push('bad', start, next)
        return
      }
      if (character === quote) {
        push('string', start, next + 1, value + text.slice(from, next))
        return
      }
      if (character === '\\') {
        const escaped = escapes[text[next + 1] ?? '']
        // Before any other character the backslash stays, so that patterns need no doubling.
        if (escaped !== undefined) {
          value += text.slice(from, next) + escaped
          from = next + 2
          next++
        }
      }
    }
  }

  function readDate(): void {
    const start = at
    const match = matchAt(text, /#([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})#/y, at)
    const date = match && CivilDate.of(Number(match[1]), Number(match[2]), Number(match[3]))
    if (match && date) {
      push('date', start, start + match[0].length, date)
      return
    }
    const end = match ? start + match[0].length : endOf(text, /#[0-9A-Za-z:.-]*#?/y, at)
    const what = match ? `there is no such day as ${match[0]}` : 'a date literal must be #YYYY-MM-DD#'
    report(start, end, what, match ? undefined : "a comment that starts with a digit needs a blank after the '#'")
    push('bad', start, end)
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}

function matchAt(text: string, pattern: RegExp, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function endOf(text: string, pattern: RegExp, at: number): number {
  return at + (matchAt(text, pattern, at)?.[0].length ?? 0)
}
