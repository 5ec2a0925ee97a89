import { isUtf8 } from 'node:buffer'

/** Bytes that are no UTF-8. */
export class EncodingFault extends Error {
  override readonly name: string = 'EncodingFault'
  /** How many line ends stand before the fault in the bytes since the last text given out. */
  readonly linesBefore: number

  constructor(linesBefore: number) {
    super('not valid UTF-8')
    this.linesBefore = linesBefore
  }
}

/** More bytes than this in one line are refused: they could not be a string. */
const longestLine = 2 ** 28

/**
 * Turns bytes, cut anywhere, into texts of whole lines. Cutting behind a newline never cuts a character, so a piece is decoded in
 * one go; a byte order mark at the start is removed.
 */
export class TextLines {
  #rest: Buffer[] = []
  #restLength = 0
  #started = false

  /** The text of the lines that are whole with this piece, `''` when there is none. */
  push(piece: Buffer): string {
    const end = piece.lastIndexOf(10) + 1
    if (end === 0) {
      this.#keep(piece)
      return ''
    }
    const whole = this.#joined(piece.subarray(0, end))
    this.#keep(piece.subarray(end))
    return this.#decode(whole)
  }

  /** The text of the last line, when no newline ends it. */
  end(): string {
    return this.#decode(this.#joined(Buffer.alloc(0)))
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#rest.push(bytes)
    this.#restLength += bytes.length
    if (this.#restLength > longestLine) throw new RangeError(`a line is longer than ${longestLine} bytes`)
  }

  #joined(end: Buffer): Buffer {
    if (this.#rest.length === 0) return end
    const joined = Buffer.concat([...this.#rest, end])
    this.#rest = []
    this.#restLength = 0
    return joined
  }

  #decode(given: Buffer): string {
    let bytes = given
    if (!this.#started && bytes.length > 0) {
      this.#started = true
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
    }
    if (!isUtf8(bytes)) throw new EncodingFault(linesBeforeFault(bytes))
    return bytes.toString('utf8')
  }
}

function linesBeforeFault(bytes: Buffer): number {
  let lines = 0
  let start = 0
  for (;;) {
    const end = bytes.indexOf(10, start)
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return lines
    lines++
    start = end + 1
  }
}
