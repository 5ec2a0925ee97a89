import { Duplex, type Writable } from 'node:stream'
import { Intake } from '../../lib/record/intake.ts'
import { shapeOf } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'

/** Options every node takes. */
export interface ShellOptions {
  /**
   * Emit arrays of records instead of single ones: faster from node to node, and one array is one chunk. Both kinds of
   * chunks are taken in, whatever this says. Default: false.
   */
  batch?: boolean
  /** Closes the node when aborted, quietly: no `'error'` is emitted. */
  signal?: AbortSignal
  /**
   * Where rejected records go. The node waits for it when it is full, and never ends it: several nodes may share one.
   */
  dead_letters?: Writable
}

/** Counts of a node so far. */
export interface NodeStats {
  records_in: number
  records_out: number
  bytes_in: number
  bytes_out: number
}

/** What a side of a node carries: records (single or in batches), or bytes. */
export type Side = 'records' | 'bytes'

/** How many records a node gathers into one batch when they come one by one, and about how many a reader makes at once. */
export const recordsPerBatch = 512

/** Records that may wait at either side of a node in single-record mode. */
const recordsWaiting = 256

/** Bytes that may wait at a side of bytes. Node 20 would say 16 KiB, later ones 64 KiB. */
const bytesWaiting = 65_536

/** What a node makes of its input: pieces of output, computed as they are pulled. */
export type Results<Result> = Iterable<Result> | AsyncIterable<Result>

/**
 * The machinery under every node: a Duplex that computes only when its reader has room.
 *
 * Input arrives as pieces (a batch of records, or a Buffer). A piece gives an iterator of results, and the next result is
 * asked for when the readable side wants more; the write callback is held until the iterator is through. So one huge
 * piece becomes records no faster than they are read, and an unread result costs nothing.
 *
 * ```
 * _write ─► gathered ─► run(piece) ─► iterator ─► push      one iterator at a time,
 * _final ─────────────► last()     ─► iterator ─► push      advanced by #pump
 * ```
 */
export abstract class Shell<Piece extends Row[] | Buffer, Result extends Row[] | string | Uint8Array> extends Duplex {
  readonly #takesRecords: boolean
  readonly #givesRecords: boolean
  readonly #batch: boolean
  readonly #intake = new Intake()
  readonly #deadLetters: Writable | undefined
  readonly #signal: AbortSignal | undefined
  readonly #abort = (): void => void this.destroy()

  /** Pipes into this node; when the only one is a node of ours, its records need no intake. */
  #pipes = 0
  #ownPipes = 0

  #gathered: Row[] = []
  #bytes: Buffer | undefined
  #ticking = false
  #iterator: Iterator<Result> | AsyncIterator<Result> | undefined
  /** The write callback held back until what came with it is through. */
  #written: ((error?: Error | null) => void) | undefined
  #finished: ((error?: Error | null) => void) | undefined
  #phase: 'input' | 'last' | 'ended' = 'input'

  #pumping = false
  /** The reader has enough for now: `_read` clears it. */
  #full = false
  /** Waiting for a promise of the node's, or for the dead letters to drain. */
  #waiting = false
  /** Result records that are not pushed yet, from `#restIndex` on. */
  #rest: Row[] | undefined
  #restIndex = 0
  #close: (() => void) | undefined
  #released = false
  #failed = false
  readonly #counts: NodeStats = { records_in: 0, records_out: 0, bytes_in: 0, bytes_out: 0 }

  constructor(takes: Side, gives: Side, options: ShellOptions = {}) {
    const batch = options.batch ?? false
    const waiting = batch ? 1 : recordsWaiting
    super({
      writableObjectMode: takes === 'records',
      readableObjectMode: gives === 'records',
      writableHighWaterMark: takes === 'records' ? waiting : bytesWaiting,
      readableHighWaterMark: gives === 'records' ? waiting : bytesWaiting,
    })
    this.#takesRecords = takes === 'records'
    this.#givesRecords = gives === 'records'
    this.#batch = batch
    this.#deadLetters = options.dead_letters
    this.#signal = options.signal
    if (this.#signal?.aborted) process.nextTick(this.#abort)
    else this.#signal?.addEventListener('abort', this.#abort, { once: true })
    if (this.#takesRecords) {
      this.on('pipe', (source) => this.#countPipe(source, 1))
      this.on('unpipe', (source) => this.#countPipe(source, -1))
    }
  }

  /** What one piece of input gives. A promise, or nothing, gives no results. */
  protected abstract run(piece: Piece): Results<Result> | Promise<void> | void

  /** What is left to give when the input has ended. */
  protected abstract last(): Results<Result>

  /** Whether the writable side finishes only when the results of `last` are out, so that an error in there fails the write. */
  protected abstract readonly finishesWithLast: boolean

  /** Frees what the node holds: called once, when everything is out or the node is destroyed. */
  release(): void | Promise<void> {}

  /** Counts so far. */
  get stats(): NodeStats {
    return { ...this.#counts }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return
    const closed = new Promise<void>((resolve) => this.once('close', resolve))
    this.destroy()
    await closed
  }

  /**
   * A reader that leaves its loop early makes Node abort the stream. That is no error; one that the node's own work throws is, whatever
   * it is called.
   */
  override destroy(error?: Error | null): this {
    const leaving = error?.name === 'AbortError' && !this.#failed
    return super.destroy(leaving ? undefined : (error ?? undefined))
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    if (!this.#takesRecords) {
      this.#bytes = chunk as Buffer
      this.#counts.bytes_in += this.#bytes.length
    } else {
      try {
        if (!this.#gather(chunk)) {
          // Not a batch yet: the callback is given at once, so that what is written in this tick gathers.
          this.#tick()
          callback()
          return
        }
      } catch (error) {
        this.#failed = true
        callback(toError(error))
        return
      }
    }
    this.#written = callback
    this.#pump()
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#finished = callback
    this.#pump()
  }

  override _read(): void {
    this.#full = false
    this.#pump()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#signal?.removeEventListener('abort', this.#abort)
    const close = (): void => {
      const iterator = this.#iterator
      this.#iterator = this.#rest = this.#bytes = undefined
      this.#gathered = []
      try {
        // A generator's `finally` runs now; one that is waiting for a promise of its own cannot hold us up.
        Promise.resolve(iterator?.return?.()).catch(() => undefined)
      } catch (thrown) {
        error ??= toError(thrown)
      }
      this.#release(error, callback)
    }
    // Destroyed by its own computation, which must come back before its ground is taken away.
    if (this.#pumping) this.#close = close
    else close()
  }

  /** Adds a chunk to the gathered records; true when they are to be processed before anything else is taken. */
  #gather(chunk: unknown): boolean {
    const gathered = this.#gathered
    if (!Array.isArray(chunk)) {
      this.#take(chunk)
      return gathered.push(chunk as Row) >= recordsPerBatch
    }
    if (this.#isOwnBatch(chunk)) this.#counts.records_in += chunk.length
    else for (let index = 0; index < chunk.length; index++) this.#take(chunk[index])
    if (gathered.length === 0 && chunk.length > 0) this.#gathered = chunk
    else for (const record of chunk) gathered.push(record)
    return true
  }

  /** Whether a batch comes from a node of ours, all of whose records are in order. */
  #isOwnBatch(batch: unknown[]): boolean {
    if (this.#ownPipes !== 1 || this.#pipes !== 1) return false
    const [first, last] = [batch[0], batch.at(-1)]
    return isObject(first) && isObject(last) && shapeOf(first) !== undefined && shapeOf(last) !== undefined
  }

  #take(record: unknown): void {
    if (typeof record !== 'object' || record === null || Array.isArray(record) || isOpaque(record)) {
      throw new TypeError(`${this.constructor.name} takes records (objects) or arrays of them, got ${show(record)}`)
    }
    this.#counts.records_in++
    if (this.#ownPipes === 1 && this.#pipes === 1 && shapeOf(record)) return
    this.#intake.take(record)
  }

  #countPipe(source: unknown, step: 1 | -1): void {
    this.#pipes += step
    if (isOwn(source)) this.#ownPipes += step
  }

  #tick(): void {
    if (this.#ticking) return
    this.#ticking = true
    process.nextTick(() => {
      this.#ticking = false
      this.#pump()
    })
  }

  /** Goes on as far as the reader has room. Calls may nest (a push can lead to a write): the outermost does the work. */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    try {
      while (!this.#full && !this.#waiting && !this.destroyed && this.#step());
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#pumping = false
      this.#close?.()
      this.#close = undefined
    }
  }

  /** Does the next thing there is to do; false when there is none. */
  #step(): boolean {
    if (this.#rest) this.#pushRecords()
    else if (this.#deadLetters?.writableNeedDrain) this.#waitForDeadLetters(this.#deadLetters)
    else if (this.#iterator) {
      const next = this.#iterator.next()
      if (next instanceof Promise) this.#waitFor(next, (result) => this.#accept(result))
      else this.#accept(next)
    } else return this.#phase === 'input' && this.#nextPiece()
    return true
  }

  #nextPiece(): boolean {
    let piece: Row[] | Buffer | undefined = this.#bytes
    this.#bytes = undefined
    if (this.#gathered.length > 0) {
      piece = this.#gathered
      this.#gathered = []
    }
    if (piece) {
      const results = this.run(piece as Piece)
      if (results instanceof Promise) this.#waitFor(results, () => undefined)
      else if (results) this.#iterator = iteratorOf(results)
      return true
    }
    if (this.#written) {
      const written = this.#written
      this.#written = undefined
      written()
      return true
    }
    if (!this.#finished) return false
    if (!this.finishesWithLast) this.#finish()
    this.#phase = 'last'
    this.#iterator = iteratorOf(this.last())
    return true
  }

  #accept(next: IteratorResult<Result>): void {
    if (!next.done) return this.#push(next.value)
    this.#iterator = undefined
    if (this.#phase === 'input') return
    this.#phase = 'ended'
    this.#release(null, (error) => {
      if (error) return this.#fail(error)
      this.push(null)
      this.#finish()
    })
  }

  #finish(): void {
    const finished = this.#finished
    this.#finished = undefined
    finished?.()
  }

  #push(result: Result): void {
    if (this.#givesRecords) {
      const batch = result as Row[]
      if (batch.length === 0) return
      this.#counts.records_out += batch.length
      if (this.#batch) this.#full = !this.push(batch)
      else {
        this.#rest = batch
        this.#restIndex = 0
      }
    } else {
      const text = result as string | Uint8Array
      if (text.length === 0) return
      this.#counts.bytes_out += typeof text === 'string' ? Buffer.byteLength(text) : text.length
      this.#full = !this.push(text)
    }
  }

  /** Unpacks a batch, a portion at a time: to ask after every record whether there is room would cost more than the record. */
  #pushRecords(): void {
    const rest = this.#rest as Row[]
    const end = Math.min(rest.length, this.#restIndex + recordsWaiting)
    let room = true
    let index = this.#restIndex
    while (index < end && !this.destroyed) room = this.push(rest[index++])
    if (index < rest.length) this.#restIndex = index
    else this.#rest = undefined
    this.#full = !room
  }

  #waitFor<T>(promise: Promise<T>, then: (value: T) => void): void {
    this.#waiting = true
    promise.then(
      (value) => {
        this.#waiting = false
        if (this.destroyed) return
        then(value)
        this.#pump()
      },
      (error) => this.#fail(error),
    )
  }

  #waitForDeadLetters(letters: Writable): void {
    this.#waiting = true
    const go = (): void => {
      letters.off('drain', go).off('close', go)
      this.#waiting = false
      this.#pump()
    }
    letters.on('drain', go).on('close', go)
  }

