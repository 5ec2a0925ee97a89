import { canGenerate, Code, widestLiteral } from './generate.ts'
import type { Origin } from './origin.ts'
import { stamped } from './stamp.ts'
import { Type } from './type.ts'
import type { Row, Value } from './value.ts'

export interface Column {
  readonly name: string
  readonly type: Type
}

/**
 * The columns of a kind of record, in order: first the declared and emitted ones, then the carried ones. Column order comes
 * from here and never from the object, which would move a column named `2024` to the front.
 */
export class Shape {
  readonly columns: readonly Column[]
  readonly names: readonly string[]
  /** How many of the columns, from the first, are declared or emitted; the rest is carried, out of CXL's sight. */
  readonly declared: number
  /** Builds a stamped record from values in column order. Missing values must be given as null. */
  readonly make: (values: readonly Value[], origin: Origin, row: number) => Row
  readonly #index: Map<string, number>

  constructor(columns: readonly Column[], declared: number = columns.length) {
    this.columns = columns
    this.names = columns.map((column) => column.name)
    this.declared = declared
    this.#index = new Map(this.names.map((name, index) => [name, index]))
    this.make = maker(this)
  }

  /** The place of a column, or -1. */
  indexOf(name: string): number {
    return this.#index.get(name) ?? -1
  }

  has(name: string): boolean {
    return this.#index.has(name)
  }

  /** Whether `record` has exactly these columns: false once other code has added, removed or (integer-like names) reordered one. */
  fits(record: object): boolean {
    const { names } = this
    let index = 0
    for (const key in record) if (key !== names[index++]) return this.#fitsInAnyOrder(record)
    return index === names.length
  }

  #fitsInAnyOrder(record: object): boolean {
    const keys = Object.keys(record)
    return keys.length === this.names.length && keys.every((key) => this.#index.has(key))
  }
}

/**
 * Shapes by content: the same columns give the same shape, so that whoever caches by shape (writers, compiled programs) meets
 * few of them. One table per run, parser or node.
 */
export class ShapeTable {
  readonly #shapes = new Map<string, Shape>()

  of(columns: readonly Column[], declared: number = columns.length): Shape {
    const key = JSON.stringify([declared, ...columns.map(({ name, type }) => [name, `${type}`])])
    let shape = this.#shapes.get(key)
    if (!shape) this.#shapes.set(key, (shape = new Shape(columns, declared)))
    return shape
  }
}

/** The shape of a plain object nobody stamped: all its own enumerable keys, declared, of any type. */
export function shapeOfKeys(keys: readonly string[], table: ShapeTable): Shape {
  return table.of(keys.map((name) => ({ name, type: Type.of('any') })))
}

function maker(shape: Shape): Shape['make'] {
  const { names } = shape
  if (names.length > widestLiteral || !canGenerate()) {
    const template = names.length <= widestTemplate ? templateOf(names) : {}
    return (values, origin, row) => {
      const record: Row = { ...template }
      for (let index = 0; index < names.length; index++)
        setColumn(record, names[index] as string, values[index] ?? null)
      return stamped(record, shape, origin, row)
    }
  }
  // Compiled when first used: many shapes only ever describe.
  let compiled: Shape['make'] | undefined
  return (values, origin, row) => {
    compiled ??= compileMaker(shape)
    return compiled(values, origin, row)
  }
}

/** Wider templates are objects that V8 copies slowly; there a record grows from nothing. */
const widestTemplate = 100

/**
 * A record of nulls, to be copied: an object that grows by computed names becomes a dictionary at 17 columns, which takes twice the
 * time to make and to read. Read from JSON it never grows, and its copies do not, either.
 */
function templateOf(names: readonly string[]): Row {
  return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as Row
}

function compileMaker(shape: Shape): Shape['make'] {
  const code = new Code()
  const literal = code.literal(shape.names.map((name, index) => [name, `values[${index}]`] as const))
  return code.compile(
    ['values', 'origin', 'row'],
    `return ${code.bind(stamped)}(${literal}, ${code.bind(shape)}, origin, row)`,
  )
}

/** Sets an own property, whatever its name: plain assignment to `__proto__` would replace the prototype. */
export function setColumn(record: Row, name: string, value: Value): void {
  if (name === '__proto__') {
    Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true })
  } else record[name] = value
}
