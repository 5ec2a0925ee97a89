import { closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { ClinkerError } from '../diagnostics/error.ts'
import type { SpillFolder } from './spill-folder.ts'

/** Where something stands in a file: from one frame to the end of the last. */
export interface Extent {
  readonly from: number
  readonly to: number
}

/**
 * A file of frames: length of the body, its checksum, the body. Frames are written one behind the other and read in any order. All calls
 * are synchronous, in pieces of up to a megabyte.
 */
export class SpillFile {
  readonly path: string
  readonly #folder: SpillFolder
  #descriptor: number
  /** Bytes in the file, without the pending ones. */
  #length = 0
  readonly #pending: Buffer
  #pendingLength = 0
  readonly #count: ((bytes: number) => void) | undefined

  /** `buffer`: bytes of small frames collected for one write. `count` is told how many bytes are written. */
  constructor(folder: SpillFolder, buffer = 65_536, count?: (bytes: number) => void) {
    this.#folder = folder
    this.#count = count
    this.#pending = Buffer.allocUnsafeSlow(buffer)
    const { path, descriptor } = folder.open()
    this.path = path
    this.#descriptor = descriptor
  }

  /** Where the next frame will begin. */
  get end(): number {
    return this.#length + this.#pendingLength
  }

  /** Appends a frame whose body is given in parts. */
  append(...parts: Uint8Array[]): void {
    let length = 0
    let checksum = 0
    for (const part of parts) {
      length += part.length
      // Given nothing, crc32 forgets what came before.
      if (part.length > 0) checksum = crc32(part, checksum)
    }
    if (this.#pendingLength + headLength + length > this.#pending.length) this.#flush()
    this.#pending.writeUInt32LE(length, this.#pendingLength)
    this.#pending.writeUInt32LE(checksum, this.#pendingLength + 4)
    this.#pendingLength += headLength
    for (const part of parts) this.#put(part)
  }

  /** The bodies of the frames in an extent; each is valid until the next is asked for. `buffer`: bytes read at once. */
  *frames({ from, to }: Extent, size = 65_536): Generator<Buffer, void, undefined> {
    if (to > this.#length) this.#flush()
    let buffer: Buffer = Buffer.allocUnsafe(Math.min(size, to - from))
    // What of the buffer was read and not handed out yet.
    let start = 0
    let end = 0
    let position = from
    const fill = (needed: number): void => {
      if (end - start >= needed) return
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(needed)
        buffer.copy(larger, 0, start, end)
        buffer = larger
      } else buffer.copyWithin(0, start, end)
      end -= start
      start = 0
      while (end < needed) {
        const read = this.#read(buffer, end, Math.min(buffer.length - end, to - position), position)
        if (read === 0) throw this.#damaged('it ends too early')
        end += read
        position += read
      }
    }
    while (position - (end - start) < to) {
      fill(headLength)
      const length = buffer.readUInt32LE(start)
      const checksum = buffer.readUInt32LE(start + 4)
      if (length > to - position + (end - start) - headLength) throw this.#damaged('a frame goes beyond its end')
      fill(headLength + length)
      start += headLength
      const body = buffer.subarray(start, start + length)
      start += length
      if (crc32(body) !== checksum) throw this.#damaged('a checksum is wrong')
      yield body
    }
  }

  /** Closes and removes the file. Later calls do nothing. */
  remove(): void {
    if (this.#descriptor < 0) return
    closeSync(this.#descriptor)
    this.#descriptor = -1
    this.#folder.shrink(this.#length)
    rmSync(this.path, { force: true })
  }

  #put(bytes: Uint8Array): void {
    if (this.#pendingLength + bytes.length > this.#pending.length) this.#flush()
    if (bytes.length > this.#pending.length) this.#writeOut(bytes)
    else {
      this.#pending.set(bytes, this.#pendingLength)
      this.#pendingLength += bytes.length
    }
  }

  #flush(): void {
    if (this.#pendingLength === 0) return
    const bytes = this.#pending.subarray(0, this.#pendingLength)
    this.#pendingLength = 0
    this.#writeOut(bytes)
  }

  #writeOut(bytes: Uint8Array): void {
    this.#folder.grow(bytes.length)
    // Counted first, so that removing the file gives back what was counted even when writing fails.
    const start = this.#length
    this.#length += bytes.length
    this.#count?.(bytes.length)
    try {
      // A disk that fills up may take a part and tell so only at the next call.
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done, Math.min(bytes.length - done, pieceLength), start + done)
      }
    } catch (cause) {
      throw this.#folder.fault(cause)
    }
  }

  #read(buffer: Buffer, offset: number, length: number, position: number): number {
    try {
      return readSync(this.#descriptor, buffer, offset, Math.min(length, pieceLength), position)
    } catch (cause) {
      throw this.#folder.fault(cause)
    }
  }

  #damaged(how: string): ClinkerError {
    return new ClinkerError('E321', {
      message: `the spill file ${this.path} is damaged: ${how}`,
      help: 'run again; if it happens again, check the disk or name another folder with --spill-dir (spill_dir)',
      actual: this.path,
      exit: 4,
    })
  }
}

/** Length and checksum. */
const headLength = 8
/** The most bytes of one read or write. */
const pieceLength = 1_048_576
