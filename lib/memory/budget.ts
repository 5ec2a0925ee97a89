import { ClinkerError } from '../diagnostics/error.ts'
import { preview } from '../diagnostics/preview.ts'

/** The smallest limit a budget accepts, 8K. */
export const smallestLimit = 8192

/** Part of the limit beyond which holders are asked to spill. */
const softShare = 0.8

/** Someone who keeps records in memory and can put them elsewhere. */
export interface Holder {
  /** Kind and name of the node, as messages show it: `reshape "backfill"`. */
  readonly name: string
  /** What of the node holds memory, for messages. Default: `buffered records`. */
  readonly surface?: string
  /** Lower ones spill first: grace partitions 10, Reshape and Cull 15, sort 20. */
  readonly priority: number
  /**
   * Gives up memory, at least `bytes` where that is possible, and releases what it gave up. False when there is nothing to give. Called
   * in the middle of another holder's `charge`, or of one's own.
   */
  spill(bytes: number): boolean
}

/**
 * The memory of one run, counted in bytes of the records held, not of the process. Beyond 80 % of the limit the holders are asked to
 * spill, lowest priority number first, then the largest; what would pass the limit all the same is E310.
 * @example
 * const budget = new MemoryBudget('64M')
 * const held = budget.register({ name: 'sort "by_date"', priority: 20, spill: () => writeRun() })
 * held.charge(recordSize(record))
 */
export class MemoryBudget {
  readonly limit: number
  /** Where spilling begins, and ends. */
  readonly soft: number
  #used = 0
  #peak = 0
  #relieving = false
  readonly #holders = new Set<Registration>()

  constructor(limit: number | string = '512M') {
    this.limit = parseSize(limit)
    if (this.limit < smallestLimit) {
      throw new ClinkerError('E312', {
        message: `memory.limit must be at least 8K (${smallestLimit} bytes), got ${limit}`,
        help: 'raise it',
        expected: smallestLimit,
        actual: limit,
      })
    }
    this.soft = Math.floor(this.limit * softShare)
  }

  /** Bytes held now, by all holders. */
  get used(): number {
    return this.#used
  }

  /** The most that was ever held at once. */
  get peak(): number {
    return this.#peak
  }

  /** Lets a holder take part. It charges what it holds to the registration, and closes it at the end. */
  register(holder: Holder): Registration {
    const registration = new Registration(this, holder)
    this.#holders.add(registration)
    return registration
  }

  /** @internal */
  take(bytes: number, holder: Holder): void {
    if (this.#used + bytes > this.soft) this.#makeRoom(bytes, holder)
    this.#used += bytes
    if (this.#used > this.#peak) this.#peak = this.#used
  }

  /** @internal */
  give(bytes: number): void {
    this.#used -= bytes
  }

  /** @internal */
  leave(registration: Registration): void {
    this.#holders.delete(registration)
  }

  #makeRoom(bytes: number, holder: Holder): void {
    // Who spills may charge in the course of it: that must not start another round.
    if (!this.#relieving) {
      this.#relieving = true
      try {
        this.#relieve(bytes)
      } finally {
        this.#relieving = false
      }
    }
    const needed = this.#used + bytes
    if (needed <= this.limit) return
    throw new ClinkerError('E310', {
      node: holder.name,
      message: `${holder.surface ?? 'buffered records'} would take the run to ${needed} bytes of memory, memory.limit is ${this.limit}`,
      help: 'raise memory.limit',
      expected: this.limit,
      actual: needed,
    })
  }

  #relieve(bytes: number): void {
    const order = [...this.#holders].toSorted((a, b) => a.holder.priority - b.holder.priority || b.held - a.held)
    for (const { holder } of order) {
      for (;;) {
        const before = this.#used
        const excess = before + bytes - this.soft
        if (excess <= 0) return
        if (!holder.spill(excess) || this.#used >= before) break
      }
    }
  }
}

/** What one holder has charged to a budget. */
export class Registration {
  readonly holder: Holder
  readonly #budget: MemoryBudget
  #held = 0
  #open = true

  constructor(budget: MemoryBudget, holder: Holder) {
    this.#budget = budget
    this.holder = holder
  }

  /** Bytes charged and not released yet. */
  get held(): number {
    return this.#held
  }

  /** Bytes below the limit that nobody holds. */
  get room(): number {
    return this.#budget.limit - this.#budget.used
  }

  /** To be called before the memory is taken. Makes holders spill, the caller among them; throws E310 when that does not suffice. */
  charge(bytes: number): void {
    if (!this.#open) return
    this.#budget.take(bytes, this.holder)
    this.#held += bytes
  }

  release(bytes: number): void {
    if (!this.#open) return
    this.#held -= bytes
    this.#budget.give(bytes)
  }

  /** Releases everything and leaves the budget. Later calls do nothing. */
  close(): void {
    if (!this.#open) return
    this.release(this.#held)
    this.#open = false
    this.#budget.leave(this)
  }
}

/**
 * Bytes of a size as options write it: a whole number with an optional binary `K`, `M` or `G`.
 * @example parseSize('64M') // 67108864
 */
export function parseSize(size: number | string): number {
  const match = /^(\d+)([KMG]?)$/.exec(`${size}`)
  const bytes = match ? Number(match[1]) * units[match[2] as keyof typeof units] : Number.NaN
  if (Number.isSafeInteger(bytes)) return bytes
  throw new ClinkerError('E000', {
    message: `a size must be a whole number of bytes with an optional K, M or G, got ${preview(size)}`,
    expected: 'a whole number of bytes with an optional K, M or G',
    actual: size,
  })
}

const units = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }
