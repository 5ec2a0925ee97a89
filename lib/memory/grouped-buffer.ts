import { ClinkerError } from '../diagnostics/error.ts'
import { preview } from '../diagnostics/preview.ts'
import type { Key } from '../record/key.ts'
import type { Row } from '../record/value.ts'
import { ArrivalSort } from './arrival-sort.ts'
import type { MemoryBudget, Registration } from './budget.ts'
import { ExternalSort } from './external-sort.ts'
import { GroupPartitions, groupBytes } from './group-partitions.ts'
import { GroupTable } from './group-table.ts'
import type { RowBlock } from './row-block.ts'
import { RowSpool } from './row-spool.ts'
import { MergedRuns, readBlocks, type Run, RunWriter, SpillSite } from './runs.ts'
import { keySize, recordSize } from './size.ts'
import type { SpillFile } from './spill-file.ts'
import type { SpillFolder } from './spill-folder.ts'

export interface GroupedBufferOptions {
  budget: MemoryBudget
  folder: SpillFolder
  /** Kind and name of the node, for messages: `reshape "backfill"`. */
  node: string
  /** What of the node holds memory, for messages. Default: `grouped records`. */
  surface?: string
  /** The columns that make the key, for messages; `[]` when the whole input is one group. */
  partition: readonly string[]
  /**
   * What becomes of a group that does not fit into the limit: `resident` (default) stops with E310, `two_pass` gives it in
   * {@link Group.passes}.
   */
  finalize?: 'resident' | 'two_pass'
  /** The order in which the rows of a group leave; those that tie leave as they came. Default: arrival. */
  order?: ((a: Row, b: Row) => number) | undefined
  /** See {@link MemoryBudget}. Default: 15. */
  priority?: number
  /** A further way out of E310, as part of a sentence: `or set finalize: two_pass`. */
  help?: string
}

/** The rows of one key. Valid until the next group is asked for. */
export interface Group {
  readonly size: number
  /** All rows in the order asked for; the array is the caller's. E310 for a group that has `passes`. */
  rows(): Row[]
  /**
   * Only with `two_pass`, and only for a group too large to be held: a function that gives the rows in batches, in the same order, as
   * often as it is called. Undefined: take `rows()`.
   */
  passes(): (() => Iterable<Row[]>) | undefined
}

/** What a buffer has taken in and spilled so far. */
export interface GroupedBufferStats {
  readonly rows: number
  readonly spilled_bytes: number
  readonly spilled_files: number
}

/**
 * Records by group, in bounded memory. What comes out does not depend on the limit: groups in the order in which their first record came,
 * the records of each in theirs.
 *
 * While the groups are few, they stay in memory in a {@link GroupTable}. When the budget asks for room, the oldest records of the largest
 * group go to disk, a slice at a time, so that a giant group leaves the others alone, until the budget is satisfied. At the end such a
 * group is read back. With `two_pass` each slice is sorted before, so that a group too large to be held only has to be merged.
 *
 * When the groups are many and small, or the table itself takes too much, it is given up ({@link GroupedBuffer.#dissolve}): every
 * record goes to disk with a number, that of the first record of its group, and an external sort by that number brings the groups
 * together in the order in which they leave. Of a record that comes later, the number is not known, as nobody remembers its group any
 * more: it is found at the end, partition by partition ({@link GroupPartitions}).
 * @example
 * for (const record of records) buffer.add(keyOf(record.id), record)
 * for (const group of buffer.groups()) emit(group.rows())
 * buffer.release()
 */
export class GroupedBuffer {
  readonly #options: GroupedBufferOptions
  readonly #limit: number
  readonly #soft: number
  readonly #registration: Registration
  readonly #site: SpillSite
  #rows = 0

