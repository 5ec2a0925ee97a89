import { boxFloat } from '../record/float.ts'
import { fitsInt, toInt } from '../record/int.ts'
import { isIntNumber } from '../record/kind.ts'
import { makeMap, mapKeys } from '../record/map.ts'
import { jsonFloatText, jsonText } from '../record/text.ts'
import type { Type } from '../record/type.ts'
import type { Row, Value } from '../record/value.ts'
import { Float } from '../record/float.ts'
import { isMap } from '../record/kind.ts'

/** How deep JSON nests. */
const deepest = 512

/**
 * Reads JSON with its numbers as they are written: an integer that fits 64 bits is an int, every other number a float. Keys keep their
 * order. Throws a SyntaxError.
 */
export function parseJson(text: string): Value {
  return new Reader(text).read()
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Value {
    const value = this.#value(0)
    this.#blank()
    if (this.#at < this.#text.length) this.#fail()
    return value
  }

  #blank(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'end')) this.#at++
  }

  #fail(): never {
    const found = this.#at < this.#text.length ? JSON.stringify(this.#text[this.#at]) : 'the end'
    throw new SyntaxError(`invalid JSON at position ${this.#at}: unexpected ${found}`)
  }

  #value(depth: number): Value {
    if (depth > deepest) throw new SyntaxError(`JSON nests at most ${deepest} deep`)
    this.#blank()
    switch (this.#text[this.#at]) {
      case '{':
        return this.#map(depth)
      case '[':
        return this.#array(depth)
      case '"':
        return this.#string()
    }
    return this.#scalar()
  }

  #map(depth: number): Value {
    const entries: [string, Value][] = []
    this.#list('}', () => {
      if (this.#text[this.#at] !== '"') this.#fail()
      const key = this.#string()
      this.#blank()
      if (this.#text[this.#at++] !== ':') {
        this.#at--
        this.#fail()
      }
      entries.push([key, this.#value(depth + 1)])
    })
    return makeMap(entries)
  }

  #array(depth: number): Value {
    const elements: Value[] = []
    this.#list(']', () => elements.push(this.#value(depth + 1)))
    return elements
  }

  #list(close: string, item: () => void): void {
    this.#at++
    this.#blank()
    if (this.#text[this.#at] === close) {
      this.#at++
      return
    }
    for (;;) {
      this.#blank()
      item()
      this.#blank()
      const next = this.#text[this.#at]
      if (next !== close && next !== ',') this.#fail()
      this.#at++
      if (next === close) return
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #string(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings.
    const found = this.#match(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y)
    return found === undefined ? this.#fail() : (JSON.parse(found) as string)
  }

  #scalar(): Value {
    const word = this.#match(/true|false|null/y)
    if (word !== undefined) return word === 'null' ? null : word === 'true'
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y)
    if (number === undefined) this.#fail()
    if (!/^-?\d+$/.test(number)) return boxFloat(Number(number))
    const whole = BigInt(number)
    return fitsInt(whole) ? toInt(whole) : boxFloat(Number(number))
  }
}

/** JSON with an indentation of two blanks; NaN and infinities are null. `type` is the static type of the value. */
export function printJson(value: Value, type?: Type, margin = ''): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const inner = `${margin}  `
    return `[\n${value.map((element) => inner + printJson(element, undefined, inner)).join(',\n')}\n${margin}]`
  }
  if (value instanceof Float) return floatJson(value.value)
  if (typeof value === 'number') {
    return type?.name !== 'float' && isIntNumber(value) ? `${value}` : floatJson(value)
  }
  if (isMap(value))
    return printEntries(
      mapKeys(value).map((key) => [key, value[key] ?? null, undefined]),
      margin,
    )
  return jsonText(value, type)
}

/** A record as indented JSON, its columns in order. */
export function printRecord(columns: readonly { name: string; type: Type }[], record: Row, margin = ''): string {
  return printEntries(
    columns.map(({ name, type }) => [name, record[name] ?? null, type]),
    margin,
  )
}

function printEntries(entries: readonly (readonly [string, Value, Type | undefined])[], margin: string): string {
  if (entries.length === 0) return '{}'
  const inner = `${margin}  `
  const lines = entries.map(([key, value, type]) => `${inner}${JSON.stringify(key)}: ${printJson(value, type, inner)}`)
  return `{\n${lines.join(',\n')}\n${margin}}`
}

function floatJson(value: number): string {
  return Number.isFinite(value) ? jsonFloatText(value) : 'null'
}
