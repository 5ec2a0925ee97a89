import { Writable } from 'node:stream'
import * as v from 'valibot'
import { ClinkerError, preview } from '../../lib/diagnostics/index.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import type { Row } from '../../lib/record/value.ts'
import { parseSchema, type SchemaColumn } from '../../lib/schema/index.ts'
import type { DeadLetter } from '../node.ts'
import { checkOptions } from '../options.ts'
import { Parsing, recordsPerBatch, type ShellOptions } from '../shell/index.ts'
import { EncodingFault, TextLines } from './lines.ts'
import { ObjectEnds } from './objects.ts'
import { JsonRecords } from './reader.ts'

/** Options of {@link parseNdjson}. */
export interface NdjsonParseOptions extends ShellOptions {
  /**
   * The declared columns, as a source's `schema`: a list of `{ name, type, … }` or a map from names to types. A nested field is
   * `pos.dec`, a key that itself holds a dot `a\.b`. Default: every field is a column of any type.
   */
  schema?: unknown
  /** What happens to fields the schema does not name: carried along, dropped, or refused. Default: `auto_widen`. */
  on_unmapped?: { mode: 'auto_widen' | 'drop' | 'reject' }
  /** Date patterns tried behind the built-in forms. */
  date_formats?: readonly string[]
  /** What messages, dead letters and `$source.name` call the source. Default: `json`. */
  name?: string
  /** The file that is read, for messages and `$source.file`. Default: none. */
  file?: string
  /** Whether a value that does not convert stops the stream or makes its record a dead letter. Default: `fail_fast`. */
  on_error?: 'fail_fast' | 'continue'
}

/** Options of {@link parseJson}. */
export interface JsonParseOptions extends NdjsonParseOptions {
  /** `ndjson`: exactly one object a line. Default: objects one after another, on as many lines as they take. */
  format?: 'ndjson'
}

/** The `options` of a source of type `json`, as the YAML has them. */
export const jsonSourceOptions = v.strictObject({
  format: v.optional(
    v.pipe(
      v.picklist(['array', 'ndjson', 'object']),
      v.description('Seen from the content when absent. Only objects one after another can be read yet.'),
    ),
  ),
  record_path: v.optional(
    v.pipe(v.string(), v.description('Dotted keys from the root to the array of records. Not supported yet.')),
  ),
  max_index_bytes: v.optional(
    v.pipe(v.union([v.string(), v.number()], 'a size'), v.description('Of use with `record_path` only.')),
  ),
})

const parseOptions = v.strictObject({
  ...jsonSourceOptions.entries,
  schema: v.optional(v.unknown()),
  on_unmapped: v.optional(v.strictObject({ mode: v.picklist(['auto_widen', 'drop', 'reject']) }), {
    mode: 'auto_widen',
  }),
  date_formats: v.optional(v.array(v.string('a date pattern'))),
  name: v.optional(v.string(), 'json'),
  file: v.optional(v.string(), ''),
  on_error: v.optional(v.picklist(['fail_fast', 'continue']), 'fail_fast'),
  batch: v.optional(v.boolean()),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  dead_letters: v.optional(v.instance(Writable, 'a Writable')),
})

/**
 * Reads one JSON object a line. Nested objects become dotted columns, arrays stay values; integers keep all their digits and `2.0` stays
 * a float. Blank lines are skipped.
 * @example createReadStream('orders.ndjson').pipe(ndjson.parse({ schema: { id: 'int', 'customer.name': 'string' } }))
 */
export function parseNdjson(options: NdjsonParseOptions = {}): JsonParse {
  return new JsonParse(options, 'ndjson')
}

/** As {@link parseNdjson}, but an object may take several lines, and a line may hold several objects. */
export function parseJson(options: JsonParseOptions = {}): JsonParse {
  return new JsonParse(options)
}

/** What the runner gives a reader besides its options. */
export interface ReaderContext {
  readonly columns: readonly SchemaColumn[] | undefined
  readonly origin: Origin
  readonly report: ((letter: DeadLetter) => void) | undefined
  /** Rows of the source that earlier files had. Default: 0. */
  readonly rowsBefore?: number
}

export class JsonParse extends Parsing {
  readonly #records: JsonRecords
  readonly #lines = new TextLines()
  readonly #ends: ObjectEnds | undefined
  /** The line that comes next, from 1. */
  #line = 1
  /** The beginning of an object that has not ended, and the line it begins on. */
  #begun: string[] = []
  #begunLength = 0
  #begunLine = 1

