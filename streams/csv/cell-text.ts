import { Decimal } from '../../lib/record/decimal.ts'
import { isMap } from '../../lib/record/kind.ts'
import { csvText, jsonText } from '../../lib/record/text.ts'
import type { Value } from '../../lib/record/value.ts'

/** How the elements of an array share a cell. */
export interface JoinValues {
  readonly field: string
  readonly delimiter: string
  readonly on_conflict: 'error' | 'escape' | 'encode_json'
  readonly escape: string
}

/** Joins a column nothing was said about. */
export const joinByDefault: Omit<JoinValues, 'field'> = { delimiter: ';', on_conflict: 'error', escape: '\\' }

/** A value that cannot stand in a cell. */
export class Unwritable extends Error {
  readonly kind: 'map' | 'nested array'

  constructor(kind: 'map' | 'nested array') {
    super(kind)
    this.kind = kind
  }
}

/** An element of an array that holds the text which separates them. */
export class JoinCollision extends Error {
  readonly element: string
  readonly delimiter: string

  constructor(element: string, delimiter: string) {
    super(element)
    this.element = element
    this.delimiter = delimiter
  }
}

/** The text of a value, before it is quoted. Throws {@link Unwritable} for a map, {@link JoinCollision} for an array that cannot be joined. */
export function cellText(value: Value, join: Omit<JoinValues, 'field'>): string {
  const text = csvText(value)
  if (text !== undefined) return text
  if (Array.isArray(value)) return join.on_conflict === 'encode_json' ? jsonText(value) : joined(value, join)
  // An empty object is a value of its own in JSON; a flat format has nothing to show for it.
  if (isMap(value) && Object.keys(value as object).length === 0) return ''
  throw new Unwritable('map')
}

/** A decimal with no more places than `scale`; any other value as it is. */
export function rounded(value: Value, scale: number): Value {
  return value instanceof Decimal && value.scale > scale ? value.round(scale, 'half-even') : value
}

function joined(elements: readonly Value[], { delimiter, on_conflict, escape }: Omit<JoinValues, 'field'>): string {
  const texts = elements.map(elementText)
  if (on_conflict === 'escape') return texts.map((text) => escaped(text, delimiter, escape)).join(delimiter)
  for (const text of texts) if (text.includes(delimiter)) throw new JoinCollision(text, delimiter)
  return texts.join(delimiter)
}

function elementText(element: Value): string {
  const text = csvText(element)
  if (text === undefined) throw new Unwritable(Array.isArray(element) ? 'nested array' : 'map')
  return text
}

function escaped(text: string, delimiter: string, escape: string): string {
  return text.replaceAll(escape, escape + escape).replaceAll(delimiter, escape + delimiter)
}
