/** Packed rows one behind the other, each with a number that goes with it. */
export class RowBlock {
  #bytes: Uint8Array
  #numbers: Float64Array
  /** By row: where its bytes end. */
  #ends: Uint32Array
  #length = 0
  #count = 0

  constructor(
    bytes: Uint8Array = noBytes,
    numbers: Float64Array = new Float64Array(firstRows),
    ends: Uint32Array = new Uint32Array(firstRows),
  ) {
    this.#bytes = bytes
    this.#numbers = numbers
    this.#ends = ends
  }

  /** Reads what {@link RowBlock.parts} gave, as one piece. Refers to its bytes. */
  static from(body: Uint8Array): RowBlock {
    const count = new DataView(body.buffer, body.byteOffset, 4).getUint32(0, true)
    const numbers = new Float64Array(count)
    const ends = new Uint32Array(count)
    const rows = 4 + numbers.byteLength + ends.byteLength
    new Uint8Array(numbers.buffer).set(body.subarray(4, 4 + numbers.byteLength))
    new Uint8Array(ends.buffer).set(body.subarray(4 + numbers.byteLength, rows))
    const block = new RowBlock(body.subarray(rows), numbers, ends)
    block.#length = body.length - rows
    block.#count = count
    return block
  }

  /** How many rows there are. */
  get count(): number {
    return this.#count
  }

  /** Bytes of all rows. */
  get length(): number {
    return this.#length
  }

  numberAt(index: number): number {
    return this.#numbers[index] as number
  }

  isEmptyAt(index: number): boolean {
    return this.#ends[index] === this.#startOf(index)
  }

  /** The bytes of the rows from one index to before another. */
  slice(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(this.#startOf(from), this.#ends[to - 1])
  }

  /** Gives the number of bytes appended. */
  append(number: number, bytes: Uint8Array, start: number, end: number): number {
    const length = end - start
    if (this.#length + length > this.#bytes.length) this.#growBytes(length)
    if (this.#count === this.#ends.length) this.#growRows()
    const to = this.#bytes
    let at = this.#length
    // A row is mostly so short that calling copy takes longer.
    if (length > 256) to.set(bytes.subarray(start, end), at)
    else for (let from = start; from < end; from++) to[at++] = bytes[from] as number
    this.#length += length
    this.#numbers[this.#count] = number
    this.#ends[this.#count++] = this.#length
    return length
  }

  /** Appends a row of another block under a new number. */
  appendFrom(block: RowBlock, index: number, number: number): number {
    return this.append(number, block.#bytes, block.#startOf(index), block.#ends[index] as number)
  }

  clear(): void {
    this.#length = 0
    this.#count = 0
  }

  /** What {@link RowBlock.from} reads, in pieces. */
  parts(): Uint8Array[] {
    const count = new Uint8Array(4)
    new DataView(count.buffer).setUint32(0, this.#count, true)
    return [
      count,
      new Uint8Array(this.#numbers.buffer, 0, this.#count * 8),
      new Uint8Array(this.#ends.buffer, 0, this.#count * 4),
      this.#bytes.subarray(0, this.#length),
    ]
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number)
  }

  #growBytes(length: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + length, 256))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }

  #growRows(): void {
    const numbers = new Float64Array(this.#count * 2)
    numbers.set(this.#numbers)
    this.#numbers = numbers
    const ends = new Uint32Array(this.#count * 2)
    ends.set(this.#ends)
    this.#ends = ends
  }
}

const noBytes = new Uint8Array(0)
const firstRows = 16
