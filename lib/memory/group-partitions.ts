import type { Key } from '../record/key.ts'
import type { ArrivalSort } from './arrival-sort.ts'
import type { Row } from '../record/value.ts'
import { RowBlock } from './row-block.ts'
import { packKeys, unpackKeys } from './row-codec.ts'
import type { SpillSite } from './runs.ts'
import { keySize } from './size.ts'
import type { SpillFile } from './spill-file.ts'

/** Bytes a group takes in a table besides its key. */
export const groupBytes = 80

/**
 * Rows of very many groups, divided by the hash of their keys over files, so that the groups of one file can be told apart in little
 * memory. A row comes with its arrival number; {@link GroupPartitions.process} replaces it by that of its group's first row.
 */
export class GroupPartitions {
  readonly #site: SpillSite
  /** Depth of division: each level hashes differently. */
  readonly #level: number
  readonly #partitions: Partition[]
  /** Bytes at which what a partition holds is written. */
  readonly #frameBytes: number

  constructor(site: SpillSite, level = 0) {
    this.#site = site
    this.#level = level
    const { limit } = site
    const count = Math.min(Math.max(2 ** Math.floor(Math.log2(limit / 65_536)), 8), 32)
    this.#partitions = Array.from({ length: count }, () => new Partition(site))
    this.#frameBytes = limit / 8 / count
  }

  /** A row that came as the `number`th. */
  add(key: Key, number: number, row: Row): void {
    const partition = this.#partitionOf(key)
    this.#added(partition, partition.add(key, this.#site.codec.pack(row, partition.block, number)))
  }

  /** Only tells that the first row of a group came as the `number`th. */
  mark(key: Key, number: number): void {
    const partition = this.#partitionOf(key)
    this.#added(partition, partition.add(key, partition.block.append(number, noRow, 0, 0)))
  }

  /** Writes what is held. False when there is nothing. */
  spill(): boolean {
    let any = false
    for (const partition of this.#partitions) any = partition.flush() || any
    return any
  }

  /** Gives every row to `sort`, with the number of its group's first row. Empties the partitions. */
  process(sort: ArrivalSort): void {
    const { registration, limit } = this.#site
    // Beyond so many bytes of keys, further groups of a partition go one level down.
    const capacity = limit / 4
    for (const partition of this.#partitions) {
      const firsts = new Map<Key, number>()
      let held = 0
      let deeper: GroupPartitions | undefined
      for (const [keys, block] of partition.frames()) {
        for (let index = 0; index < keys.length; index++) {
          const key = keys[index] as Key
          let first = firsts.get(key)
          if (first === undefined) {
            const bytes = groupBytes + keySize(key)
            if (held > 0 && held + bytes > capacity) deeper ??= new GroupPartitions(this.#site, this.#level + 1)
            if (deeper) {
              deeper.#addFrom(key, block, index)
              continue
            }
            registration.charge(bytes)
            held += bytes
            first = block.numberAt(index)
            firsts.set(key, first)
          }
          if (!block.isEmptyAt(index)) sort.addFrom(first, block, index)
        }
      }
      partition.discard()
      firsts.clear()
      registration.release(held)
      deeper?.process(sort)
    }
  }

  #addFrom(key: Key, block: RowBlock, index: number): void {
    const partition = this.#partitionOf(key)
    this.#added(partition, partition.add(key, partition.block.appendFrom(block, index, block.numberAt(index))))
  }

  /** Accounts for the row that was just put into a partition. */
  #added(partition: Partition, bytes: number): void {
    const { registration } = this.#site
    // Where there is no room for it, it goes to disk at once.
    if (bytes > registration.room) {
      partition.flush()
      return
    }
    registration.charge(bytes)
    // Making room may have taken it away already.
    if (partition.block.count === 0) {
      registration.release(bytes)
      return
    }
    partition.charged += bytes
    if (partition.charged >= this.#frameBytes) partition.flush()
  }

  #partitionOf(key: Key): Partition {
    return this.#partitions[hashOf(key, this.#level) % this.#partitions.length] as Partition
  }
}

class Partition {
  readonly block = new RowBlock()
  /** Bytes charged for what is not written yet. */
  charged = 0
  readonly #site: SpillSite
  #keys: Key[] = []
  #file: SpillFile | undefined

  constructor(site: SpillSite) {
    this.#site = site
  }

  /** The key of the row that was just put into the block. Gives the bytes to charge. */
  add(key: Key, rowLength: number): number {
    this.#keys.push(key)
    return rowLength + rowBytes + keySize(key)
  }

  flush(): boolean {
    if (this.#keys.length === 0) return false
    this.#file ??= this.#site.open()
    this.#file.append(packKeys(this.#keys))
    this.#file.append(...this.block.parts())
    this.#site.registration.release(this.charged)
    this.charged = 0
    this.#keys = []
    this.block.clear()
    return true
  }

  *frames(): Generator<[keys: Key[], block: RowBlock], void, undefined> {
    this.flush()
    if (!this.#file) return
    let keys: Key[] | undefined
    for (const body of this.#file.frames({ from: 0, to: this.#file.end }, this.#site.bufferBytes)) {
      if (keys) {
        yield [keys, RowBlock.from(body)]
        keys = undefined
      } else keys = unpackKeys(body)
    }
  }

  discard(): void {
    if (this.#file) this.#site.remove(this.#file)
    this.#file = undefined
  }
}

const noRow = new Uint8Array(0)

/** Bytes a packed row and the slot of its key take besides their own. */
const rowBytes = 20

/** A whole number below 2^31, another one for each level. */
function hashOf(key: Key, level: number): number {
  let hash = Math.imul(level + 1, 0x9e3779b1)
  if (typeof key === 'number') {
    numberView[0] = key
    hash = Math.imul(hash ^ (numberWords[0] as number), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15) ^ (numberWords[1] as number), 0xc2b2ae35)
  } else {
    const text = typeof key === 'string' ? key : `${key}`
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) & 0x7fffffff
}

const numberView = new Float64Array(1)
const numberWords = new Uint32Array(numberView.buffer)
