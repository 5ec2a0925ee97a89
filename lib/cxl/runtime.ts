/** What both back ends call at run time, besides the operators: members of namespaces, sources of `emit each`, keys of `distinct`. */
import { setColumn } from '../record/shape.ts'
import type { Shape } from '../record/shape.ts'
import { fromForeign } from '../record/foreign.ts'
import { compoundKey, type Key, keyOf } from '../record/key.ts'
import { kindOf } from '../record/kind.ts'
import { type Origin, unknownOrigin } from '../record/origin.ts'
import { originOf, rowOf, stamped } from '../record/stamp.ts'
import { displayText } from '../record/text.ts'
import type { Row, Value } from '../record/value.ts'
import type { Checked } from './checked.ts'
import type { Environment, LogLevel } from './environment.ts'
import { Failure } from './failure.ts'
import type { Variable } from './scope.ts'

/** Records of the inputs of a combine, by qualifier; null for an input without a match. */
export type Inputs = Readonly<Record<string, Row | null>>

/** The row at hand, for `$source` and `$record`. */
export function originOfRow(row: Row): Origin {
  return originOf(row) ?? unknownOrigin
}

type Reader = (row: Row, environment: Environment) => Value

const sourceReaders: Readonly<Record<string, Reader>> = {
  file: (row) => originOfRow(row).file.path,
  path: (row) => originOfRow(row).file.path,
  name: (row) => originOfRow(row).file.source,
  row: (row) => rowOf(row),
  count: (row) => originOfRow(row).file.count,
  batch: (row) => originOfRow(row).file.batch,
  ingestion_timestamp: (row) => originOfRow(row).file.ingested,
  event_time: (row) => originOfRow(row).eventTime,
}

const metaReaders: Readonly<Record<string, Reader>> = {
  synthetic: (row) => originOfRow(row).audit?.synthetic ?? false,
  synthesized_by: (row) => originOfRow(row).audit?.synthesizedBy ?? '',
  mutated_by: (row) => originOfRow(row).audit?.mutatedBy ?? '',
}

/** Reads a member of `$pipeline`, `$source` or `$meta`. Those of `$record` are read by {@link recordVariable}. */
export function systemReader(node: Extract<Checked, { kind: 'system' }>): Reader {
  const { namespace, name, variable } = node
  if (variable) {
    const fallback = variable.default ?? null
    if (namespace === 'source') return (row) => written(originOfRow(row).file.variables, name, fallback)
    return (_, environment) => written(environment.variables, name, fallback)
  }
  if (namespace === 'pipeline') return (_, { pipeline }) => pipeline[name as 'name']
  return (namespace === 'source' ? sourceReaders : metaReaders)[name] as Reader
}

function written(variables: ReadonlyMap<string, Value>, name: string, fallback: Value): Value {
  const value = variables.get(name)
  return value === undefined ? fallback : value
}

export function inputVariable(
  environment: Environment,
  row: Row,
  input: string,
  name: string,
  variable: Variable,
): Value {
  const own = environment.input ? environment.input(row, input, name) : originOfRow(row).file.variables.get(name)
  return own === undefined ? (variable.default ?? null) : own
}

/** The `$record` variables a record came with. */
export function recordVariables(row: Row): Row | undefined {
  return originOf(row)?.variables
}

/** A `$record` variable, out of those the record came with or the program has written since. */
export function recordVariable(variables: Row | undefined, name: string, variable: Variable): Value {
  if (variables && Object.hasOwn(variables, name)) return variables[name] as Value
  return variable.default ?? null
}

/** The `$record` variables after a write: a new object, for the old one is shared. */
export function withVariable(variables: Row | undefined, name: string, value: Value): Row {
  const all: Row = { ...variables }
  setColumn(all, name, value)
  return all
}

/** Writes a `$source` or `$pipeline` variable, which all records see from now on. */
export function writeVariable(
  environment: Environment,
  row: Row,
  namespace: 'source' | 'pipeline',
  name: string,
  value: Value,
): void {
  const variables = namespace === 'source' ? originOfRow(row).file.variables : environment.variables
  variables.set(name, value)
}

export function document(environment: Environment, row: Row, section: string, field: string): Value {
  return environment.doc ? environment.doc(row, section, field) : null
}

/** The elements an `emit each` goes over. */
export function elementsOf(value: Value, outer: boolean): readonly unknown[] {
  if (value === null || value === undefined) return outer ? [null] : []
  if (!Array.isArray(value)) {
    throw new Failure(`'emit each' needs an array, got ${kindOf(value)} ${preview(value)}`)
  }
  return value.length === 0 && outer ? [null] : value
}

export function expansionExceeded(limit: number): never {
  throw new Failure(`'emit each' makes more than ${limit} records of one (max_expansion)`, {
    category: 'expansion_limit_exceeded',
    help: 'raise max_expansion, or filter the array first',
  })
}

/** The key `distinct by` compares. */
export function distinctKey(value: Value, name: string): Key {
  const key = keyOf(value)
  if (key !== undefined) return key
  const kind = kindOf(value)
  const what = kind === 'float' ? 'NaN' : `an ${kind}`.replace('an map', 'a map')
  throw new Failure(`distinct cannot compare '${name}', which holds ${what}`)
}

/** The key of a whole record: its declared columns in order, its carried ones with their names. */
export function recordKey(names: readonly string[], declared: number, values: readonly Value[]): string {
  const parts: Key[] = []
  for (const [index, name] of names.entries()) {
    if (index >= declared) parts.push(name)
    parts.push(distinctKey(values[index] ?? null, name))
  }
  return compoundKey(parts)
}

/** Takes note of a key; whether it is new. */
export function isNew(seen: Set<Key>, key: Key): boolean {
  const before = seen.size
  seen.add(key)
  return seen.size > before
}

export function log(environment: Environment, level: LogLevel, message: Value, row: Row): void {
  environment.log(level, displayText(message), row)
}

/** Lets a builtin log about the row at hand. */
export function builtinContext(environment: Environment, row: Row): { log(level: LogLevel, message: string): void } {
  return { log: (level, message) => environment.log(level, message, row) }
}

/** Builds a record too wide for a literal: values by place, `undefined` for a column that stays. */
export function wideRecord(
  row: Row,
  shape: Shape,
  replaced: ReadonlyMap<string, number>,
  values: readonly Value[],
  origin: Origin,
  number: number,
): Row {
  const record: Row = {}
  for (const name of shape.names) {
    const at = replaced.get(name)
    setColumn(record, name, at === undefined ? (row[name] ?? null) : (values[at] as Value))
  }
  return stamped(record, shape, origin, number)
}

/** A field of a combine's input. */
export function qualified(inputs: Inputs | undefined, qualifier: string, name: string): Value {
  const row = inputs?.[qualifier]
  return row ? fromForeign(row[name]) : null
}

function preview(value: Value): string {
  const text = displayText(value)
  return text.length > 60 ? `'${text.slice(0, 60)}…'` : `'${text}'`
}
