/**
 * Text as UTF-8, written piece by piece and taken at once. Short texts are encoded here, character by character: Node's own encoding
 * costs a call that is worth while only for longer ones. Benchmark: `copy` of bench/run.mjs.
 */
export class Bytes {
  buffer: Buffer
  /** Where the next byte goes. */
  at = 0

  constructor() {
    // Taken out, because a writer may be asked for something while another one is at work.
    this.buffer = spare ?? Buffer.allocUnsafeSlow(chunkLength)
    spare = undefined
  }

  /** Makes room for so many bytes, and behind them for the delimiters of a row. */
  reserve(count: number): void {
    if (this.at + count + roomBehind > this.buffer.length) this.#grow(count)
  }

  /** Writes one byte without looking for room: only directly behind what `reserve` made room for. */
  byte(code: number): void {
    this.buffer[this.at++] = code
  }

  /** Writes any text. */
  text(text: string): void {
    this.reserve(text.length * 3)
    this.at += this.buffer.write(text, this.at)
  }

  /** Writes characters that are all ASCII. */
  ascii(text: string): void {
    this.reserve(text.length)
    const { buffer } = this
    let { at } = this
    for (let index = 0; index < text.length; index++) buffer[at++] = text.charCodeAt(index)
    this.at = at
  }

  /** Writes a whole number of 32 bits. */
  int(value: number): void {
    this.reserve(11)
    const { buffer } = this
    let rest = value
    if (value < 0) {
      this.byte(45)
      rest = -value
    }
    let at = (this.at += digitsOf(rest))
    do {
      const tenth = (rest / 10) | 0
      buffer[--at] = 48 + rest - tenth * 10
      rest = tenth
    } while (rest > 0)
  }

  /** Writes a number between 1e-6 and 1e21, which JavaScript writes without an exponent. */
  float(value: number): void {
    const hundredths = Math.round(value * 100)
    // So few digits name one number only, and no fewer name the same.
    if (hundredths >= 2 ** 31 || hundredths / 100 !== value) return this.ascii(`${value}`)
    const whole = (hundredths / 100) | 0
    this.int(whole)
    const fraction = hundredths - whole * 100
    if (fraction === 0) return
    const tenths = (fraction / 10) | 0
    this.byte(46)
    this.byte(48 + tenths)
    if (fraction !== tenths * 10) this.byte(48 + fraction - tenths * 10)
  }

  /** What has been written. Nothing can be written after it. */
  take(): Buffer {
    const rest = this.buffer.subarray(this.at)
    if (rest.length > 2 * roomBehind) spare = rest
    return this.buffer.subarray(0, this.at)
  }

  #grow(count: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(chunkLength, 2 * (this.at + count + roomBehind)))
    this.buffer.copy(larger, 0, 0, this.at)
    this.buffer = larger
  }
}

/** What is left of the buffer that was written last. */
let spare: Buffer | undefined

const chunkLength = 262_144

/** More than a row has delimiters between two cells that ask for room. */
const roomBehind = 256

function digitsOf(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  if (value < 10_000) return 4
  if (value < 100_000) return 5
  if (value < 1_000_000) return 6
  if (value < 10_000_000) return 7
  if (value < 100_000_000) return 8
  return value < 1_000_000_000 ? 9 : 10
}
