import { preview } from '../../lib/diagnostics/index.ts'
import { makeMap } from '../../lib/record/map.ts'
import type { Value } from '../../lib/record/value.ts'
import { type JsonValue, NumberText } from '../../lib/schema/index.ts'

/** What well-formed JSON can hold and a record cannot. */
export class JsonFault extends Error {
  override readonly name: string = 'JsonFault'
}

/**
 * Reads again what `JSON.parse` has found to be one well-formed JSON text, this time with the digits of numbers and the order of keys.
 * Throws a {@link JsonFault} for a key that an object has twice and for half of a surrogate pair.
 */
export function reread(text: string): JsonValue {
  return new Rereader(text).value()
}

/** Knows that the text is well-formed, so that it can go over it with few questions. */
class Rereader {
  readonly #text: string
  #at = 0
  /** The next backslash. */
  #slash = -1

  constructor(text: string) {
    this.#text = text
  }

  /** The cursor stands before a value, `^ {"a":1}`; afterwards behind it. */
  value(): JsonValue {
    switch (this.#next()) {
      case '{':
        return this.#object()
      case '[':
        return this.#array()
      case '"':
        return this.#string()
      case 't':
        this.#at += 4
        return true
      case 'f':
        this.#at += 5
        return false
      case 'n':
        this.#at += 4
        return null
      default:
        return this.#number()
    }
  }

  /** `^{"a":1}` */
  #object(): JsonValue {
    const entries: [key: string, value: Value][] = []
    const keys = new Set<string>()
    this.#at++
    while (this.#next() !== '}') {
      if (this.#text[this.#at] === ',') {
        this.#at++
        this.#next()
      }
      const key = this.#string()
      if (keys.has(key)) throw new JsonFault(`the key ${preview(key)} occurs twice in one object`)
      keys.add(key)
      this.#next()
      this.#at++ // the colon
      entries.push([key, this.value() as Value])
    }
    this.#at++
    return makeMap(entries) as JsonValue
  }

  /** `^[1, 2]` */
  #array(): JsonValue[] {
    const elements: JsonValue[] = []
    this.#at++
    while (this.#next() !== ']') {
      if (this.#text[this.#at] === ',') this.#at++
      elements.push(this.value())
    }
    this.#at++
    return elements
  }

  /** `^"a\n"` */
  #string(): string {
    const start = this.#at
    let end = this.#text.indexOf('"', start + 1)
    let slash = this.#slashFrom(start + 1)
    if (slash > end) {
      this.#at = end + 1
      return this.#text.slice(start + 1, end)
    }
    while (slash < end) {
      if (end === slash + 1) end = this.#text.indexOf('"', end + 1)
      slash = this.#slashFrom(slash + 2)
    }
    this.#at = end + 1
    const string = JSON.parse(this.#text.slice(start, end + 1)) as string
    if (loneSurrogate.test(string)) throw new JsonFault(`the string ${preview(string)} holds half of a surrogate pair`)
    return string
  }

  /** The first backslash from `index` on. Looked for once, as it may be far away. */
  #slashFrom(index: number): number {
    if (this.#slash < index) {
      const found = this.#text.indexOf('\\', index)
      this.#slash = found < 0 ? Infinity : found
    }
    return this.#slash
  }

  /** `^-12.5e3` */
  #number(): number | NumberText {
    const start = this.#at
    let short = true
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 46 /* . */ || code === 43 /* + */ || (code | 32) === 101 /* e */) short = false
      else if (code !== 45 /* - */ && !(code >= 48 && code <= 57)) break
      this.#at++
    }
    const text = this.#text.slice(start, this.#at)
    // A safe int needs no text. `-0` is the int 0.
    return short && text.length <= 15 ? Number(text) + 0 : new NumberText(text)
  }

  /** Goes over white space; gives the character behind it. */
  #next(): string | undefined {
    for (;;) {
      const character = this.#text[this.#at]
      if (character !== ' ' && character !== '\t' && character !== '\n' && character !== '\r') return character
      this.#at++
    }
  }
}

const loneSurrogate = /\p{Surrogate}/u
