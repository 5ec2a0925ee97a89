import type { Value } from '../../lib/record/value.ts'

/** Where something would stand that does not come: behind every place in the text. */
export const nowhere: number = Number.MAX_SAFE_INTEGER

/** A place that is wrong in the file; the reader adds which file it is. */
export class Malformed extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/**
 * Finds cells in text of the plain dialect: one delimiter, one quote character, doubled inside quotes; LF, CRLF or CR ends a row.
 * Knows nothing of columns. Its fields are where the reader stands; generated readers keep them in local variables while
 * they run, and put them back.
 */
export class Scanner {
  readonly delimiter: string
  readonly quote: string
  readonly #delimiterCode: number
  readonly #quoteCode: number
  readonly #doubled: string

  /** The text at hand. Set by {@link Scanner.open}. */
  text = ''
  /** Where the next row begins in it. */
  at = 0
  /** The line of the file that place is on, from 1. */
  line = 1
  /** Rows so far, header not counted. */
  row = 0
  /** Whether the text ends where the file does. It then ends with a line end, added where the file has none. */
  final = false

  /** What {@link Scanner.cell} and {@link Scanner.cut} tell besides their result: where to go on, and line ends inside quotes. */
  next = 0
  lineEnd = 0
  lineEnds = 0

  /** The first LF from `#lfFrom` on, and the first CR from `#crFrom` on. */
  #lf = -1
  #lfFrom = 0
  #cr = -1
  #crFrom = 0

  constructor(delimiter: string, quote: string) {
    this.delimiter = delimiter
    this.quote = quote
    this.#delimiterCode = delimiter.charCodeAt(0)
    this.#quoteCode = quote.charCodeAt(0)
    this.#doubled = quote + quote
  }

  /** Goes on in another text, from its start. */
  open(text: string, final: boolean): void {
    this.text = text
    this.final = final
    this.at = 0
    this.#lf = this.#cr = -1
  }

  /** The next LF or CR from `from` on. */
  endOfLine(from: number): number {
    // Files mostly have no CR: what is known of it is kept, or every row would search the whole text for one.
    if (from > this.#lf || from < this.#lfFrom) this.#lf = find(this.text, '\n', (this.#lfFrom = from))
    if (from > this.#cr || from < this.#crFrom) this.#cr = find(this.text, '\r', (this.#crFrom = from))
    return this.#lf < this.#cr ? this.#lf : this.#cr
  }

  /** Where the line behind the end at `at` begins; -1 when the text ends between a CR and what may be its LF. */
  behind(at: number): number {
    const { text } = this
    if (text.charCodeAt(at) === 10) return at + 1
    if (at + 1 === text.length && !this.final) return -1
    return text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1
  }

  /**
   * One cell that begins at `at` of a line that ends at `lineEnd`, through `read`. Undefined when it is not all there, not well formed,
   * or refused by `read`: the caller then cuts the whole row anew, to find out.
   */
  cell(at: number, lineEnd: number, last: boolean, read: (text: string) => Value | undefined) {
    const { text } = this
    this.lineEnds = 0
    this.lineEnd = lineEnd
    if (text.charCodeAt(at) !== this.#quoteCode) {
      const found = find(text, this.delimiter, at)
      if (last ? found < lineEnd : found > lineEnd) return undefined
      const end = last ? lineEnd : found
      this.next = last ? end : end + 1
      return read(own(text, at, end))
    }
    const close = this.#closing(at)
    if (close === -1) return undefined
    if (lineEnd < close) {
      this.lineEnds = this.#countLineEnds(at, close)
      this.lineEnd = this.endOfLine(close)
    }
    const end = close + 1
    if (last ? end !== this.lineEnd : text.charCodeAt(end) !== this.#delimiterCode) return undefined
    this.next = last ? end : end + 1
    return read(this.#unquoted(at, close))
  }

  /**
   * Cuts the row at `this.at` into `cells`. True when it is all there; `next` and `lineEnds` then say where the following row is. A
   * blank line is a row without cells.
   */
  cut(cells: string[]): boolean {
    const { text } = this
    let at = this.at
    let lineEnds = 0
    let lineEnd = this.endOfLine(at)
    let delimiter = -1
    cells.length = 0
    for (;;) {
      if (text.charCodeAt(at) === this.#quoteCode) {
        const close = this.#closing(at)
        if (close === -1) {
          if (this.final) throw new Malformed('a quote opens here and never closes', this.line + lineEnds)
          return false
        }
        cells.push(this.#unquoted(at, close))
        if (lineEnd < close) {
          lineEnds += this.#countLineEnds(at, close)
          lineEnd = this.endOfLine(close)
        }
        at = close + 1
        if (text.charCodeAt(at) === this.#delimiterCode) at++
        else if (at === lineEnd) break
        else throw new Malformed('text follows a closing quote', this.line + lineEnds)
      } else {
        if (lineEnd === nowhere) return false
        if (delimiter < at) delimiter = find(text, this.delimiter, at)
        const end = delimiter < lineEnd ? delimiter : lineEnd
        if (end > at || delimiter < lineEnd || cells.length > 0) cells.push(own(text, at, end))
        at = end
        if (end === lineEnd) break
        at++
      }
    }
    this.next = this.behind(at)
    this.lineEnds = lineEnds
    return this.next !== -1
  }

  /** The quote that closes the one at `at`, or -1 when it is not in the text, or what follows it is not. */
  #closing(at: number): number {
    const { text } = this
    let close = text.indexOf(this.quote, at + 1)
    while (close !== -1 && text.charCodeAt(close + 1) === this.#quoteCode) close = text.indexOf(this.quote, close + 2)
    return close + 1 === text.length ? -1 : close
  }

  #unquoted(open: number, close: number): string {
    const inner = own(this.text, open + 1, close)
    return inner.includes(this.quote) ? owned(inner.replaceAll(this.#doubled, this.quote)) : inner
  }

  #countLineEnds(from: number, to: number): number {
    let count = 0
    for (let at = this.endOfLine(from); at < to; at = this.endOfLine(at)) {
      count++
      at += this.text.charCodeAt(at) === 13 && this.text.charCodeAt(at + 1) === 10 ? 2 : 1
    }
    return count
  }
}

function find(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from)
  return found === -1 ? nowhere : found
}

/**
 * A part of a text that does not keep the whole in memory. V8 makes a slice of 13 characters or more a window into its text, so one
 * record kept from a piece of a file would keep the piece.
 */
export function own(text: string, from: number, to: number): string {
  return to - from < 13 ? text.slice(from, to) : owned(text.slice(from, to))
}

/** Shorter texts than this are copies already. */
export const shortest = 13

function owned(text: string): string {
  // Joined texts of this length are a pair of references until looked into, which copies them.
  return text.length < shortest ? text : ` ${text}`.slice(1)
}
