import type { Shape } from '../../lib/record/shape.ts'

/** The header of an output, or of several files that share one: columns in first-seen order. It only ever grows at the end. */
export class Header {
  readonly names: string[] = []
  readonly #places = new Map<string, number>()
  #settled = false

  /** @param columns the columns known before there is a record */
  constructor(columns: Iterable<string> = []) {
    for (const name of columns) this.#add(name)
  }

  /** Takes in the columns of a record. */
  widen({ names }: Shape): void {
    for (const name of names) this.#add(name)
  }

  /** Takes in the columns of the first record, and of none after it: gives the first column of a later one that it does not have. */
  settle(shape: Shape): string | undefined {
    if (this.#settled) return shape.names.find((name) => !this.#places.has(name))
    this.#settled = true
    this.widen(shape)
    return undefined
  }

  indexOf(name: string): number {
    return this.#places.get(name) ?? -1
  }

  #add(name: string): void {
    if (this.#places.has(name)) return
    this.#places.set(name, this.names.length)
    this.names.push(name)
  }
}
