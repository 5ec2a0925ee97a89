import { Type, type TypeName } from '../record/type.ts'

const labels: Readonly<Record<TypeName, string>> = {
  null: 'Null',
  bool: 'Bool',
  int: 'Int',
  float: 'Float',
  decimal: 'Decimal',
  string: 'String',
  date: 'Date',
  date_time: 'DateTime',
  array: 'Array',
  map: 'Map',
  numeric: 'Numeric',
  any: 'Any',
}

/** A type as messages of the language name it: `Int`, `Nullable(String)`. */
export function typeLabel(type: Type): string {
  const label = labels[type.name]
  return type.nullable && type.name !== 'any' && type.name !== 'null' ? `Nullable(${label})` : label
}

/** The type that covers both (spec/2, type rules); undefined when there is none. */
export function unify(a: Type, b: Type): Type | undefined {
  if (a === b) return a
  if (a.name === 'any' || b.name === 'any') return Type.of('any')
  if (a.name === 'null') return b.orNull
  if (b.name === 'null') return a.orNull
  const name = a.name === b.name ? a.name : unifyNames(a.name, b.name)
  return name && Type.of(name, a.nullable || b.nullable)
}

/** As {@link unify}; types that do not unify give `any`. */
export function unifyOrAny(a: Type, b: Type): Type {
  return unify(a, b) ?? Type.of('any')
}

function unifyNames(a: TypeName, b: TypeName): TypeName | undefined {
  return unions[`${a} ${b}`] ?? unions[`${b} ${a}`]
}

const unions: Readonly<Record<string, TypeName>> = {
  'numeric int': 'numeric',
  'numeric float': 'numeric',
  'int float': 'float',
  'int decimal': 'decimal',
  // A name of unknown type that is calculated with may turn out to be a decimal.
  'numeric decimal': 'decimal',
}

/**
 * The form of a value that has one of two forms. A form is a type that also tells how a value is represented: only where it is
 * `float` are all numbers floats, so int with float is `numeric`, whose whole floats are boxed.
 */
export function joinForms(a: Type, b: Type): Type {
  if (a.name === b.name) return Type.of(a.name, a.nullable || b.nullable)
  if (a.name === 'null') return b.orNull
  if (b.name === 'null') return a.orNull
  return Type.of(isPlainNumber(a) && isPlainNumber(b) ? 'numeric' : 'any', a.nullable || b.nullable)
}

export function isNumber({ name }: Type): boolean {
  return name === 'int' || name === 'float' || name === 'decimal' || name === 'numeric'
}

/** Whether nothing is known before a value is there: any, or null alone. */
export function isOpen({ name }: Type): boolean {
  return name === 'any' || name === 'null'
}

function isPlainNumber({ name }: Type): boolean {
  return name === 'int' || name === 'float' || name === 'numeric'
}
