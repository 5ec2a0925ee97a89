import { v7 as uuid } from 'uuid'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { ExternalSort, type MemoryBudget, type SpillFolder } from '../../lib/memory/index.ts'
import { csvText, jsonText } from '../../lib/record/text.ts'
import { ShapeTable } from '../../lib/record/shape.ts'
import { shapeOf } from '../../lib/record/stamp.ts'
import { unknownOrigin } from '../../lib/record/origin.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import type { DeadLetter } from '../../streams/node.ts'
import type { DeadLetterSettings, RateSettings } from '../plan/settings.ts'

export interface DeadLetterOptions {
  readonly settings: DeadLetterSettings | undefined
  /** Sources in the order of the pipeline: entries stand in it. */
  readonly sources: readonly string[]
  /** `--error-threshold`: more entries than this stop the run. */
  readonly threshold: number | undefined
  readonly budget: MemoryBudget
  readonly folder: SpillFolder
}

/** The rejected records of a run: counted against their limits as they come, written sorted when the run has ended. */
export class DeadLetters {
  readonly #options: DeadLetterOptions
  readonly #files = new Map<string, LetterFile>()
  readonly #rate: Rate | undefined
  readonly #sourceRates = new Map<string, Rate>()
  #sequence = 0
  #block: { stage: string; key: Row } | undefined
  count = 0

  constructor(options: DeadLetterOptions) {
    this.#options = options
    const { settings } = options
    if (!settings) return
    this.#rate = rateOf(settings)
    for (const [source, own] of settings.per_source) {
      const rate = rateOf(own)
      if (rate) this.#sourceRates.set(source, rate)
    }
  }

  /** Takes an entry. Throws when a limit is passed. */
  add(letter: DeadLetter): void {
    this.count++
    const { settings, threshold } = this.#options
    const path = settings?.per_source.get(letter.source.name)?.path ?? settings?.path
    if (settings && path !== undefined) this.#fileOf(path).add(letter, this.#keyOf(letter))
    if (threshold !== undefined && this.count > threshold) {
      throw new ClinkerError('E315', {
        message: `${this.count} records have failed, --error-threshold allows ${threshold}`,
        help: 'correct the data, or raise the threshold',
        exit: 3,
      })
    }
    // Rows count the records of their source, so they tell how many have come by then.
    const { name, row } = letter.source
    this.#rate?.add(row, undefined)
    this.#sourceRates.get(name)?.add(row, name)
  }

