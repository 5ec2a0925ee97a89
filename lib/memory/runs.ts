import TinyQueue from 'tinyqueue'
import type { Registration } from './budget.ts'
import type { Row } from '../record/value.ts'
import { RowBlock } from './row-block.ts'
import { RowCodec } from './row-codec.ts'
import { type Extent, SpillFile } from './spill-file.ts'
import type { SpillFolder } from './spill-folder.ts'

/** Where the rows of one holder are spilled, on whose account, in which form and portions. */
export class SpillSite {
  readonly folder: SpillFolder
  readonly registration: Registration
  readonly codec: RowCodec = new RowCodec()
  /** The memory limit; the portions below suit it: large enough for sequential reading, small enough to hold many of them. */
  readonly limit: number
  /** Bytes of packed rows at which a frame is full. */
  readonly frameBytes: number
  /** Bytes of a file written or read at once. */
  readonly bufferBytes: number
  /** Bytes that the frames of a merge may take together. */
  readonly mergeBytes: number
  /** Files made and bytes written so far. */
  files = 0
  written = 0
  readonly #open = new Set<SpillFile>()

  constructor(folder: SpillFolder, registration: Registration, limit: number) {
    this.folder = folder
    this.registration = registration
    this.limit = limit
    this.frameBytes = Math.min(limit / 512, 131_072)
    this.bufferBytes = Math.min(Math.max(Math.floor(limit / 256), 4096), 65_536)
    this.mergeBytes = limit / 8
  }

  /** Makes a file, which is removed by `close()` unless it was before. */
  open(): SpillFile {
    this.files++
    const file = new SpillFile(this.folder, this.bufferBytes, (bytes) => {
      this.written += bytes
    })
    this.#open.add(file)
    return file
  }

  remove(file: SpillFile): void {
    file.remove()
    this.#open.delete(file)
  }

  close(): void {
    for (const file of this.#open) file.remove()
    this.#open.clear()
  }
}

/** Rows in order, on disk. */
export interface Run extends Extent {
  readonly file: SpillFile
  /** Bytes of its heaviest frame: what reading it takes. */
  readonly frameBytes: number
}

/** Writes a run, frame by frame. */
export class RunWriter {
  readonly #file: SpillFile
  readonly #from: number
  readonly #site: SpillSite
  readonly #block = new RowBlock()
  #heaviest = 0

  constructor(file: SpillFile, site: SpillSite) {
    this.#file = file
    this.#from = file.end
    this.#site = site
  }

