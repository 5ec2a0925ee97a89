import type { MemoryBudget, Registration } from './budget.ts'
import { SpillFile } from './spill-file.ts'
import type { SpillFolder } from './spill-folder.ts'

export interface TextSpoolOptions {
  budget: MemoryBudget
  folder: SpillFolder
  /** Kind and name of the node, for messages: `output "out"`. */
  node: string
  /** What of the node holds memory, for messages. Default: `written text`. */
  surface?: string
  /** See {@link MemoryBudget}. Default: 20. */
  priority?: number
}

/** Text that is written piece by piece and read from the beginning later: in memory as long as the budget allows, then on disk as UTF-8. */
export class TextSpool {
  readonly #registration: Registration
  readonly #folder: SpillFolder
  #pieces: string[] = []
  /** The first half of a surrogate pair that ended a piece: it waits for the other, or encoding would replace both. */
  #half = ''
  #bytes = 0
  #file: SpillFile | undefined
  #released = false

  constructor({ budget, folder, node, surface, priority }: TextSpoolOptions) {
    this.#folder = folder
    this.#registration = budget.register({
      name: node,
      surface: surface ?? 'written text',
      priority: priority ?? 20,
      spill: () => this.#spill(),
    })
  }

  write(text: string): void {
    const bytes = text.length + pieceBytes
    this.#registration.charge(bytes)
    this.#bytes += bytes
    const whole = this.#half + text
    this.#half = endsInHalf(whole) ? whole.slice(-1) : ''
    this.#pieces.push(this.#half === '' ? whole : whole.slice(0, -1))
    // What was asked to spill once will be again, and larger writes are cheaper.
    if (this.#file && this.#bytes > chunkLength) this.#spill()
  }

  /** Everything written so far, in order; a buffer is valid until the next piece is asked for. May be called again. */
  *read(): Generator<string | Buffer, void, undefined> {
    const file = this.#file
    const pieces = this.#pieces
    const half = this.#half
    if (file) {
      for (const bytes of file.frames({ from: 0, to: file.end })) {
        yield bytes
        if (this.#released) return
      }
    }
    yield* chunks(pieces)
    if (half !== '') yield half
  }

  /** Frees memory and file. Can be called at any moment and more than once. */
  release(): void {
    this.#released = true
    this.#registration.close()
    this.#pieces = []
    this.#file?.remove()
  }

  #spill(): boolean {
    if (this.#bytes === 0) return false
    this.#file ??= new SpillFile(this.#folder)
    for (const text of chunks(this.#pieces)) this.#file.append(Buffer.from(text))
    this.#pieces = []
    this.#registration.release(this.#bytes)
    this.#bytes = 0
    return true
  }
}

/** Characters that are joined for one write, or handed out at once. */
const chunkLength = 65_536
/** A text besides its characters. */
const pieceBytes = 24

function* chunks(pieces: readonly string[]): Generator<string, void, undefined> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
