/**
 * Finds where the objects of a text end that stand one after another, whatever lines they take: `{"a":1}{"a":\n2}`. Only quotes
 * and brackets are looked at; whether it is JSON is for `JSON.parse` to say.
 */
export class ObjectEnds {
  #depth = 0
  #inString = false
  #escaped = false

  /** Whether an object has begun and not ended. */
  get open(): boolean {
    return this.#depth > 0
  }

  /** The place behind the object that is open or begins at `from`; -1 when the text ends inside it, and the next text goes on. */
  find(text: string, from: number): number {
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === 92 /* \ */) this.#escaped = true
        else if (code === 34 /* " */) this.#inString = false
      } else if (code === 34) this.#inString = true
      else if (code === 123 /* { */ || code === 91 /* [ */) this.#depth++
      else if ((code === 125 /* } */ || code === 93) /* ] */ && --this.#depth === 0) return index + 1
    }
    return -1
  }
}