  add(row: Row): void {
    this.#site.codec.pack(row, this.#block, 0)
    if (this.#block.length >= this.#site.frameBytes) this.#flush()
  }

  addFrom(block: RowBlock, index: number): void {
    this.#block.appendFrom(block, index, block.numberAt(index))
    if (this.#block.length >= this.#site.frameBytes) this.#flush()
  }

  close(): Run {
    if (this.#block.count > 0) this.#flush()
    return { file: this.#file, from: this.#from, to: this.#file.end, frameBytes: this.#heaviest }
  }

  #flush(): void {
    this.#file.append(...this.#block.parts())
    if (this.#block.length > this.#heaviest) this.#heaviest = this.#block.length
    this.#block.clear()
  }
}

/** A place in a run, at one of its rows. */
export class RunCursor {
  /** Which run it is: of equal rows, that of the earlier run comes first. */
  readonly order: number
  /** Where the row stands, and its number. */
  block = new RowBlock()
  index = -1
  number = 0
  /** The row as a record, unless the cursor was made without a codec. */
  record: Row = {}
  readonly #blocks: Iterator<RowBlock, void>
  readonly #codec: RowCodec | undefined
  /** Records of this row and the next ones. A few at once are unpacked faster than each alone. */
  #records: Row[] = []
  #next = 0

  constructor(order: number, blocks: Iterator<RowBlock, void>, codec?: RowCodec) {
    this.order = order
    this.#blocks = blocks
    this.#codec = codec
  }

  /** Goes to the next row. False behind the last. */
  advance(): boolean {
    if (++this.index === this.block.count) {
      const next = this.#blocks.next()
      if (next.done) return false
      this.block = next.value
      this.index = 0
    }
    this.number = this.block.numberAt(this.index)
    if (this.#codec) this.record = this.#nextRecord(this.#codec)
    return true
  }

  #nextRecord(codec: RowCodec): Row {
    if (this.#next === this.#records.length) {
      const end = Math.min(this.index + recordsAtOnce, this.block.count)
      this.#records = codec.unpack(this.block.slice(this.index, end))
      this.#next = 0
    }
    return this.#records[this.#next++] as Row
  }
}

const recordsAtOnce = 16

/** Orders the rows at which two cursors stand. */
export type CompareCursors = (a: RunCursor, b: RunCursor) => number

/** The rows of runs in order; equal ones in the order of the runs. */
export class Merge {
  readonly #waiting: TinyQueue<RunCursor>
  readonly #compare: CompareCursors
  readonly #registration: Registration
  /** Bytes of the frames that are read side by side. */
  #charged = 0
  #current: RunCursor | undefined

  /** `codec` makes the cursors give records. */
  constructor(runs: readonly Run[], site: SpillSite, compare: CompareCursors, codec?: RowCodec) {
    this.#compare = (a, b) => compare(a, b) || a.order - b.order
    this.#registration = site.registration
    let bytes = 0
    for (const run of runs) bytes += run.frameBytes
    // Charged once for all: whoever takes rows from here then knows what is left for them.
    site.registration.charge(bytes)
    this.#charged = bytes
    const cursors = runs.map((run, order) => new RunCursor(order, readBlocks(run.file, run, site), codec))
    this.#waiting = new TinyQueue(
      cursors.filter((cursor) => cursor.advance()),
      this.#compare,
    )
  }

  /** The cursor that stands at the next row; undefined at the end. It moves on with the next call. */
  next(): RunCursor | undefined {
    const current = this.#current
    if (current?.advance()) {
      const other = this.#waiting.peek()
      if (other === undefined || this.#compare(current, other) < 0) return current
      this.#waiting.push(current)
    }
    this.#current = this.#waiting.pop()
    return this.#current
  }

  close(): void {
    this.#registration.release(this.#charged)
    this.#charged = 0
  }
}

/** The blocks in an extent of a file; each is valid until the next is asked for. */
export function* readBlocks(file: SpillFile, extent: Extent, site: SpillSite): Generator<RowBlock, void, undefined> {
  for (const body of file.frames(extent, site.bufferBytes)) yield RowBlock.from(body)
}

/** Runs as one sequence of records, which is read as often as asked. */
export class MergedRuns {
  readonly #site: SpillSite
  readonly #compare: CompareCursors
  readonly #shared: SpillFile | undefined
  #runs: readonly Run[]

  /** Takes the files of the runs over, but for `shared`. Without `compare`, one run comes behind the other. */
  constructor(
    runs: readonly Run[],
    site: SpillSite,
    compare: ((a: Row, b: Row) => number) | undefined,
    shared?: SpillFile,
  ) {
    this.#site = site
    this.#compare = compare ? (a, b) => compare(a.record, b.record) : () => 0
    this.#shared = shared
    this.#runs = reduceRuns(runs, site, (some) => this.#merge(some), shared)
  }

  /** The records but for the first `skip`. Ends early when the runs are released. */
  *batches(skip = 0): Generator<Row[], void, undefined> {
    const runs = this.#runs
    const merge = this.#merge(runs)
    try {
      let passed = 0
      let batch: Row[] = []
      for (let cursor = merge.next(); cursor; cursor = merge.next()) {
        if (passed++ < skip) continue
        batch.push(cursor.record)
        if (batch.length < batchRows) continue
        yield batch
        if (this.#runs !== runs) return
        batch = []
      }
      if (batch.length > 0) yield batch
    } finally {
      merge.close()
    }
  }

  release(): void {
    for (const { file } of this.#runs) if (file !== this.#shared) this.#site.remove(file)
    this.#runs = []
  }

  #merge(runs: readonly Run[]): Merge {
    return new Merge(runs, this.#site, this.#compare, this.#site.codec)
  }
}

/** Records that leave memory together. */
export const batchRows = 512

/**
 * Merges neighbouring runs until so few are left that they can be read side by side. Removes files that hold no run any more, but for
 * `shared`, in which others have theirs.
 */
export function reduceRuns(
  runs: readonly Run[],
  site: SpillSite,
  open: (runs: readonly Run[]) => Merge,
  shared?: SpillFile,
): readonly Run[] {
  let left = runs
  for (;;) {
    const width = mergeWidth(left, site)
    let excess = left.length - width
    if (excess <= 0) return left
    const file = site.open()
    const merged: Run[] = []
    for (let index = 0; index < left.length; ) {
      const part = left.slice(index, index + Math.min(width, excess + 1))
      merged.push(part.length > 1 ? mergeInto(file, open(part), site) : (part[0] as Run))
      excess -= part.length - 1
      index += part.length
    }
    removeUnused(left, [...merged, ...(shared ? [{ file: shared }] : [])], site)
    left = merged
  }
}

/** Most runs that are merged at once: beyond, seeking costs more than another pass. */
const widestMerge = 32

function mergeWidth(runs: readonly Run[], site: SpillSite): number {
  let heaviest = 1
  for (const run of runs) if (run.frameBytes > heaviest) heaviest = run.frameBytes
  return Math.min(Math.max(Math.floor(site.mergeBytes / heaviest), 2), widestMerge)
}

function mergeInto(file: SpillFile, merge: Merge, site: SpillSite): Run {
  const writer = new RunWriter(file, site)
  for (let cursor = merge.next(); cursor; cursor = merge.next()) writer.addFrom(cursor.block, cursor.index)
  merge.close()
  return writer.close()
}

function removeUnused(
  before: readonly Pick<Run, 'file'>[],
  after: readonly Pick<Run, 'file'>[],
  site: SpillSite,
): void {
  const used = new Set(after.map((run) => run.file))
  for (const { file } of before) if (!used.has(file)) site.remove(file)
}
