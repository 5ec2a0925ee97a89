import type { Row } from '../record/value.ts'
import { RowBlock } from './row-block.ts'
import { Merge, reduceRuns, type Run, type RunCursor, RunWriter, type SpillSite } from './runs.ts'
import type { SpillFile } from './spill-file.ts'

/** Puts rows in the order of a number, those of one number in the order in which they came. Holds packed rows, and spills. */
export class ArrivalSort {
  readonly #site: SpillSite
  /** Bytes that are held before a run is written. */
  readonly #capacity: number
  #block = new RowBlock()
  #charged = 0
  #sorted = true
  #highest = Number.NEGATIVE_INFINITY
  #runs: readonly Run[] = []
  #file: SpillFile | undefined

  constructor(site: SpillSite, capacity: number) {
    this.#site = site
    this.#capacity = capacity
  }

  add(number: number, row: Row): void {
    this.#added(number, this.#site.codec.pack(row, this.#block, number))
  }

  addFrom(number: number, block: RowBlock, index: number): void {
    this.#added(number, this.#block.appendFrom(block, index, number))
  }

  /** Writes what is held as a run. False when there is nothing. */
  spill(): boolean {
    const block = this.#block
    if (block.count === 0) return false
    this.#file ??= this.#site.open()
    const writer = new RunWriter(this.#file, this.#site)
    if (this.#sorted) for (let index = 0; index < block.count; index++) writer.addFrom(block, index)
    else for (const index of inOrder(block)) writer.addFrom(block, index)
    this.#runs = [...this.#runs, writer.close()]
    this.#clear()
    return true
  }

  /** All rows in order, as records; no more come. */
  merge(): Merge {
    this.spill()
    this.#runs = reduceRuns(this.#runs, this.#site, (runs) => new Merge(runs, this.#site, byNumber))
    return new Merge(this.#runs, this.#site, byNumber, this.#site.codec)
  }

  /** Accounts for the row that was just put into the block. */
  #added(number: number, length: number): void {
    if (number < this.#highest) this.#sorted = false
    else this.#highest = number
    const { registration } = this.#site
    const bytes = length + rowBytes
    // Where there is no room for it, it goes to disk at once.
    if (bytes > registration.room) {
      this.spill()
      return
    }
    registration.charge(bytes)
    // Making room may have taken it away already.
    if (this.#block.count === 0) {
      registration.release(bytes)
      return
    }
    this.#charged += bytes
    if (this.#charged >= this.#capacity) this.spill()
  }

  #clear(): void {
    this.#block = new RowBlock()
    this.#sorted = true
    this.#highest = Number.NEGATIVE_INFINITY
    this.#site.registration.release(this.#charged)
    this.#charged = 0
  }
}

/** Bytes a packed row takes besides its own. */
const rowBytes = 12

function byNumber(a: RunCursor, b: RunCursor): number {
  return a.number - b.number
}

/**
 * The rows of a block by number, stable. A typed array sorts several times as fast as an array with a comparator, so the place of a row goes
 * into the lower digits of its number.
 */
function* inOrder(block: RowBlock): Generator<number, void, undefined> {
  const { count } = block
  // A power of two, by which division is exact.
  const places = 2 ** Math.ceil(Math.log2(count))
  const keys = new Float64Array(count)
  for (let index = 0; index < count; index++) keys[index] = block.numberAt(index) * places + index
  keys.sort()
  for (const key of keys) yield key - Math.floor(key / places) * places
}
