import { Writable } from 'node:stream'
import * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { type Shape, ShapeTable } from '../../lib/record/shape.ts'
import type { Row } from '../../lib/record/value.ts'
import { type FromText, parseSchema, type SchemaColumn, textReader } from '../../lib/schema/index.ts'
import type { DeadLetter } from '../node.ts'
import { checkOptions } from '../options.ts'
import { Parsing, type Results, type ShellOptions } from '../shell/index.ts'
import { layoutOf } from './layout.ts'
import { DialectReader, type FurtherDialect, isFurther } from './dialect-reader.ts'
import { type CsvDialect, checkDialect, csvSourceOptions, furtherOptions, type WrittenSchema } from './options.ts'
import { CsvReader, type CsvReading } from './reader.ts'
import { checkSplitValues, splitReader, type WrittenSplitValues } from './split-values.ts'

/** Options of {@link parse}: the keys of a `csv` source, and what a stream in code needs. */
export interface ParseOptions extends CsvDialect, FurtherDialect, ShellOptions {
  /**
   * The declared columns: a list of `{ name, type, … }`, or a map from names to types. Cells that do not convert are refused.
   * Default: every column of the file, as text.
   */
  schema?: WrittenSchema
  /** What becomes of columns the schema does not name: carried along, left out or refused. Default: `{ mode: 'auto_widen' }`. */
  on_unmapped?: { mode: 'auto_widen' | 'drop' | 'reject' }
  /** Columns declared `multiple` and how their cells are split. */
  split_values?: WrittenSplitValues
  /** Date patterns tried behind the built-in forms. */
  date_formats?: readonly string[]
  /** What messages and dead letters call the source. Default: `csv`. */
  name?: string
  /** The file that is read, for messages and `$source.file`. */
  file?: string
  /** Whether a row with a bad cell stops the stream or becomes a dead letter. Default: `fail_fast`. */
  on_error?: 'fail_fast' | 'continue'
}

/** What a run knows and a stream on its own does not. */
export interface ParseRun {
  readonly origin?: Origin
  /** One table for all files of a source, so that equal headers give one shape. */
  readonly shapes?: ShapeTable
  /** Rows of the source in the files before this one. */
  readonly rowsBefore?: number
  /** Columns somebody reads or writes. The others are not cut out of the text. */
  readonly needed?: ReadonlySet<string>
  readonly report?: (letter: DeadLetter) => void
}

const parseOptions = v.strictObject({
  ...csvSourceOptions.entries,
  ...furtherOptions.entries,
  schema: v.optional(v.custom<object>((value) => typeof value === 'object' && value !== null, 'a list of columns')),
  on_unmapped: v.optional(v.strictObject({ mode: v.picklist(['auto_widen', 'drop', 'reject']) }), {
    mode: 'auto_widen',
  }),
  split_values: v.optional(v.unknown()),
  date_formats: v.optional(v.array(v.string()), []),
  name: v.optional(v.string(), 'csv'),
  file: v.optional(v.string(), ''),
  on_error: v.optional(v.picklist(['fail_fast', 'continue']), 'fail_fast'),
  batch: v.optional(v.boolean(), false),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  dead_letters: v.optional(v.instance(Writable, 'a Writable')),
})

/**
 * Reads CSV: bytes in, records out. With a schema its columns come first, converted; columns it does not name are carried behind
 * them. Back-pressure holds inside a chunk, too: a file in one Buffer becomes records only as they are read.
 * @example
 * await pipeline(createReadStream('orders.csv'), csv.parse({ schema: { id: 'int', amount: 'decimal' } }), sink)
 * @example
 * for await (const order of stdin.pipe(csv.parse()).records()) console.log(order)
 */
export function parse<Out extends object = Row>(options: ParseOptions = {}): CsvParse<Out> {
  return new CsvParse(options)
}

export class CsvParse<Out extends object = Row> extends Parsing<Out> {
  readonly #reader: CsvReader | DialectReader

  constructor(options: ParseOptions, run: ParseRun = {}) {
    super(options)
    this.#reader = readerOf(options, run)
  }

  /** What is known of the records before the first one comes: undefined until the header has been read. */
  get shape(): Shape | undefined {
    return this.#reader.shape
  }

  process(piece: Buffer): Results<Row[]> {
    return this.#reader.read(piece)
  }

  finish(): Results<Row[]> {
    return this.#reader.end()
  }
}

function readerOf(given: ParseOptions, run: ParseRun): CsvReader | DialectReader {
  const name = typeof given?.name === 'string' ? given.name : 'csv'
  const context = { node: `source "${name}"` }
  const options = checkOptions(parseOptions, given, context)
  const { delimiter, quote_char, has_header, encoding, date_formats, file } = options
  const dialect = checkDialect({ delimiter, quote_char, has_header, encoding }, context)
  const columns = options.schema === undefined ? undefined : parseSchema(options.schema, context)
  if (!has_header && !columns) {
    throw new ClinkerError('E201', {
      node: context.node,
      message: 'without a header line the columns must be declared',
      help: 'give a `schema`, in the order of the cells',
    })
  }
  const splits = checkSplitValues(options.split_values, columns ?? [], context)
  const shapes = run.shapes ?? new ShapeTable()
  const read = (column: SchemaColumn): FromText => {
    const split = splits.get(column.source_name ?? column.name)
    return split ? splitReader(split, column, { date_formats }) : textReader(column, { date_formats })
  }
  const letters = options.dead_letters
  const report = run.report ?? ((letter: DeadLetter): void => void letters?.write(letter))
  const reading: CsvReading = {
    node: context.node,
    source: name,
    file,
    origin: run.origin ?? new Origin(new SourceFile(name, file)),
    rowsBefore: run.rowsBefore ?? 0,
    names: has_header ? undefined : columns?.map((column) => column.name),
    layout: (header) =>
      layoutOf(header, {
        node: context.node,
        columns,
        byPosition: !has_header,
        mode: options.on_unmapped.mode,
        needed: run.needed,
        shapes,
        read,
      }),
    report: options.on_error === 'continue' ? report : undefined,
  }
  return isFurther(given) ? new DialectReader(reading, dialect, given) : new CsvReader(reading, dialect)
}
