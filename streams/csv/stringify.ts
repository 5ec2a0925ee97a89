import { Writable } from 'node:stream'
import * as v from 'valibot'
import { ClinkerError, preview } from '../../lib/diagnostics/index.ts'
import { MemoryBudget, SpillFolder, TextSpool } from '../../lib/memory/index.ts'
import type { Shape } from '../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../lib/record/stamp.ts'
import { NoValue } from '../../lib/record/text.ts'
import type { Row } from '../../lib/record/value.ts'
import { parseSchema, type SchemaColumn } from '../../lib/schema/index.ts'
import type { DeadLetter } from '../node.ts'
import { checkOptions } from '../options.ts'
import { type ShellOptions, Stringifying } from '../shell/index.ts'
import { Bytes } from './bytes.ts'
import { JoinCollision, Unwritable } from './cell-text.ts'
import { Header } from './header.ts'
import { checkJoinValues, type WrittenJoinValues } from './join-values.ts'
import { type CsvFormat, csvOutputOptions, type WrittenSchema } from './options.ts'
import { type Revision, UnionRows } from './union-rows.ts'
import { CellFault, CsvWriter } from './writer.ts'

/** Options of {@link stringify}: the keys of a `csv` output, and what a stream in code needs. */
export interface StringifyOptions extends CsvFormat, ShellOptions {
  /** Write the header line. Default: true. */
  include_header?: boolean
  /** Columns that are known before there is a record: they open the header, and are all of it when none comes. */
  columns?: readonly string[]
  /** Columns of the output: those not in `columns` follow them in the header, and decimals are rounded to their `scale`. */
  schema?: WrittenSchema
  /** How arrays share a cell. Default: joined by `;`, and an element that holds one is refused. */
  join_values?: WrittenJoinValues
  /** What messages and dead letters call the output. Default: `csv`. */
  name?: string
  /** The budget the text of a union header is charged to. Default: one of its own, 512M. */
  memory?: MemoryBudget
  /** The folder in which spill files are made. Default: the system's temporary folder. */
  spill_dir?: string
  /** Whether an array that cannot be joined stops the stream or makes its record a dead letter. Default: `fail_fast`. */
  on_error?: 'fail_fast' | 'continue'
}

/** What a run knows and a stream on its own does not. */
export interface StringifyRun {
  readonly folder?: SpillFolder
  /** The header, when several files of one output share it. It is final once all of them have their records. */
  readonly header?: Header
  /** What was written can be changed at the end, by `revision()`, so no text has to be held back. */
  readonly rewritable?: boolean
  readonly report?: (letter: DeadLetter) => void
}

const stringifyOptions = v.strictObject({
  ...csvOutputOptions.entries,
  include_header: v.optional(v.boolean(), true),
  columns: v.optional(v.array(v.string()), []),
  schema: v.optional(
    v.custom<object>((value) => typeof value === 'object' && value !== null, 'a list of columns'),
    [],
  ),
  join_values: v.optional(v.unknown()),
  name: v.optional(v.string(), 'csv'),
  memory: v.optional(v.instance(MemoryBudget, 'a MemoryBudget')),
  spill_dir: v.optional(v.string()),
  on_error: v.optional(v.picklist(['fail_fast', 'continue']), 'fail_fast'),
  batch: v.optional(v.boolean(), false),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  dead_letters: v.optional(v.instance(Writable, 'a Writable')),
})

/**
 * Writes CSV: records in, text out. Which columns the header has is settled by `header`; rows have their cells under it, whatever the
 * order of their own columns.
 * @example await pipeline(orders, csv.stringify({ header: 'first' }), createWriteStream('orders.csv'))
 */
export function stringify(options: StringifyOptions = {}): CsvStringify {
  return new CsvStringify(options)
}

