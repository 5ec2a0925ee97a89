import type { Row } from '../record/value.ts'
import type { MemoryBudget, Registration } from './budget.ts'
import { batchRows, MergedRuns, type Run, RunWriter, SpillSite } from './runs.ts'
import { recordSize } from './size.ts'
import type { SpillFile } from './spill-file.ts'
import type { SpillFolder } from './spill-folder.ts'

export interface ExternalSortOptions {
  budget: MemoryBudget
  folder: SpillFolder
  /** Kind and name of the node, for messages: `sort "by_date"`. */
  node: string
  /** What of the node holds memory, for messages. Default: `sorted records`. */
  surface?: string
  /** The order. Absent: that of arrival. */
  compare?: ((a: Row, b: Row) => number) | undefined
  /** See {@link MemoryBudget}. Default: 20. */
  priority?: number
}

/**
 * Sorts any number of records in bounded memory, stable: runs that fit are sorted and written, then merged.
 * @example
 * for (const record of records) sort.add(record)
 * for (const batch of sort.sorted()) …
 */
export class ExternalSort {
  readonly #compare: ((a: Row, b: Row) => number) | undefined
  readonly #registration: Registration
  readonly #site: SpillSite
  #rows: Row[] = []
  #bytes = 0
  /** Whether `#rows` is everything, and in order. */
  #ready = false
  /** How many of `#rows`, from the first, have left for good. */
  #gone = 0
  #runs: Run[] = []
  /** Of all runs, from the first reading on. */
  #merged: MergedRuns | undefined
  #file: SpillFile | undefined

  constructor({ budget, folder, node, surface, compare, priority }: ExternalSortOptions) {
    this.#compare = compare
    this.#registration = budget.register({
      name: node,
      surface: surface ?? 'sorted records',
      priority: priority ?? 20,
      spill: () => this.#spill(),
    })
    this.#site = new SpillSite(folder, this.#registration, budget.limit)
  }

  /** What was spilled so far. */
  get stats(): { readonly spilled_bytes: number; readonly spilled_files: number } {
    return { spilled_bytes: this.#site.written, spilled_files: this.#site.files }
  }

  add(row: Row): void {
    const bytes = recordSize(row)
    this.#registration.charge(bytes)
    this.#bytes += bytes
    this.#rows.push(row)
  }

  /**
   * The records in order, in batches; no more are added. Frees what has left, and everything at the end, unless `keep` is given: then
   * the call may be repeated until `release()`.
   */
  *sorted(keep = false): Generator<Row[], void, undefined> {
    if (!this.#ready) this.#finish()
    let done = this.#gone
    while (done < this.#rows.length) {
      const batch = this.#rows.slice(done, done + batchRows)
      done += batch.length
      yield batch
      // Unless they were spilled while the batch was away.
      if (!keep && this.#rows.length > 0) this.#forget(done)
    }
    if (this.#runs.length > 0) {
      this.#merged ??= new MergedRuns(this.#runs, this.#site, this.#compare)
      yield* this.#merged.batches(done - this.#gone)
    }
    if (!keep) this.release()
  }

  /** Frees memory and files. Can be called at any moment and more than once. */
  release(): void {
    this.#registration.close()
    this.#ready = true
    this.#rows = []
    this.#bytes = 0
    this.#runs = []
    this.#merged?.release()
    this.#site.close()
  }

  #finish(): void {
    if (this.#file) this.#spill()
    else this.#sortRows()
    this.#ready = true
  }

  #sortRows(): void {
    if (this.#compare) this.#rows.sort(this.#compare)
  }

  /** Frees the rows up to an index, which have left. */
  #forget(end: number): void {
    let bytes = 0
    for (let index = this.#gone; index < end; index++) {
      bytes += recordSize(this.#rows[index] as Row)
      this.#rows[index] = gone
    }
    this.#gone = end
    this.#bytes -= bytes
    this.#registration.release(bytes)
  }

  /** Writes what is held as a run. False when there is nothing. */
  #spill(): boolean {
    if (this.#bytes === 0) return false
    if (!this.#ready) this.#sortRows()
    this.#file ??= this.#site.open()
    const writer = new RunWriter(this.#file, this.#site)
    for (let index = this.#gone; index < this.#rows.length; index++) writer.add(this.#rows[index] as Row)
    this.#runs.push(writer.close())
    this.#rows = []
    this.#registration.release(this.#bytes)
    this.#bytes = 0
    return true
  }
}

const gone: Row = {}
