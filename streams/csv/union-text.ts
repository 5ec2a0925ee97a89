import type { TextSpool } from '../../lib/memory/index.ts'

/** Text that was written under a header of so many columns. */
interface Stretch {
  readonly width: number
  bytes: number
}

/**
 * The rows of an output whose header is known only at the end. They are kept as text, in the columns known when they came: a header grows
 * only at its end, so all a row can lack are delimiters behind its cells, and those are added while the text is copied.
 */
export class UnionText {
  readonly #delimiter: string
  readonly #spool: TextSpool
  readonly #pieceLength: number
  readonly #stretches: Stretch[] = []

  /** @param pieceLength characters that are handed to the spool at once: few where memory is little */
  constructor(delimiter: string, spool: TextSpool, pieceLength: number) {
    this.#delimiter = delimiter
    this.#pieceLength = pieceLength
    this.#spool = spool
  }

  /** Takes rows written under a header of `width` columns; a row of one empty cell as an empty line. */
  write(text: string, width: number): void {
    let stretch = this.#stretches.at(-1)
    if (stretch?.width !== width) this.#stretches.push((stretch = { width, bytes: 0 }))
    stretch.bytes += Buffer.byteLength(text)
    for (let at = 0; at < text.length; at += this.#pieceLength) {
      this.#spool.write(text.slice(at, at + this.#pieceLength))
    }
  }

  /** The text under the final header of `width` columns. */
  *read(width: number): Generator<Uint8Array | string> {
    let index = 0
    let stretch = this.#stretches[0]
    let copied = 0
    let completed = this.#completer(stretch?.width ?? width, width)
    for (const piece of this.#spool.read()) {
      // The spool uses its buffers again; what is given away must last.
      const bytes = Buffer.from(piece)
      let at = 0
      while (at < bytes.length && stretch) {
        const end = Math.min(bytes.length, at + stretch.bytes - copied)
        yield completed(bytes.subarray(at, end))
        copied += end - at
        at = end
        if (copied < stretch.bytes) continue
        stretch = this.#stretches[++index]
        copied = 0
        completed = this.#completer(stretch?.width ?? width, width)
      }
    }
  }

  release(): void {
    this.#spool.release()
  }

  /** Completes the text of a stretch, piece by piece. */
  #completer(width: number, final: number): (bytes: Buffer) => Uint8Array {
    if (width === final && width !== 1) return (bytes) => bytes
    const lineEnd = `${this.#delimiter.repeat(final - Math.max(width, 1))}\n`
    const copier = new RowCopier(lineEnd, final === 1 ? '""' : '')
    return (bytes) => copier.copy(bytes)
  }
}

/** Copies rows with another end, and with `empty` for a row without a character. Line ends in quotes are none. */
class RowCopier {
  readonly #lineEnd: string
  readonly #empty: string
  #quoted = false
  #atStart = true

  constructor(lineEnd: string, empty: string) {
    this.#lineEnd = lineEnd
    this.#empty = empty
  }

  copy(bytes: Buffer): Buffer {
    // As Latin-1 a byte is a character, wherever a piece is cut, and neither quote nor line end is part of a longer character.
    const parts = bytes.toString('latin1').split('"')
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        this.#quoted = !this.#quoted
        this.#atStart = false
      }
      if (!this.#quoted && part !== '') parts[index] = this.#rows(part)
    }
    return Buffer.from(parts.join('"'), 'latin1')
  }

  /** Text outside quotes. */
  #rows(text: string): string {
    let rows = text
    if (this.#empty !== '') {
      rows = rows.replace(/(?<=\n)(?=\n)/g, this.#empty)
      if (this.#atStart && text.startsWith('\n')) rows = this.#empty + rows
    }
    this.#atStart = text.endsWith('\n')
    return this.#lineEnd === '\n' ? rows : rows.replaceAll('\n', this.#lineEnd)
  }
}