  /** Checks the limits once more when all records are counted. */
  finish(total: number, bySource: ReadonlyMap<string, number>): void {
    this.#rate?.finish(total, undefined)
    for (const [source, rate] of this.#sourceRates) rate.finish(bySource.get(source) ?? 0, source)
  }

  /** The files there are entries for, each with its text in pieces. */
  *files(): Generator<{ path: string; count: number; text: Iterable<string> }> {
    for (const [path, file] of this.#files) yield { path, count: file.count, text: file.text() }
  }

  release(): void {
    for (const file of this.#files.values()) file.release()
  }

  #fileOf(path: string): LetterFile {
    let file = this.#files.get(path)
    if (!file) {
      file = new LetterFile(this.#options.settings as DeadLetterSettings, this.#options)
      this.#files.set(path, file)
    }
    return file
  }

  /**
   * Where an entry stands: by source and row. The entries of a Reshape conflict stay together, behind the others of the
   * source that their trigger came from, in the order in which the conflicts were found.
   */
  #keyOf(letter: DeadLetter): Row {
    const { name, row } = letter.source
    const source = this.#options.sources.indexOf(name)
    const sequence = ++this.#sequence
    if (!letter.stage.startsWith('reshape:')) return { source, conflict: 0, row, sequence }
    if (letter.trigger || this.#block?.stage !== letter.stage) {
      this.#block = { stage: letter.stage, key: { source, conflict: 1, row: 0 } }
    }
    return { ...this.#block.key, sequence }
  }
}

/** The part of dead letters among the records, and the part allowed. */
class Rate {
  readonly #limit: number
  readonly #from: number
  #letters = 0
  /** Entries among the first `from` records. */
  #early = 0
  #position = 0

  constructor(limit: number, from: number) {
    this.#limit = limit
    this.#from = from
  }

  add(position: number, source: string | undefined): void {
    this.#letters++
    if (position <= this.#from) this.#early++
    // Entries of one batch may come stage by stage; the rate is that at the farthest of them.
    this.#position = Math.max(this.#position, position)
    if (this.#position >= this.#from) this.#check(this.#letters, this.#position, source)
  }

  finish(total: number, source: string | undefined): void {
    if (total < this.#from || total === 0) return
    if (this.#from > 0) this.#check(this.#early, this.#from, source)
    this.#check(this.#letters, total, source)
  }

  #check(letters: number, records: number, source: string | undefined): void {
    if (letters <= this.#limit * records) return
    const of = source === undefined ? '' : ` of source "${source}"`
    throw new ClinkerError(source === undefined ? 'E315' : 'E316', {
      message: `${letters} of ${records} records${of} are dead letters (${(letters / records).toFixed(3)}), max_rate allows ${this.#limit}`,
      help: 'correct the data, or raise max_rate',
      exit: 3,
    })
  }
}

function rateOf(settings: RateSettings): Rate | undefined {
  return settings.max_rate === undefined ? undefined : new Rate(settings.max_rate, settings.min_records)
}

/** One dead-letter file. Entries are kept as text, sorted on disk when they do not fit into memory. */
class LetterFile {
  readonly #settings: DeadLetterSettings
  readonly #sort: ExternalSort
  readonly #layouts: (readonly string[])[] = []
  readonly #layoutIds = new Map<string, number>()
  count = 0

  constructor(settings: DeadLetterSettings, { budget, folder }: Pick<DeadLetterOptions, 'budget' | 'folder'>) {
    this.#settings = settings
    this.#sort = new ExternalSort({ budget, folder, compare: compareEntries, priority: 20, node: 'the dead letters' })
  }

  add(letter: DeadLetter, key: Row): void {
    const { include_reason, include_source_row } = this.#settings
    this.count++
    const head = [
      uuid(),
      new Date().toISOString(),
      letter.source.file || mergedFile,
      letter.source.name,
      letter.source.row ? String(letter.source.row) : '',
      letter.field,
      cellText(letter.value),
      ...(include_reason ? [letter.category, letter.detail] : []),
      letter.stage,
      letter.route ?? '',
      String(letter.trigger),
    ]
    const names = include_source_row ? namesOf(letter) : []
    const entry = [
      key.source ?? 0,
      key.conflict ?? 0,
      key.row ?? 0,
      key.sequence ?? 0,
      this.#layoutOf(names),
      head,
      names.map((name) => cellText(letter.record[name] ?? null)),
    ]
    this.#sort.add(entryShape.make(entry, unknownOrigin, 0))
  }

  *text(): Generator<string> {
    const { include_reason } = this.#settings
    const columns = this.#columns()
    const head = headColumns.filter((name) => include_reason || !reasonColumns.includes(name))
    yield line([...head, ...columns])
    const places = this.#layouts.map((names) => columns.map((column) => names.indexOf(column)))
    for (const batch of this.#sort.sorted()) {
      let text = ''
      for (const entry of batch) {
        const cells = entry.cells as string[]
        const layout = places[entry.layout as number] ?? []
        text += line([
          ...(entry.head as string[]),
          ...layout.map((index) => (index < 0 ? '' : (cells[index] as string))),
        ])
      }
      yield text
    }
  }

  release(): void {
    this.#sort.release()
  }

  /** The columns of the records: in their own order when all have the same, else the alphabetical union. */
  #columns(): readonly string[] {
    const [first = []] = this.#layouts
    const all = new Set(this.#layouts.flat())
    return this.#layouts.every((names) => names.length === all.size) ? first : [...all].toSorted(byCodePoint)
  }

  #layoutOf(names: readonly string[]): number {
    const key = JSON.stringify(names)
    let id = this.#layoutIds.get(key)
    if (id === undefined) {
      id = this.#layouts.push(names) - 1
      this.#layoutIds.set(key, id)
    }
    return id
  }
}

/** Shown as the file of a record that came from none. */
const mergedFile = '<merged>'

const reasonColumns = ['_cxl_dlq_error_category', '_cxl_dlq_error_detail']

const headColumns = [
  '_cxl_dlq_id',
  '_cxl_dlq_timestamp',
  '_cxl_dlq_source_file',
  '_cxl_dlq_source_name',
  '_cxl_dlq_source_row',
  '_cxl_dlq_triggering_field',
  '_cxl_dlq_triggering_value',
  ...reasonColumns,
  '_cxl_dlq_stage',
  '_cxl_dlq_route',
  '_cxl_dlq_trigger',
]

const keyColumns = ['source', 'conflict', 'row', 'sequence']

const entryShape = new ShapeTable().of(
  [...keyColumns, 'layout', 'head', 'cells'].map((name) => ({ name, type: Type.of('any') })),
)

function compareEntries(a: Row, b: Row): number {
  for (const column of keyColumns) {
    const difference = (a[column] as number) - (b[column] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** The columns of a record as its shape orders them. */
function namesOf(letter: DeadLetter): readonly string[] {
  return shapeOf(letter.record)?.names ?? Object.keys(letter.record)
}

function cellText(value: Value): string {
  const isMap = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return Array.isArray(value) || isMap ? jsonText(value) : (csvText(value) ?? '')
}

function line(cells: readonly string[]): string {
  const text = cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')
  return `${text === '' ? '""' : text}\n`
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
