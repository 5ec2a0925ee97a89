import { once } from 'node:events'
import type { Options, Parser } from 'csv-parse'
import type { Shape } from '../../lib/record/shape.ts'
import type { Row } from '../../lib/record/value.ts'
import { decode, type Encoding, withoutMark } from './decode.ts'
import type { CsvDialect } from './options.ts'
import { type CsvReading, encodingHelp, RecordMaker } from './reader.ts'

/** What goes beyond the plain dialect. From code only: a pipeline in YAML reads plain CSV. */
export interface FurtherDialect {
  /** Before a quote inside quotes, instead of a second quote: one ASCII character. Default: the quote itself. */
  escape?: string
  /** Lines that begin with this text are left out. Default: none. */
  comment?: string
  /** What ends a row, instead of LF, CRLF and CR. */
  record_delimiter?: string | readonly string[]
  /** A quote where none may stand is text. Default: false. */
  relax_quotes?: boolean
  /** A row may have fewer cells than the header: those missing are empty; or more: those are left out. Default: false. */
  relax_column_count?: boolean
  /** A row may have fewer cells. Default: false. */
  relax_column_count_less?: boolean
  /** A row may have more cells. Default: false. */
  relax_column_count_more?: boolean
  /** Leave out blanks around cells, outside quotes. Default: false. */
  trim?: boolean
  /** Leave out blanks before cells. Default: false. */
  ltrim?: boolean
  /** Leave out blanks behind cells. Default: false. */
  rtrim?: boolean
  /** The line the file begins at, from 1: the header, when it has one. Default: 1. */
  from_line?: number
  /** The last line that is read. Default: the last one. */
  to_line?: number
}

/** What csv-parse gives for a row. */
interface Parsed {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

/**
 * Reads what the plain dialect does not cover: csv-parse cuts the cells, always into arrays (by `columns` it would merge columns of one
 * name and lose their order); header, conversion and refusal are the same as for plain CSV.
 */
export class DialectReader {
  readonly #maker: RecordMaker
  readonly #options: Options
  readonly #dialect: FurtherDialect
  readonly #encoding: Encoding
  #parser: Parser | undefined
  #rest: Buffer = Buffer.alloc(0)
  #begun = false
  #row: number
  #line = 1

  constructor(
    reading: CsvReading,
    dialect: { delimiter: string; quote_char: string; encoding: Encoding },
    further: FurtherDialect,
  ) {
    this.#maker = new RecordMaker(reading)
    this.#row = reading.rowsBefore
    this.#encoding = dialect.encoding
    this.#dialect = further
    this.#options = parserOptions(dialect, further)
  }

  /** Known once the header is. */
  get shape(): Shape | undefined {
    return this.#maker.layout?.shape
  }

  async *read(piece: Buffer): AsyncGenerator<Row[]> {
    for (let at = 0; at < piece.length; at += 65_536) {
      yield* this.#take(Buffer.concat([this.#rest, piece.subarray(at, at + 65_536)]), false)
    }
  }

