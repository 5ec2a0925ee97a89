import { ClinkerError, preview } from '../../lib/diagnostics/index.ts'
import type { Origin } from '../../lib/record/origin.ts'
import type { Shape } from '../../lib/record/shape.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import { badCell } from '../../lib/schema/index.ts'
import type { DeadLetter } from '../node.ts'
import { recordsPerBatch } from '../shell/index.ts'
import { decode, type Encoding, encodedLength, withoutMark } from './decode.ts'
import { generateReader, type ReadRows } from './generate-reader.ts'
import type { CellColumn, Layout } from './layout.ts'
import { Malformed, Scanner } from './scanner.ts'

/** What a CSV reader is made for. */
export interface CsvReading {
  /** As messages name the reader: `source "plants"`. */
  readonly node: string
  readonly source: string
  /** The file as messages name it; `''` for a stream without a name. */
  readonly file: string
  readonly origin: Origin
  /** Rows of the source that were read from earlier files. */
  readonly rowsBefore: number
  /** Names of the cells when the file has none. */
  readonly names: readonly string[] | undefined
  layout(header: readonly string[]): Layout
  /** Takes a row that has a bad cell; absent: it is an error. */
  readonly report: ((letter: DeadLetter) => void) | undefined
}

/** Turns rows of cells into records: binds the header, converts, refuses. What cuts the cells is not its affair. */
export class RecordMaker {
  readonly #reading: CsvReading
  readonly #values: Value[] = []
  #layout: Layout | undefined

  constructor(reading: CsvReading) {
    this.#reading = reading
    if (reading.names) this.#layout = reading.layout(reading.names)
  }

  /** Known once the header is. */
  get layout(): Layout | undefined {
    return this.#layout
  }

  /** Takes the first row of a file that names its columns. */
  header(cells: readonly string[], line: number): Layout {
    const names = new Set<string>()
    for (const name of cells) {
      if (names.has(name)) throw this.malformed(`the header has two columns named ${preview(name)}`, line)
      names.add(name)
    }
    return (this.#layout = this.#reading.layout(cells))
  }

  /** The record of a row; undefined when it was refused. */
  record(cells: readonly string[], row: number, line: number): Row | undefined {
    const layout = this.#layout as Layout
    const { header, shape } = layout
    if (cells.length !== header.length) {
      const wanted = this.#reading.names ? `the schema has ${header.length} columns` : `the header has ${header.length}`
      throw this.malformed(`the row has ${count(cells.length)}, ${wanted}`, line)
    }
    if (layout.unmapped !== undefined) throw this.#unmapped(layout.unmapped, line)
    if (layout.missing) {
      const { name, type, format } = layout.missing.column
      this.#refuse(cells, row, { name, type, format, place: header.length, text: null, help: layout.missing.help })
      return undefined
    }
    const values = this.#values
    values.length = shape.columns.length
    values.fill(null)
    for (let place = 0; place < cells.length; place++) {
      for (const column of layout.cells[place] as readonly CellColumn[]) {
        const text = cells[place] as string
        const value = column.read(text)
        if (value === undefined) {
          const { name, type, format } = column
          this.#refuse(cells, row, { name, type, format, place, text })
          return undefined
        }
        values[column.index] = value
      }
    }
    return shape.make(values, this.#reading.origin, row)
  }

  malformed(message: string, line: number, help?: string): ClinkerError {
    const { node, file } = this.#reading
    const where = file === '' ? `line ${line}` : `${file}, line ${line}`
    return new ClinkerError('FormatFailure', {
      node,
      message: `${where}: ${message}`,
      exit: 4,
      ...(file === '' ? {} : { place: { file, line, column: 1 } }),
      ...(help === undefined ? {} : { help }),
    })
  }

  #unmapped(name: string, line: number): ClinkerError {
    const help = 'declare it, or let on_unmapped be { mode: drop } or { mode: auto_widen }'
    return this.malformed(`the column ${preview(name)} is not in the schema`, line, help)
  }

  #refuse(cells: readonly string[], row: number, cell: RefusedCell): void {
    const { source, file, origin, report } = this.#reading
    const { name, type, format, place, text, help } = cell
    const error = badCell({ source, file, row, column: place + 1, field: name, type, format, value: text, help })
    if (!report) throw error
    report({
      category: 'type_coercion_failure',
      detail: error.help === undefined ? error.reason : `${error.reason}; ${error.help}`,
      stage: 'source',
      trigger: true,
      field: name,
      value: text,
      record: (this.#layout as Layout).asRead.make(cells, origin, row),
      source: { name: source, file, row },
    })
  }
}

interface RefusedCell {
  readonly name: string
  readonly type: CellColumn['type']
  readonly format: string | undefined
  readonly place: number
  readonly text: string | null
  readonly help?: string
}

/** What to do about bytes that are no UTF-8. */
export const encodingHelp = 'when the file is in Latin-1, say so by `encoding: latin1`'

/** Longest piece that is decoded at once: a whole file in one Buffer becomes text as slowly as it is read. */
const pieceLength = 65_536

/**
 * The reader of the plain dialect. Takes the file in pieces cut anywhere; gives batches as they are pulled.
 */
export class CsvReader {
  readonly #maker: RecordMaker
  readonly #scanner: Scanner
  readonly #encoding: Encoding
  readonly #origin: Origin
  readonly #cells: string[] = []
  #generated: ReadRows | undefined
  #prepared = false
  /** Bytes that are not read yet: the row at the end of the piece before. */
  #rest: Buffer = Buffer.alloc(0)
  /** More pieces of it, and how many bytes of them it takes until reading it anew is worth while. */
  #pieces: Buffer[] = []
  #waiting = 0
  #wanted = 0
  #begun = false