export class CsvStringify extends Stringifying {
  readonly #node: string
  readonly #name: string
  /** Of a union header: what its rows lack in the end. */
  readonly #union: UnionRows | undefined
  /** Of a union header: the rows, where they cannot be changed once they are written. */
  readonly #spool: TextSpool | undefined
  /** Characters that are handed to the spool at once: few where memory is little. */
  readonly #spooledAtOnce: number
  readonly #includeHeader: boolean
  readonly #delimiter: string
  readonly #header: Header
  readonly #writer: CsvWriter
  readonly #report: ((letter: DeadLetter) => void) | undefined
  readonly #folder: SpillFolder | undefined
  /** Whether the header line is written, which is before the first record unless the rows are held back. */
  #begun = false
  /** Bytes of that line. */
  #headBytes = 0

  constructor(given: StringifyOptions = {}, run: StringifyRun = {}) {
    const name = typeof given?.name === 'string' ? given.name : 'csv'
    const node = `output "${name}"`
    const options = checkOptions(stringifyOptions, given, { node })
    const schema = parseSchema(options.schema, { node })
    const joins = checkJoinValues(options.join_values, { node })
    super(given)
    this.#name = name
    this.#node = node
    this.#includeHeader = options.include_header
    this.#delimiter = options.delimiter
    this.#header = run.header ?? new Header([...options.columns, ...schema.map((column) => column.name)])
    this.#writer = new CsvWriter(this.#header, {
      delimiter: options.delimiter,
      escape_formulas: options.escape_formulas,
      join_values: joins,
      scales: scalesOf(schema),
    })
    const budget = options.memory ?? new MemoryBudget('512M')
    this.#spooledAtOnce = Math.max(1024, budget.limit / 16)
    if (options.header !== 'first') {
      this.#union = new UnionRows(options.delimiter)
      if (!run.rewritable) {
        if (!run.folder) this.#folder = new SpillFolder(options.spill_dir)
        const folder = run.folder ?? (this.#folder as SpillFolder)
        this.#spool = new TextSpool({ budget, folder, node })
      }
    }
    const letters = options.dead_letters
    if (options.on_error === 'continue') {
      this.#report = run.report ?? ((letter: DeadLetter): void => void letters?.write(letter))
    }
  }

  *process(batch: Row[]): Iterable<Uint8Array> {
    const out = new Bytes()
    let start = 0
    while (start < batch.length) {
      const shape = shapeOf(batch[start] as Row) as Shape
      let end = start + 1
      while (end < batch.length && shapeOf(batch[end] as Row) === shape) end++
      if (this.#union) this.#header.widen(shape)
      else this.#settle(shape)
      const width = this.#header.names.length
      if (!this.#spool) out.text(this.#begin())
      const before = out.at
      this.#write(out, batch, start, end, shape, width)
      this.#union?.add(out.buffer.subarray(before, out.at), width)
      start = end
    }
    const bytes = out.take()
    if (this.#spool) this.#spoolText(this.#spool, bytes.toString())
    else if (bytes.length > 0) yield bytes
  }

  *finish(): Iterable<string | Uint8Array> {
    const { names } = this.#header
    yield this.#begin()
    if (!this.#union || !this.#spool) return
    const complete = this.#union.completer(names.length)
    // The spool uses its buffers again; what is given away must last.
    for (const piece of this.#spool.read()) yield* complete(Buffer.from(piece))
  }

  /**
   * What has to be done to the text that was given, now that all records of all files that share the header are there; undefined when it
   * is right as it is.
   * @internal
   */
  revision(): Revision | undefined {
    const width = this.#header.names.length
    if (!this.#union || this.#spool || this.#union.fit(width)) return undefined
    const head = this.#includeHeader ? this.#writer.header() : ''
    return { from: this.#headBytes, head, copy: this.#union.completer(width) }
  }

  override release(): void {
    this.#spool?.release()
    this.#folder?.close()
  }

  #spoolText(spool: TextSpool, text: string): void {
    const step = this.#spooledAtOnce
    for (let at = 0; at < text.length; at += step) spool.write(text.slice(at, at + step))
  }

  /** Checks the columns of a record against the header, which the first one settles. */
  #settle(shape: Shape): void {
    const column = this.#header.settle(shape)
    if (column === undefined) return
    throw new ClinkerError('SchemaDrift', {
      node: this.#node,
      message: `a record has the column ${preview(column)}, which the CSV header does not have: it was fixed by the first record`,
      help: 'let `header` be union, declare the column, or leave it out by `include_unmapped: false`',
      exit: 4,
    })
  }

  /** The header line, the first time it is asked for. */
  #begin(): string {
    if (this.#begun) return ''
    this.#begun = true
    if (!this.#includeHeader || this.#header.names.length === 0) return ''
    const line = this.#writer.header()
    this.#headBytes = Buffer.byteLength(line)
    return line
  }

  /** Writes rows of one shape in the columns known so far. */
  #write(out: Bytes, batch: Row[], start: number, end: number, shape: Shape, width: number): void {
    const writer = this.#writer.of(shape)
    const tail = `${this.#delimiter.repeat(Math.max(width, 1) - Math.max(writer.width, 1))}\n`
    // An empty line is no row for any reader. Rows under a union header may still get more cells, so there it waits.
    const empty = width === 1 && !this.#union ? '""' : ''
    const before = out.at
    try {
      return writer.write(out, batch, start, end, tail, empty)
    } catch (error) {
      if (!(error instanceof CellFault)) throw error
      if (!this.#report || !(error.cause instanceof JoinCollision)) throw this.#unwritable(error)
      out.at = before
      if (end - start === 1) return this.#reject(this.#report, batch[start] as Row, error, error.cause)
    }
    for (let index = start; index < end; index++) this.#write(out, batch, index, index + 1, shape, width)
  }

  #reject(report: (letter: DeadLetter) => void, record: Row, fault: CellFault, collision: JoinCollision): void {
    const file = originOf(record)?.file
    report({
      category: 'multi_value_join_collision',
      detail: this.#unwritable(fault).reason,
      stage: `output:${this.#name}`,
      trigger: true,
      field: fault.column,
      value: collision.element,
      record,
      source: { name: file?.source ?? '', file: file?.path ?? '', row: rowOf(record) },
    })
  }

  #unwritable(fault: CellFault): ClinkerError {
    const column = preview(fault.column)
    const { cause } = fault
    if (cause instanceof JoinCollision) {
      return new ClinkerError('MultiValueJoinCollision', {
        node: this.#node,
        message: `column ${column}: the element ${preview(cause.element)} holds ${preview(cause.delimiter)}, which separates the elements`,
        help: `give ${column} another \`delimiter\` in \`join_values\`, or \`on_conflict: escape\` or \`encode_json\``,
        exit: 4,
      })
    }
    if (cause instanceof NoValue) {
      return new ClinkerError('UnwritableValue', {
        node: this.#node,
        message: `column ${column} cannot be written: ${cause.message}`,
        help: 'give it another value, or null, before the output',
        exit: 4,
      })
    }
    if (!(cause instanceof Unwritable)) throw cause
    if (cause.kind === 'nested array') {
      return new ClinkerError('UnserializableArrayValue', {
        node: this.#node,
        message: `column ${column} holds an array inside an array, which CSV has no cell for`,
        help: 'let `join_values` have `on_conflict: encode_json` for it, or make it flat in CXL',
        exit: 4,
      })
    }
    return new ClinkerError('UnserializableMapValue', {
      node: this.#node,
      message: `column ${column} holds a map, which CSV has no cell for`,
      help: 'leave `include_unmapped` at true, so that its fields are columns of their own, or turn the value into a scalar in CXL',
      exit: 4,
    })
  }
}

function scalesOf(schema: readonly SchemaColumn[]): Map<string, number> {
  const scales = new Map<string, number>()
  for (const { name, scale } of schema) if (scale !== undefined) scales.set(name, scale)
  return scales
}