  /** Reports an error once: to whoever waits for a write, else by destroying the node. */
  #fail(thrown: unknown): void {
    if (this.destroyed) return
    this.#failed = true
    const error = toError(thrown)
    const waiting = this.#written ?? this.#finished
    this.#written = this.#finished = undefined
    if (waiting) waiting(error)
    // A callback reports in a later tick; nothing more is computed until then.
    this.destroy(error)
  }

  #release(error: Error | null, callback: (error?: Error | null) => void): void {
    if (this.#released) return callback(error)
    this.#released = true
    try {
      const released = this.release()
      if (!(released instanceof Promise)) return callback(error)
      released.then(
        () => callback(error),
        (thrown: unknown) => callback(error ?? toError(thrown)),
      )
    } catch (thrown) {
      callback(error ?? toError(thrown))
    }
  }
}

/** Objects whose content is not in properties: as records they would have no column, and what they hold would be lost. */
function isOpaque(object: object): boolean {
  return (
    ArrayBuffer.isView(object) ||
    object instanceof Map ||
    object instanceof Set ||
    object instanceof Date ||
    object instanceof Promise
  )
}

/** Marks a Readable that hands on records of this library as they are (a port, a merge): behind it, records need no intake. */
export function markOwn(source: Duplex | NodeJS.ReadableStream): void {
  own.add(source)
}

const own = new WeakSet<object>()

function isOwn(source: unknown): boolean {
  return source instanceof Shell || (typeof source === 'object' && source !== null && own.has(source))
}

/** The records of a stream one by one, whether they come single or in batches. Leaving the loop early closes the stream. */
export async function* recordsOf<Out>(stream: AsyncIterable<unknown>): AsyncGenerator<Out, void, undefined> {
  for await (const chunk of stream) {
    if (Array.isArray(chunk)) yield* chunk as Out[]
    else yield chunk as Out
  }
}

function iteratorOf<T>(results: Results<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.iterator in results ? results[Symbol.iterator]() : results[Symbol.asyncIterator]()
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`a node threw ${show(thrown)}`, { cause: thrown })
}

/** What was given, as messages tell it. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60))
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  const name = value.constructor?.name ?? 'Object'
  return name === 'Object' ? 'an object' : `a ${name}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
