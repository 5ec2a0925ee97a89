import type { Row } from '../record/value.ts'
import { readBlocks, RunWriter, type SpillSite } from './runs.ts'
import type { SpillFile } from './spill-file.ts'

/** Records that are put aside on disk and read back in the order in which they came. Holds one frame of them. */
export class RowSpool {
  readonly #site: SpillSite
  #file: SpillFile | undefined
  #writer: RunWriter | undefined

  /** Its file goes when the site is closed, if it was not removed before. */
  constructor(site: SpillSite) {
    this.#site = site
  }

  add(row: Row): void {
    this.#file ??= this.#site.open()
    this.#writer ??= new RunWriter(this.#file, this.#site)
    this.#writer.add(row)
  }

  /** The records, once; no more are added. Removes the file at the end. */
  *read(): Generator<Row[], void, undefined> {
    if (!this.#file || !this.#writer) return
    for (const block of readBlocks(this.#file, this.#writer.close(), this.#site)) {
      yield this.#site.codec.unpack(block.slice(0, block.count))
    }
    this.#site.remove(this.#file)
  }
}