  #table: GroupTable | undefined = new GroupTable()
  /** Bytes charged for the table itself. */
  #tableBytes = 0
  /** What is on disk of groups of the table. */
  readonly #spilled = new Map<number, SpilledGroup>()
  #spillFile: SpillFile | undefined
  /** Groups that have left. */
  #emitted = 0
  #finished = false
  /** The order of slices on disk; undefined: that of arrival. */
  readonly #sliceOrder: ((a: Row, b: Row) => number) | undefined
  /** What is read of a giant group that is leaving. */
  #merged: MergedRuns | undefined
  /** The sorts of giant groups that came out of the sort of all rows. */
  readonly #sorts: ExternalSort[] = []

  #sort: ArrivalSort | undefined
  #partitions: GroupPartitions | undefined
  /** The next arrival number. */
  #arrival = 0

  constructor(options: GroupedBufferOptions) {
    const { budget, folder, node, surface, priority } = options
    this.#options = options
    this.#limit = budget.limit
    this.#soft = budget.soft
    this.#sliceOrder = options.finalize === 'two_pass' ? options.order : undefined
    this.#registration = budget.register({
      name: node,
      surface: surface ?? defaultSurface,
      priority: priority ?? 15,
      spill: (bytes) => this.#spill(bytes),
    })
    this.#site = new SpillSite(folder, this.#registration, budget.limit)
  }

  get stats(): GroupedBufferStats {
    let { written, files } = this.#site
    for (const { stats } of this.#sorts) {
      written += stats.spilled_bytes
      files += stats.spilled_files
    }
    return { rows: this.#rows, spilled_bytes: written, spilled_files: files }
  }

  add(key: Key, row: Row): void {
    this.#rows++
    const size = recordSize(row)
    if (this.#table) {
      const group = this.#table.find(key)
      const opening = group < 0 ? groupBytes + keySize(key) : 0
      this.#registration.charge(size + opening)
      // Making room may have dissolved the table.
      if (this.#table) {
        this.#tableBytes += opening
        if (group < 0) this.#table.open(key, row, size)
        else this.#table.append(group, row, size)
        return
      }
      this.#registration.release(size + opening)
    }
    this.#partitions?.add(key, this.#arrival++, row)
  }

  /** The groups, once; no more records are added. Frees what has left, and everything at the end. */
  *groups(): Generator<Group, void, undefined> {
    this.#finished = true
    for (let group = 0; this.#table && group < this.#table.size; group++) {
      this.#emitted = group + 1
      const spilled = this.#spilled.get(group)
      if (spilled) yield* this.#fromTable(this.#table, group, spilled)
      else {
        const bytes = this.#table.bytesOf(group)
        yield this.#resident(this.#table.takeAll(group))
        this.#registration.release(bytes)
      }
    }
    if (this.#sort) yield* this.#fromSort(this.#sort)
    this.release()
  }

  /** Frees memory and files. Can be called at any moment and more than once. */
  release(): void {
    this.#registration.close()
    this.#table = undefined
    this.#spilled.clear()
    this.#partitions = undefined
    this.#sort = undefined
    this.#site.close()
    this.#merged?.release()
    this.#sorts.at(-1)?.release()
  }

  /** A place on disk for records that the caller puts aside. It goes with the buffer. */
  spool(): RowSpool {
    return new RowSpool(this.#site)
  }

  /** A group of the table of which a part is on disk. */
  *#fromTable(table: GroupTable, group: number, spilled: SpilledGroup): Generator<Group, void, undefined> {
    const bytes = table.bytesOf(group)
    const total = spilled.bytes + bytes
    if (this.#mayPass(total)) {
      if (bytes > 0) this.#spillSlice(table, group, bytes)
      this.#spilled.delete(group)
      const { size } = spilled
      const merged = new MergedRuns(spilled.runs, this.#site, this.#sliceOrder, this.#spillFile)
      this.#merged = merged
      yield this.#passing(size, total, () => merged.batches())
      merged.release()
      return
    }
    this.#spilled.delete(group)
    // Out of the table, so that making room cannot spill them.
    const tail = table.takeAll(group)
    const fits = this.#tryCharge(spilled.bytes, total)
    if (!fits) this.#registration.release(bytes)
    const rows: Row[] = []
    for (const row of this.#read(spilled)) {
      rows.push(row)
      if (!fits) throw this.#tooLarge(rows[0] as Row, total)
    }
    for (const row of tail) rows.push(row)
    yield this.#resident(rows)
    this.#registration.release(total)
  }

  *#fromSort(sort: ArrivalSort): Generator<Group, void, undefined> {
    this.#partitions?.process(sort)
    const merge = sort.merge()
    let cursor = merge.next()
    while (cursor) {
      const { number } = cursor
      const first = cursor.record
      let row = first
      let rows: Row[] = []
      let size = 0
      let bytes = 0
      let fits = true
      let giant: ExternalSort | undefined
      for (;;) {
        const rowBytes = recordSize(row)
        size++
        bytes += rowBytes
        if (giant) giant.add(row)
        else if (this.#mayPass(bytes)) {
          giant = this.#openSort()
          this.#registration.release(bytes - rowBytes)
          for (const held of rows) giant.add(held)
          giant.add(row)
          rows = []
        } else if (fits) {
          fits = this.#tryCharge(rowBytes, bytes)
          if (fits) rows.push(row)
          // The others are only counted, to tell how large the group is.
          else {
            this.#registration.release(bytes - rowBytes)
            rows = []
          }
        }
        cursor = merge.next()
        if (cursor?.number !== number) break
        row = cursor.record
      }
      if (!fits) throw this.#tooLarge(first, bytes)
      const sorted = giant
      yield sorted ? this.#passing(size, bytes, () => sorted.sorted(true)) : this.#resident(rows)
      // Released in the meantime.
      if (this.#sort !== sort) return
      if (giant) giant.release()
      else this.#registration.release(bytes)
    }
  }

  #openSort(): ExternalSort {
    const { budget, folder, node, surface, order } = this.#options
    const sort = new ExternalSort({ budget, folder, node, surface: surface ?? defaultSurface, compare: order })
    this.#sorts.push(sort)
    return sort
  }

  #resident(rows: Row[]): Group {
    const { order } = this.#options
    if (order && rows.length > 1) rows.sort(order)
    return new ResidentGroup(rows)
  }

  /** A group that is read as often as asked, and never held. */
  #passing(size: number, bytes: number, read: () => Iterable<Row[]>): Group {
    return {
      size,
      rows: () => {
        for (const [first] of read()) throw this.#tooLarge(first as Row, bytes)
        return []
      },
      passes: () => read,
    }
  }

  /** Whether a group is so large that it leaves in passes. A smaller one is quicker in memory, even if it was spilled. */
  #mayPass(bytes: number): boolean {
    return this.#options.finalize === 'two_pass' && bytes > this.#limit / 4
  }

  /** Charges a part of a group; false when the group does not fit. */
  #tryCharge(part: number, group: number): boolean {
    if (group > this.#limit) return false
    try {
      this.#registration.charge(part)
      return true
    } catch (error) {
      if (error instanceof ClinkerError && error.code === 'E310') return false
      throw error
    }
  }

  #spill(bytes: number): boolean {
    const table = this.#table
    if (!table) return this.#spillDissolved()
    const group = table.largest()
    if (group < 0) return false
    if (this.#tableBytes > this.#soft / 2 || table.bytesOf(group) < this.#limit / smallestSlices) this.#dissolve(table)
    else this.#spillSlice(table, group, Math.max(bytes, this.#soft / 16, table.bytesOf(group) / 4))
    return true
  }

  #spillDissolved(): boolean {
    const partitions = this.#partitions?.spill() ?? false
    return this.#sort?.spill() || partitions
  }

  /** Writes the oldest rows of a group, so many bytes or all of them. */
  #spillSlice(table: GroupTable, group: number, bytes: number): void {
    const before = table.bytesOf(group)
    const rows = table.takeOldest(group, bytes)
    const written = before - table.bytesOf(group)
    const run = this.#writeSlice(rows)
    let spilled = this.#spilled.get(group)
    if (!spilled) this.#spilled.set(group, (spilled = { size: 0, bytes: 0, runs: [] }))
    spilled.size += rows.length
    spilled.bytes += written
    const last = spilled.runs.at(-1)
    // The slices of one giant group follow each other.
    if (last?.to === run.from && !this.#sliceOrder) {
      spilled.runs[spilled.runs.length - 1] = {
        ...last,
        to: run.to,
        frameBytes: Math.max(last.frameBytes, run.frameBytes),
      }
    } else spilled.runs.push(run)
    this.#registration.release(written)
  }

  #writeSlice(rows: Row[]): Run {
    if (this.#sliceOrder) rows.sort(this.#sliceOrder)
    this.#spillFile ??= this.#site.open()
    const writer = new RunWriter(this.#spillFile, this.#site)
    for (const row of rows) writer.add(row)
    return writer.close()
  }

  /**
   * Gives up the table. Its groups go in their order into the sort, numbered as they stand; for the rows that are still to come, the
   * partitions are told the number of each key.
   */
  #dissolve(table: GroupTable): void {
    const sort = new ArrivalSort(this.#site, this.#limit / 4)
    const partitions = this.#finished ? undefined : new GroupPartitions(this.#site)
    this.#table = undefined
    this.#sort = sort
    this.#partitions = partitions
    this.#arrival = table.size
    let group = -1
    for (const key of table.keys()) {
      if (++group < this.#emitted) continue
      partitions?.mark(key, group)
      const spilled = this.#spilled.get(group)
      if (spilled) {
        for (const block of this.#blocks(spilled)) {
          for (let index = 0; index < block.count; index++) sort.addFrom(group, block, index)
        }
      }
      for (const row of table.takeAll(group)) {
        this.#registration.release(recordSize(row))
        sort.add(group, row)
      }
    }
    this.#spilled.clear()
    // A group that is on its way out may still be read from it.
    if (this.#spillFile && !this.#finished) this.#site.remove(this.#spillFile)
    this.#registration.release(this.#tableBytes)
    this.#tableBytes = 0
  }

  *#blocks({ runs }: SpilledGroup): Generator<RowBlock, void, undefined> {
    for (const run of runs) yield* readBlocks(this.#spillFile as SpillFile, run, this.#site)
  }

  *#read(spilled: SpilledGroup): Generator<Row, void, undefined> {
    for (const block of this.#blocks(spilled)) yield* this.#site.codec.unpack(block.slice(0, block.count))
  }

  #tooLarge(first: Row, bytes: number): ClinkerError {
    const { budget, node, partition, help } = this.#options
    const group =
      partition.length === 0
        ? 'the whole input is one group and'
        : `the group ${partition.map((column) => `${column} = ${preview(first[column])}`).join(', ')}`
    // What others hold counts only where the group alone would fit.
    const beside = bytes > this.#limit ? '' : ` beside the ${budget.used} of the rest of the run`
    const more = help === undefined ? '' : `, ${help}`
    return new ClinkerError('E310', {
      node,
      message: `${group} needs ${bytes} bytes of memory at once${beside}, memory.limit is ${this.#limit}`,
      help: `raise memory.limit well above ${bytes}, which is this group alone${more}`,
      expected: this.#limit,
      actual: bytes,
    })
  }
}

/** Where the rows of a group that left the table stand in the spill file. */
interface SpilledGroup {
  size: number
  bytes: number
  readonly runs: Run[]
}

class ResidentGroup implements Group {
  readonly #rows: Row[]

  constructor(rows: Row[]) {
    this.#rows = rows
  }

  get size(): number {
    return this.#rows.length
  }

  rows(): Row[] {
    return this.#rows
  }

  passes(): undefined {
    return undefined
  }
}

const defaultSurface = 'grouped records'

/** Rows are spilled group by group as long as the largest has at least this part of the limit. */
const smallestSlices = 256