  async *end(): AsyncGenerator<Row[]> {
    yield* this.#take(this.#rest, true)
    if (!this.#maker.layout) throw this.#maker.malformed('the file has no header line', this.#line)
  }

  async *#take(given: Buffer, final: boolean): AsyncGenerator<Row[]> {
    const parser = (this.#parser ??= await this.#open())
    if (!this.#begun && given.length < 3 && !final) {
      this.#rest = given
      return
    }
    const bytes = this.#begun ? given : withoutMark(given, this.#encoding)
    this.#begun = true
    const { text, length, invalid } = decode(bytes, this.#encoding)
    this.#rest = bytes.subarray(length)
    // Behind `to_line` csv-parse ends by itself.
    if (text !== '' && !parser.writableEnded) {
      const written = new Promise<void>((resolve, reject) => {
        parser.write(text, (error) => (error ? reject(this.#malformed(error)) : resolve()))
      })
      // Heard below; until then it must not count as unheard.
      written.catch(() => undefined)
      // The rows are there at once, and reading them lets the write finish.
      yield* this.#records(parser)
      await written
    }
    if (invalid || (final && length < bytes.length)) {
      throw this.#maker.malformed('the bytes are not valid UTF-8', this.#line, encodingHelp)
    }
    if (!final || parser.readableEnded) return
    const last: Parsed[] = []
    parser.on('data', (row: Parsed) => last.push(row))
    parser.end()
    try {
      await once(parser, 'end')
    } catch (error) {
      throw this.#malformed(error as Error)
    }
    yield* this.#batch(last)
  }

  async #open(): Promise<Parser> {
    const { parse } = await import('csv-parse')
    const parser = parse(this.#options)
    // Errors are reported by the write that met them, or at the end.
    parser.on('error', () => undefined)
    return parser
  }

  *#records(parser: Parser): Generator<Row[]> {
    const rows: Parsed[] = []
    for (let row = parser.read(); row !== null; row = parser.read()) rows.push(row as Parsed)
    yield* this.#batch(rows)
  }

  *#batch(rows: readonly Parsed[]): Generator<Row[]> {
    const maker = this.#maker
    const out: Row[] = []
    for (const { record, info } of rows) {
      this.#line = info.lines
      if (!maker.layout) maker.header(record, info.lines)
      else {
        const made = maker.record(this.#completed(record, maker.layout.header.length), ++this.#row, info.lines)
        if (made) out.push(made)
      }
    }
    if (out.length > 0) yield out
  }

  /** A row with as many cells as the header, where the dialect lets it differ. */
  #completed(cells: string[], width: number): string[] {
    const { relax_column_count, relax_column_count_less, relax_column_count_more } = this.#dialect
    if (cells.length < width && (relax_column_count || relax_column_count_less)) {
      return [...cells, ...Array.from({ length: width - cells.length }, () => '')]
    }
    if (cells.length > width && (relax_column_count || relax_column_count_more)) return cells.slice(0, width)
    return cells
  }

  #malformed(error: Error & { code?: string; lines?: number }): Error {
    const message = faults.get(error.code ?? '') ?? error.message
    return this.#maker.malformed(message, error.lines ?? this.#line)
  }
}

/** What csv-parse says, in the words of the plain reader. */
const faults: ReadonlyMap<string, string> = new Map([
  ['CSV_INVALID_CLOSING_QUOTE', 'text follows a closing quote'],
  ['CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE', 'text follows a closing quote'],
  ['CSV_QUOTE_NOT_CLOSED', 'a quote opens and never closes'],
  ['INVALID_OPENING_QUOTE', 'a quote stands in a cell that does not begin with one'],
])

/** Whether a dialect has anything that plain CSV has not. */
export function isFurther(dialect: FurtherDialect): boolean {
  return furtherKeys.some((key) => dialect[key] !== undefined && dialect[key] !== false)
}

const furtherKeys = [
  'escape',
  'comment',
  'record_delimiter',
  'relax_quotes',
  'relax_column_count',
  'relax_column_count_less',
  'relax_column_count_more',
  'trim',
  'ltrim',
  'rtrim',
  'from_line',
  'to_line',
] as const satisfies readonly (keyof FurtherDialect)[]

function parserOptions(
  { delimiter, quote_char }: Required<Pick<CsvDialect, 'delimiter' | 'quote_char'>>,
  further: FurtherDialect,
): Options {
  const { escape = quote_char, comment = null, record_delimiter = ['\r\n', '\n', '\r'] } = further
  const { relax_quotes = false, trim = false, ltrim = trim, rtrim = trim, from_line = 1, to_line = -1 } = further
  return {
    delimiter,
    quote: quote_char,
    escape,
    comment,
    // Only whole lines: anything else is data.
    comment_no_infix: true,
    record_delimiter: typeof record_delimiter === 'string' ? record_delimiter : [...record_delimiter],
    relax_quotes,
    ltrim,
    rtrim,
    from_line,
    to_line,
    columns: false,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
  }
}
