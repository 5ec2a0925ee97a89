import { makeMap } from '../../record/map.ts'
import type { Row } from '../../record/value.ts'
import { arrayMethods } from './array.ts'
import { type Builtin, builtinsOf } from './builtin.ts'
import { conversionMethods } from './conversion.ts'
import { dateMethods, dateOnlyMethods, dateTimeMethods } from './date.ts'
import { mapMethods } from './map.ts'
import { decimalMethods, floatMethods, intMethods, numericMethods } from './number.ts'
import { pathMethods } from './path.ts'
import { concatFunction, stringMethods } from './string.ts'
import { valueMethods } from './value.ts'

export type {
  BuiltinCode,
  BuiltinContext,
  BuiltinEntry,
  Closure,
  Int,
  Parameter,
  Signature,
  TypeWord,
} from './builtin.ts'
export { Builtin, dispatched, parseSignature, resultOf } from './builtin.ts'

/** Methods by name; several where receivers of different types have one of that name. */
export const builtins: ReadonlyMap<string, readonly Builtin[]> = byName([
  ...builtinsOf('string', stringMethods),
  ...builtinsOf('string', pathMethods),
  ...builtinsOf('int', intMethods),
  ...builtinsOf('float', floatMethods),
  ...builtinsOf('decimal', decimalMethods),
  ...builtinsOf('int|float|decimal', numericMethods),
  ...builtinsOf('date|date_time', dateMethods),
  ...builtinsOf('date', dateOnlyMethods),
  ...builtinsOf('date_time', dateTimeMethods),
  ...builtinsOf('array', arrayMethods),
  ...builtinsOf('map', mapMethods),
  ...builtinsOf('any', conversionMethods),
  ...builtinsOf('any', valueMethods),
])

/** Free functions by name: {@link Builtin}s without a receiver, whose code takes the arguments alone. */
export const functions: ReadonlyMap<string, Builtin> = new Map(
  builtinsOf('', { concat: concatFunction }).map((builtin) => [builtin.name, builtin]),
)

/** The record that examples run on: the language has no literal for a map. */
export const exampleRecord: Readonly<Row> = {
  m: makeMap([
    ['b', 2],
    ['a', 1],
  ]),
}

/** What a reference tells of a builtin. */
export interface BuiltinDescription {
  readonly name: string
  /** `string`, `date or date_time`, `any`; `''` for a free function. */
  readonly receiver: string
  readonly signature: string
  readonly doc: string
  /** Program → result on {@link exampleRecord}, as the entry writes them. */
  readonly examples: Readonly<Record<string, unknown>>
}

/** All builtins for the reference page and `cxl help`, by receiver as declared; one description per overload. */
export function describeBuiltins(): BuiltinDescription[] {
  return [...builtins.values(), [...functions.values()]].flat().map(({ name, receivers, entry }) => ({
    name,
    receiver: receivers.join(' or '),
    signature: entry.signature,
    doc: entry.doc,
    examples: entry.examples,
  }))
}

function byName(all: readonly Builtin[]): Map<string, Builtin[]> {
  const named = new Map<string, Builtin[]>()
  for (const builtin of all) named.set(builtin.name, [...(named.get(builtin.name) ?? []), builtin])
  return named
}
