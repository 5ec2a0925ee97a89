import type { Value, ValueMap } from './value.ts'

/** Returns the object it is given, so that a subclass can install a private field on it. */
class Given {
  constructor(map: object) {
    return map
  }
}

/** The order in which the keys of a map were inserted, kept where an object would tell another one. */
class KeyOrder extends Given {
  #keys: readonly string[]

  constructor(map: object, keys: readonly string[]) {
    super(map)
    this.#keys = keys
  }

  static of(map: object): readonly string[] | undefined {
    return #keys in map ? map.#keys : undefined
  }
}

/**
 * Builds a map that keeps the order of its entries: an ordinary object, of which {@link mapKeys} tells the order although objects
 * move integer-like keys to the front. A later entry of a key replaces its value and keeps its place.
 */
export function makeMap(entries: Iterable<readonly [key: string, value: Value]>): ValueMap {
  const map: ValueMap = {}
  const order: string[] = []
  let numeric = false
  for (const [key, value] of entries) {
    if (!Object.hasOwn(map, key)) {
      order.push(key)
      numeric ||= isIntegerLike(key)
    }
    setEntry(map, key, value)
  }
  if (numeric) new KeyOrder(map, order)
  return map
}

/** The keys of a map in insertion order. */
export function mapKeys(map: ValueMap): readonly string[] {
  const keys = Object.keys(map)
  const order = KeyOrder.of(map)
  // Other code may have changed the object since.
  return order && order.length === keys.length && order.every((key) => Object.hasOwn(map, key)) ? order : keys
}

/** The entries of a map in insertion order. */
export function mapEntries(map: ValueMap): [key: string, value: Value][] {
  return mapKeys(map).map((key) => [key, map[key] ?? null])
}

function setEntry(map: ValueMap, key: string, value: Value): void {
  // Plain assignment would replace the prototype.
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true })
  } else map[key] = value
}

function isIntegerLike(key: string): boolean {
  const first = key.charCodeAt(0)
  return first >= 48 && first <= 57 && `${Number(key)}` === key
}