  constructor(reading: CsvReading, dialect: { delimiter: string; quote_char: string; encoding: Encoding }) {
    this.#maker = new RecordMaker(reading)
    this.#scanner = new Scanner(dialect.delimiter, dialect.quote_char)
    this.#scanner.row = reading.rowsBefore
    this.#encoding = dialect.encoding
    this.#origin = reading.origin
  }

  /** Known once the header is. */
  get shape(): Shape | undefined {
    return this.#maker.layout?.shape
  }

  /** Rows so far. */
  get rows(): number {
    return this.#scanner.row
  }

  /** The records of the next piece of the file. */
  *read(piece: Buffer): Generator<Row[]> {
    for (let at = 0; at < piece.length; at += pieceLength) {
      const part = piece.subarray(at, at + pieceLength)
      this.#pieces.push(part)
      this.#waiting += part.length
      if (this.#waiting >= this.#wanted) yield* this.#take(false)
    }
  }

  /** What is left when the file has ended. */
  *end(): Generator<Row[]> {
    yield* this.#take(true)
    if (!this.#maker.layout) throw this.#maker.malformed('the file has no header line', this.#scanner.line)
  }

  *#take(final: boolean): Generator<Row[]> {
    const scanner = this.#scanner
    const bytes = this.#begin(this.#gathered(), final)
    if (!bytes) return
    const { text, length, invalid } = decode(bytes, this.#encoding)
    const unfinished = final && length < bytes.length
    const atEnd = final && !invalid && !unfinished
    scanner.open(atEnd && text !== '' && !/[\r\n]$/.test(text) ? `${text}\n` : text, atEnd)
    yield* this.#batches()
    const rest = text.slice(scanner.at)
    if (invalid || unfinished) {
      const line = scanner.line + lineEndsIn(rest)
      throw this.#maker.malformed('the bytes are not valid UTF-8', line, encodingHelp)
    }
    this.#rest = bytes.subarray(length - encodedLength(rest, this.#encoding))
    // A row that goes on for long is read again only when it may have doubled, or its length would count squared.
    this.#wanted = this.#rest.length
  }

  #gathered(): Buffer {
    const pieces = this.#rest.length > 0 ? [this.#rest, ...this.#pieces] : this.#pieces
    const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    this.#pieces = []
    this.#waiting = 0
    return bytes
  }

  /** The bytes without a byte order mark at the start of the file; undefined while they are too few to tell. */
  #begin(bytes: Buffer, final: boolean): Buffer | undefined {
    if (this.#begun || this.#encoding === 'latin1') return bytes
    if (bytes.length < 3 && !final) {
      this.#rest = bytes
      return undefined
    }
    this.#begun = true
    return withoutMark(bytes, this.#encoding)
  }

  *#batches(): Generator<Row[]> {
    const scanner = this.#scanner
    let out: Row[] = []
    for (;;) {
      this.#generated?.(scanner, out, recordsPerBatch)
      // What the generated reader leaves is one row of another kind, or the end of the text.
      if (out.length < recordsPerBatch && !this.#row(out)) break
      if (out.length < recordsPerBatch) continue
      yield out
      out = []
    }
    if (out.length > 0) yield out
  }

  /** Reads one row the plain way; false when it is not all there. */
  #row(out: Row[]): boolean {
    const scanner = this.#scanner
    if (scanner.at >= scanner.text.length) return false
    const cells = this.#cells
    if (!this.#cut(cells)) return false
    const maker = this.#maker
    if (cells.length > 0) {
      if (maker.layout) {
        const record = maker.record(cells, ++scanner.row, scanner.line)
        if (record) out.push(record)
      } else maker.header(cells.slice(), scanner.line)
      if (!this.#prepared) this.#prepare()
    }
    scanner.line += scanner.lineEnds + 1
    scanner.at = scanner.next
    return true
  }

  #cut(cells: string[]): boolean {
    try {
      return this.#scanner.cut(cells)
    } catch (error) {
      throw error instanceof Malformed ? this.#maker.malformed(error.message, error.line) : error
    }
  }

  /** The header is known: the rest of the file can be read by code made for it. */
  #prepare(): void {
    this.#prepared = true
    const { layout } = this.#maker
    if (!layout || layout.unmapped !== undefined) return
    this.#generated = generateReader(layout, this.#scanner, this.#origin)
  }
}

function lineEndsIn(text: string): number {
  return text.split(/\r\n|[\r\n]/).length - 1
}

function count(cells: number): string {
  return cells === 1 ? '1 cell' : `${cells} cells`
}
