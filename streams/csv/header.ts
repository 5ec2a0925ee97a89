import type { Shape } from '../../lib/record/shape.ts'

/** The header of an output, or of several files that share one: columns in first-seen order. It only ever grows at the end. */
export class Header {
  readonly names: string[] = []
  readonly #places = new Map<string, number>()

  /** @param columns the columns known before there is a record */
  constructor(columns: Iterable<string> = []) {
    for (const name of columns) this.#add(name)
  }

  /** Takes in the columns of a record; true when one was new. */
  widen({ names }: Shape): boolean {
    const before = this.names.length
    for (const name of names) this.#add(name)
    return this.names.length > before
  }

  /** The first column of a record that is not in the header. */
  lacks({ names }: Shape): string | undefined {
    return names.find((name) => !this.#places.has(name))
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
