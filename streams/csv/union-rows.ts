/** Text that was written under a header of so many columns. */
interface Stretch {
  readonly width: number
  bytes: number
}

/** How written text becomes the final one. */
export interface Revision {
  /** Bytes at the front that `head` replaces. */
  readonly from: number
  readonly head: string
  /** The final form of the text behind them, piece by piece; what is given may share memory with the piece. */
  readonly copy: (piece: Buffer) => Iterable<Uint8Array>
}

/**
 * What must be remembered of rows that were written under a header that may still grow. It grows only at its end, so all a row can lack
 * are delimiters behind its cells, and those can be added while the text is copied.
 */
export class UnionRows {
  readonly #delimiter: string
  readonly #stretches: Stretch[] = []
  /** Whether a row may be an empty line. Not looked for where a line has a delimiter. */
  #hasEmptyLines = false

  constructor(delimiter: string) {
    this.#delimiter = delimiter
  }

  /** Takes note of rows written under a header of `width` columns; a row of one empty cell is an empty line. */
  add(bytes: Buffer, width: number): void {
    let stretch = this.#stretches.at(-1)
    if (stretch?.width !== width) this.#stretches.push((stretch = { width, bytes: 0 }))
    stretch.bytes += bytes.length
    if (width === 1 && (bytes[0] === 10 || bytes.includes('\n\n'))) this.#hasEmptyLines = true
  }

  /** Whether the rows are right as they are under a header of `width` columns. */
  fit(width: number): boolean {
    return (this.#stretches[0]?.width ?? width) === width && !(width === 1 && this.#hasEmptyLines)
  }

  /** Gives the rows, handed in as pieces of their text, the cells of the final header of `width` columns. */
  completer(width: number): (piece: Buffer) => Iterable<Uint8Array> {
    const stretches = this.#stretches
    const delimiter = this.#delimiter
    let next = 0
    let rest = 0
    let completed = (bytes: Buffer): Uint8Array => bytes
    return function* (piece) {
      for (let at = 0; at < piece.length; ) {
        while (rest === 0) {
          const stretch = stretches[next++] as Stretch
          rest = stretch.bytes
          completed = completerOf(stretch.width, width, delimiter)
        }
        const end = Math.min(piece.length, at + rest)
        yield completed(piece.subarray(at, end))
        rest -= end - at
        at = end
      }
    }
  }
}

/** Completes the text of a stretch, piece by piece. */
function completerOf(width: number, final: number, delimiter: string): (bytes: Buffer) => Uint8Array {
  if (width === final && width !== 1) return (bytes) => bytes
  const copier = new RowCopier(`${delimiter.repeat(final - Math.max(width, 1))}\n`, final === 1 ? '""' : '')
  return (bytes) => copier.copy(bytes)
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