  constructor(given: JsonParseOptions = {}, format?: 'ndjson', context?: ReaderContext) {
    const written = typeof given?.name === 'string' ? given.name : 'json'
    const node = `source "${written}"`
    const options = checkOptions(parseOptions, given, { node })
    super(given)
    const { on_error, dead_letters } = options
    const layout = format ?? options.format
    checkDocument(layout, options.record_path, node)
    if (layout !== 'ndjson') this.#ends = new ObjectEnds()
    const columns = context
      ? context.columns
      : options.schema === undefined
        ? undefined
        : parseSchema(options.schema, { node })
    const report = on_error === 'continue' ? (letter: DeadLetter) => void dead_letters?.write(letter) : undefined
    this.#records = new JsonRecords({
      columns,
      on_unmapped: options.on_unmapped.mode,
      date_formats: options.date_formats,
      origin: context?.origin ?? new Origin(new SourceFile(options.name, options.file)),
      report: context ? context.report : report,
      rowsBefore: context?.rowsBefore ?? 0,
    })
  }

  *process(piece: Buffer): Iterable<Row[]> {
    for (let start = 0; start < piece.length; start += pieceBytes) {
      yield* this.#batches(() => this.#lines.push(piece.subarray(start, start + pieceBytes)))
    }
  }

  *finish(): Iterable<Row[]> {
    yield* this.#batches(() => this.#lines.end())
    if (this.#ends?.open) this.#records.read(this.#begun.join(''), this.#begunLine)
  }

  #batches(decode: () => string): Iterable<Row[]> {
    let text: string
    try {
      text = decode()
    } catch (error) {
      const linesBefore = error instanceof EncodingFault ? error.linesBefore : 0
      const what =
        error instanceof EncodingFault ? `is ${error.message}` : `cannot be read: ${(error as Error).message}`
      throw this.#records.malformed(what, this.#line + linesBefore)
    }
    return this.#ends ? this.#objects(text, this.#ends) : this.#objectsByLine(text)
  }

  *#objectsByLine(text: string): Iterable<Row[]> {
    let batch: Row[] = []
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start)
      const end = newline < 0 ? text.length : newline
      const line = text.slice(start, end)
      start = end + 1
      const number = this.#line++
      if (line.charCodeAt(0) !== openingBrace && isBlank(line)) continue
      const record = this.#records.read(line, number)
      if (record && batch.push(record) >= recordsPerBatch) {
        yield batch
        batch = []
      }
    }
    if (batch.length > 0) yield batch
  }

  *#objects(text: string, ends: ObjectEnds): Iterable<Row[]> {
    let batch: Row[] = []
    for (let index = 0; index < text.length; ) {
      if (!ends.open) {
        const start = this.#skipBlanks(text, index)
        if (start === text.length) break
        if (text.charCodeAt(start) !== openingBrace) throw this.#noObject(text, start)
        this.#begunLine = this.#line
        index = start
      }
      const end = ends.find(text, index)
      const part = text.slice(index, end < 0 ? text.length : end)
      for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) this.#line++
      if (end < 0) {
        this.#begun.push(part)
        this.#begunLength += part.length
        if (this.#begunLength > longestObject) {
          throw this.#records.malformed(`begins an object of more than ${longestObject} characters`, this.#begunLine)
        }
        break
      }
      const whole = this.#begun.length > 0 ? this.#begun.join('') + part : part
      this.#begun = []
      this.#begunLength = 0
      index = end
      const record = this.#records.read(whole, this.#begunLine)
      if (record && batch.push(record) >= recordsPerBatch) {
        yield batch
        batch = []
      }
    }
    if (batch.length > 0) yield batch
  }

  /** The next character that is no white space, counting lines on the way. */
  #skipBlanks(text: string, from: number): number {
    for (let index = from; index < text.length; index++) {
      const character = text[index]
      if (character === '\n') this.#line++
      else if (character !== ' ' && character !== '\t' && character !== '\r') return index
    }
    return text.length
  }

  #noObject(text: string, start: number): ClinkerError {
    const column = start - text.lastIndexOf('\n', start)
    if (text[start] === '[' && this.#records.isFirst) {
      return this.#records.malformed(`begins with \`[\`: ${notRead}`, this.#line, column, linesInstead)
    }
    return this.#records.malformed(
      `is not JSON objects one after another: column ${column} cannot be ${JSON.stringify(text[start])}`,
      this.#line,
      column,
    )
  }
}

/** Pieces are decoded by so many bytes: a piece may be a whole file. */
const pieceBytes = 2 ** 18

/** A longer object that does not end is an object that someone forgot to close. */
const longestObject = 2 ** 28

const openingBrace = 123

function isBlank(line: string): boolean {
  return /^[ \t\r]*$/.test(line)
}

/** Checks what says where in a document the records are. */
function checkDocument(format: string | undefined, path: string | undefined, node: string): void {
  if (path !== undefined) {
    const keys = path.startsWith('/') ? path.split(/[./]/) : path.replace(/^\$\./, '').split('.')
    const corrected = keys.filter((key) => key !== '').join('.')
    if (path === '' || path !== corrected) {
      throw new ClinkerError('E363', {
        message: `record_path must be keys with dots between them, from the root to an array, got ${preview(path)}`,
        node,
        help: corrected === '' ? 'leave it out when the document itself is the array' : `write \`${corrected}\``,
        actual: path,
      })
    }
    throw notReadYet(node, 'record_path is given')
  }
  if (format === 'object') {
    throw new ClinkerError('E000', {
      message: 'format: object needs a record_path, which says where in the document the records are',
      node,
      help: 'add record_path, or leave format out when the document is one record',
    })
  }
  if (format === 'array') throw notReadYet(node, 'format is `array`')
}

function notReadYet(node: string, what: string): ClinkerError {
  return new ClinkerError('E000', { message: `${what}: ${notRead}`, node, help: linesInstead })
}

const notRead = 'JSON arrays and documents cannot be read yet'
const linesInstead = 'give one object a line (NDJSON)'
