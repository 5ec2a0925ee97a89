import { isMap } from '../../record/kind.ts'
import { makeMap, mapEntries, mapKeys } from '../../record/map.ts'
import type { Value, ValueMap } from '../../record/value.ts'
import type { BuiltinEntry } from './builtin.ts'

/** Methods of maps. None changes its receiver; keys keep their order. */
export const mapMethods: Readonly<Record<string, BuiltinEntry>> = {
  keys: {
    signature: '() -> array',
    doc: 'The keys, in insertion order.',
    examples: { 'm.keys()': ['b', 'a'] },
    run: (map: ValueMap) => [...mapKeys(map)],
  },
  values: {
    signature: '() -> array',
    doc: 'The values, nulls included, in insertion order of their keys.',
    examples: { 'm.values()': [2, 1] },
    run: (map: ValueMap) => mapEntries(map).map(([, value]) => value),
  },
  merge: {
    signature: '(other: map) -> map',
    doc: "The entries of both maps; where both have a key, the value of `other` at the place of the receiver's. Nested maps are not merged.",
    examples: { "m.merge(m.set('z', 0).unset('b'))": { b: 2, a: 1, z: 0 } },
    run: (map: ValueMap, other: ValueMap) => makeMap([...mapEntries(map), ...mapEntries(other)]),
  },
  set: {
    signature: '(path: string, value: any) -> map?',
    doc: 'The map with `value` at a path such as `a.b[0].c`. Missing maps on the way are made; a path that meets a value of another kind, the end of an array, or is malformed gives null.',
    examples: {
      "m.set('c.d', 3)": { b: 2, a: 1, c: { d: 3 } },
      "m.set('b', 0)": { b: 0, a: 1 },
      "m.set('a.b', 2)": null,
    },
    run: (map: ValueMap, path: string, value: Value) => {
      const steps = parsePath(path)
      return steps ? (withValue(map, steps, value) ?? null) : null
    },
  },
  unset: {
    signature: '(path: string) -> map',
    doc: 'The map without what is at a path such as `a.b[0].c`; elements behind a removed one move up. Unchanged where there is nothing, and for a malformed path.',
    examples: { "m.unset('a')": { b: 2 }, "m.unset('x.y')": { b: 2, a: 1 } },
    run: (map: ValueMap, path: string) => {
      const steps = parsePath(path)
      return steps ? (without(map, steps) ?? map) : map
    },
  },
  remove_field: {
    signature: '(key: string) -> map',
    doc: 'The map without `key`, which is plain text and no path; unchanged where there is none.',
    examples: { "m.remove_field('b')": { a: 1 }, "m.remove_field('a.b')": { b: 2, a: 1 } },
    run: (map: ValueMap, key: string) => without(map, [key]) ?? map,
  },
}

/** A key of a map, or an index of an array. */
type Step = string | number

/** `a.b[0].c` → a, b, 0, c; undefined when malformed. The empty text is the key `''`. */
function parsePath(path: string): Step[] | undefined {
  const steps: Step[] = []
  for (const part of path.split('.')) {
    const match = /^([^[\]]*)((?:\[\d+\])*)$/.exec(part)
    if (!match) return undefined
    const [, key = '', indexes = ''] = match
    if (key === '' && indexes !== '') return undefined
    steps.push(key)
    for (const index of indexes.matchAll(/\d+/g)) steps.push(Number(index[0]))
  }
  return steps
}

/** `container` with `value` at the end of `steps`; undefined when the way there is barred. */
function withValue(container: Value | undefined, steps: readonly Step[], value: Value): Value | undefined {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (typeof step === 'number') {
    if (!Array.isArray(container) || step >= container.length) return undefined
    const element = withValue(container[step], rest, value)
    return element === undefined ? undefined : container.with(step, element)
  }
  if (container !== undefined && !isMap(container)) return undefined
  const map = container ?? {}
  const inner = withValue(Object.hasOwn(map, step) ? map[step] : undefined, rest, value)
  return inner === undefined ? undefined : makeMap([...mapEntries(map), [step, inner]])
}

/** `container` without what is at the end of `steps`; undefined when there is nothing. */
function without(container: Value | undefined, steps: readonly Step[]): Value | undefined {
  const [step, ...rest] = steps
  if (typeof step === 'number') {
    if (!Array.isArray(container) || step >= container.length) return undefined
    if (rest.length === 0) return container.toSpliced(step, 1)
    const element = without(container[step], rest)
    return element === undefined ? undefined : container.with(step, element)
  }
  if (step === undefined || container === undefined || !isMap(container) || !Object.hasOwn(container, step))
    return undefined
  const entries = mapEntries(container)
  if (rest.length === 0) return makeMap(entries.filter(([key]) => key !== step))
  const inner = without(container[step], rest)
  return inner === undefined ? undefined : makeMap([...entries, [step, inner]])
}
