import { Decimal } from '../../lib/record/decimal.ts'
import { Float } from '../../lib/record/float.ts'
import { canGenerate, Code, widestLiteral } from '../../lib/record/generate.ts'
import { makeMap, mapEntries, mapKeys } from '../../lib/record/map.ts'
import type { Origin } from '../../lib/record/origin.ts'
import { type Column, Shape, ShapeTable } from '../../lib/record/shape.ts'
import { stamped } from '../../lib/record/stamp.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row, Value, ValueMap } from '../../lib/record/value.ts'
import {
  columnType,
  type FromJson,
  fromNumberText,
  type JsonValue,
  jsonReader,
  NumberText,
  readDate,
  readDateTime,
  type ReaderOptions,
  type SchemaColumn,
} from '../../lib/schema/index.ts'
import { columnOfKey } from './names.ts'
import { longNumber, unusualNumber } from './scan.ts'

/** A JSON object: what a record is read from. */
export type JsonObject = { [key: string]: JsonValue }

/** A field of the input: a value of an object, by its flattened name. */
interface Field {
  readonly name: string
  /** From the outside in. */
  readonly keys: readonly string[]
}

/** A column of the records, and the field it is read from; a declared column may have none in this layout. */
interface Cell {
  readonly column: Column
  readonly declared: SchemaColumn | undefined
  /** Place in the schema, from 1; of a carried column behind it. */
  readonly position: number
  readonly field: Field | undefined
  readonly read: FromJson
}

/** A value that its column does not take. */
export interface Refused {
  readonly column: string
  readonly position: number
  readonly declared: SchemaColumn | undefined
  readonly value: JsonValue
}

/** What a field that the schema does not name, or must not have, does to its record. */
export interface Objection {
  readonly reason: 'unmapped' | 'renamed'
  readonly field: string
  /** For `renamed`: the column of that name, which reads another field. */
  readonly column?: SchemaColumn
}

/**
 * Builds a record from what `JSON.parse` gave; undefined when the object has another layout, or a value that needs a closer look.
 * `keys` and `traits` are those of the text.
 */
type Build = (object: JsonObject, keys: number, traits: number, origin: Origin, row: number) => Row | undefined

/** How objects with the same keys, in the same order, become records. */
export class Layout {
  readonly shape: Shape
  readonly objection: Objection | undefined
  readonly #cells: readonly Cell[]
  readonly #fields: readonly Field[]
  readonly #generate: () => Build | undefined
  #build: Build | undefined
  #asRead: Shape | undefined
  #uses = 0

  constructor(
    shape: Shape,
    cells: readonly Cell[],
    fields: readonly Field[],
    objection: Objection | undefined,
    generate: () => Build | undefined,
  ) {
    this.shape = shape
    this.objection = objection
    this.#cells = cells
    this.#fields = fields
    this.#generate = generate
  }

  /** The fast way, see {@link Build}. A layout that is met a few times only is not worth the compiler's time. */
  build(object: JsonObject, keys: number, traits: number, origin: Origin, row: number): Row | undefined {
    if (this.#build) return this.#build(object, keys, traits, origin, row)
    if (++this.#uses === usesBeforeCompiling) this.#build = this.#generate()
    return undefined
  }

  /** The record of an object that has this layout, cell by cell; or the first value that does not convert. */
  convert(object: JsonObject, origin: Origin, row: number): { record: Row } | { refused: Refused } {
    const values: Value[] = []
    for (const { column, declared, position, field, read } of this.#cells) {
      const given = field ? valueAt(object, field.keys) : null
      const value = read(given)
      if (value === undefined) return { refused: { column: column.name, position, declared, value: given } }
      values.push(value)
    }
    return { record: this.shape.make(values, origin, row) }
  }

  /** The record of an object that has this layout as it is: every field, also those that no column reads. */
  asRead(object: JsonObject, origin: Origin, row: number): Row {
    const type = Type.of('any')
    this.#asRead ??= new Shape(this.#fields.map(({ name }) => ({ name, type })))
    return this.#asRead.make(
      this.#fields.map(({ keys }) => asWritten(valueAt(object, keys))),
      origin,
      row,
    )
  }
}

const usesBeforeCompiling = 4

/** What {@link Layouts} needs to know of a source. */
export interface LayoutOptions extends ReaderOptions {
  /** Absent: no column is declared, and all are of any type. */
  readonly columns: readonly SchemaColumn[] | undefined
  readonly on_unmapped: 'auto_widen' | 'drop' | 'reject'
}

/**
 * The layouts met so far, as a tree: each key of an object is a step, so that records with the same keys find the same layout (one
 * shape, one generated function) at the price of a look-up a key.
 */
export class Layouts {
  readonly #options: LayoutOptions
  readonly #columns: readonly SchemaColumn[]
  readonly #readers: readonly FromJson[]
  /** Which columns read a field. */
  readonly #readBy = new Map<string, SchemaColumn[]>()
  /** Fields that hold declared columns inside: `pos` for `pos.dec`. */
  readonly #containers = new Set<string>()
  #root = new Step('')
  #steps = 0
  #shapes = new ShapeTable()

  constructor(options: LayoutOptions) {
    this.#options = options
    this.#columns = options.columns ?? []
    this.#readers = this.#columns.map((column) => jsonReader(column, options))
    for (const column of this.#columns) {
      const name = column.source_name ?? column.name
      const columns = this.#readBy.get(name)
      if (columns) columns.push(column)
      else this.#readBy.set(name, [column])
      for (const container of containersOf(name)) this.#containers.add(container)
    }
  }

  /** The layout of an object, whose keys are in order. */
  find(object: JsonObject): Layout {
    if (this.#steps > mostSteps) this.#forget()
    const step = this.#walk(object, this.#root)
    step.layout ??= this.#layout(object)
    return step.layout
  }

  #walk(object: JsonObject, start: Step): Step {
    let step = start
    for (const key of mapKeys(object as ValueMap)) {
      const value = object[key] as JsonValue
      let branch = step.branches.get(key)
      if (!branch) step.branches.set(key, (branch = this.#branch(step.inside + columnOfKey(key))))
      if (branch.opens && isFull(value)) {
        branch.object ??= this.#step(`${branch.name}.`)
        const last = this.#walk(value, branch.object)
        last.behind ??= this.#step(step.inside)
        step = last.behind
      } else if (branch.container && isNothing(value)) {
        branch.nothing ??= this.#step(step.inside)
        step = branch.nothing
      } else {
        branch.value ??= this.#step(step.inside)
        step = branch.value
      }
    }
    return step
  }

  #branch(name: string): Branch {
    return { name, opens: this.#opens(name), container: this.#containers.has(name) }
  }

  #step(inside: string): Step {
    this.#steps++
    return new Step(inside)
  }

  /** Whether an object at this field becomes columns of its own. */
  #opens(name: string): boolean {
    return !this.#readBy.get(name)?.some(({ type }) => type.name === 'map' || type.name === 'any')
  }

  /** Keys that are data (ids, dates) make a tree without end: past this, it is grown anew. */
  #forget(): void {
    this.#root = new Step('')
    this.#steps = 0
    this.#shapes = new ShapeTable()
  }

  #layout(object: JsonObject): Layout {
    const fields: Field[] = []
    const tree = this.#collect(object, '', [], fields)
    const byName = new Map(fields.map((field) => [field.name, field]))
    const cells: Cell[] = this.#columns.map((declared, index) => ({
      column: { name: declared.name, type: columnType(declared) },
      declared,
      position: index + 1,
      field: byName.get(declared.source_name ?? declared.name),
      read: this.#readers[index] as FromJson,
    }))
    const unmapped = fields.filter(({ name }) => !this.#readBy.has(name))
    let objection = this.#renamed(unmapped)
    if (unmapped[0] && this.#options.on_unmapped === 'reject') {
      objection ??= { reason: 'unmapped', field: unmapped[0].name }
    }
    if (this.#options.on_unmapped === 'auto_widen') {
      for (const [index, field] of unmapped.entries()) {
        const position = this.#columns.length + index + 1
        const column = { name: field.name, type: Type.of('any') }
        cells.push({ column, declared: undefined, position, field, read: carried })
      }
    }
    const columns = cells.map(({ column }) => column)
    // Without a schema nothing is undeclared.
    const declared = this.#options.columns ? this.#columns.length : columns.length
    const shape = this.#shapes.of(columns, declared)
    return new Layout(shape, cells, fields, objection, () => {
      // Where keys look like integers, `JSON.parse` loses their order.
      if (objection || !canGenerate() || fields.length > widestLiteral || hasIntegerKeys(tree)) return undefined
      return generate(shape, cells, tree)
    })
  }

  /** A field that has the name of a column which reads another field; no column reads it. */
  #renamed(unmapped: readonly Field[]): Objection | undefined {
    for (const { name } of unmapped) {
      const column = this.#columns.find((column) => column.name === name)
      if (column) return { reason: 'renamed', field: name, column }
    }
    return undefined
  }

  /** Notes the fields of an object, and gives its keys as a tree. */
  #collect(object: JsonObject, inside: string, above: readonly string[], fields: Field[]): KeyTree {
    return mapKeys(object as ValueMap).map((key) => {
      const name = inside + columnOfKey(key)
      const keys = [...above, key]
      const value = object[key] as JsonValue
      if (this.#opens(name) && isFull(value)) return { key, inside: this.#collect(value, `${name}.`, keys, fields) }
      if (this.#containers.has(name) && isNothing(value)) return { key, nothing: true }
      const field = { name, keys }
      fields.push(field)
      return { key, field, opens: this.#opens(name), container: this.#containers.has(name) }
    })
  }
}

const mostSteps = 50_000

/** A place in the tree of layouts: these keys have been seen, in this order. */
class Step {
  /** The name of the object that is open here, with its dot; `''` for the outermost. */
  readonly inside: string
  readonly branches = new Map<string, Branch>()
  /** The layout of an object that ends here, when it is the outermost. */
  layout: Layout | undefined
  /** Where it goes on behind the inner object that ends here. */
  behind: Step | undefined

  constructor(inside: string) {
    this.inside = inside
  }
}

interface Branch {
  readonly name: string
  /** Whether an object with keys is taken apart. */
  readonly opens: boolean
  /** Whether declared columns lie inside, so that null and `{}` say only that these are absent. */
  readonly container: boolean
  value?: Step
  object?: Step
  nothing?: Step
}

type KeyTree = KeyNode[]
type KeyNode =
  | { readonly key: string; readonly inside: KeyTree }
  | { readonly key: string; readonly nothing: true }
  | { readonly key: string; readonly field: Field; readonly opens: boolean; readonly container: boolean }

/** The names of the objects a field lies in: `a` and `a.b` for `a.b.c`. */
function containersOf(name: string): string[] {
  const containers: string[] = []
  for (let index = 0; index < name.length; index++) {
    if (name[index] === '\\') index++
    else if (name[index] === '.') containers.push(name.slice(0, index))
  }
  return containers
}

/** Whether a value is an object with keys. */
function isFull(value: JsonValue): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof NumberText) return false
  for (const _ in value) return true
  return false
}

/** Whether a value is null or an object without keys. */
function isNothing(value: JsonValue): boolean {
  return (
    value === null ||
    (typeof value === 'object' && !Array.isArray(value) && !(value instanceof NumberText) && !isFull(value))
  )
}

function valueAt(object: JsonObject, keys: readonly string[]): JsonValue {
  let value: JsonValue = object
  for (const key of keys) value = (value as JsonObject)[key] as JsonValue
  return value
}

/**
 * A value of an undeclared field, with all its digits: an integer stays one however long, and a float with more digits than a double
 * becomes a decimal. Undefined: one that is no decimal either.
 */
function carried(value: JsonValue): Value | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value
  if (value instanceof NumberText) {
    return isLongFloat(value.text) ? Decimal.parseExact(value.text) : fromNumberText(value.text, true)
  }
  // Most arrays and maps hold nothing to convert and stay what they are.
  if (Array.isArray(value)) {
    let elements: Value[] | undefined
    for (const [index, given] of value.entries()) {
      const element = carried(given)
      if (element === undefined) return undefined
      if (element !== given) (elements ??= [...(value as Value[])])[index] = element
    }
    return elements ?? (value as Value[])
  }
  const entries = mapEntries(value as ValueMap)
  let same = true
  for (const entry of entries) {
    const inner = carried(entry[1] as JsonValue)
    if (inner === undefined) return undefined
    same &&= inner === entry[1]
    entry[1] = inner
  }
  return same ? (value as ValueMap) : makeMap(entries)
}

/** 17 digits tell every double from its neighbours, so no more are needed. */
function isLongFloat(text: string): boolean {
  if (!/[.eE]/.test(text)) return false
  if (!Number.isFinite(Number(text))) return true
  const digits = text.replace(/[eE].*/s, '').replace(/\D/g, '')
  return digits.replace(/^0+|0+$/g, '').length > 17
}

/** A value as a dead letter shows it. */
export function asWritten(value: JsonValue): Value {
  const kept = carried(value)
  return kept === undefined ? `${value}` : kept
}

/**
 * How many keys the objects in a value have, inner ones included. NaN when some look like integers: objects move those to the front,
 * so their order is lost.
 */
export function countKeys(value: JsonValue): number {
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countKeys(element)
    return count
  }
  const object = value as JsonObject | null
  for (const key in object) {
    // They come first.
    if (count === 0 && isDigit(key.charCodeAt(0))) return Number.NaN
    count++
    const inner = object[key] as JsonValue
    if (typeof inner === 'object' && inner !== null) count += countKeys(inner)
  }
  return count
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function hasIntegerKeys(tree: KeyTree): boolean {
  return tree.some((node) => isDigit(node.key.charCodeAt(0)) || ('inside' in node && hasIntegerKeys(node.inside)))
}

/**
 * {@link Layout.convert} as code, in a fifth of its time. For `{"id":1,"name":"x"}` and a schema `id: int` it is
 * ```
 * let count = 2, v, i0 = 0
 * for (const key in object) if (key !== k0[i0++]) return
 * if (i0 !== 2) return
 * const f0 = object.id, f1 = object.name
 * let c0 = null, c1 = null
 * if (isExactInt(f0, traits)) c0 = f0 + 0
 * else … // whatever else an int column takes
 * …
 * if (keys !== count) return
 * return stamped({ id: c0, name: c1 }, shape, origin, row)
 * ```
 */
function generate(shape: Shape, cells: readonly Cell[], tree: KeyTree): Build {
  const code = new Code()
  const values = new Map<Field, string>()
  let constantKeys = 0
  let body = 'let v\n'
  let nodes = 0
  let objects = 0
  const addLevel = (level: KeyTree, object: string): void => {
    constantKeys += level.length
    const index = `i${objects++}`
    const keys = code.bind(level.map(({ key }) => key))
    body += `let ${index} = 0\nfor (const key in ${object}) if (key !== ${keys}[${index}++]) return\n`
    body += `if (${index} !== ${level.length}) return\n`
    for (const node of level) {
      const value = `f${nodes++}`
      body += `const ${value} = ${code.member(object, node.key)}\n`
      if ('inside' in node) {
        body += `if (!${code.bind(isFull)}(${value})) return\n`
        addLevel(node.inside, value)
      } else if ('nothing' in node) body += `if (!${code.bind(isNothing)}(${value})) return\n`
      else {
        values.set(node.field, value)
        if (node.container) body += `if (${code.bind(isNothing)}(${value})) return\n`
        body += `if (typeof ${value} === 'object' && ${value} !== null) {\n`
        if (node.opens) body += `if (${code.bind(isFull)}(${value})) return\n`
        body += `count += ${code.bind(countKeys)}(${value})\n}\n`
      }
    }
  }
  addLevel(tree, 'object')
  const columns: [string, string][] = []
  for (const [index, cell] of cells.entries()) {
    const given = cell.field && values.get(cell.field)
    body += `let c${index} = null\n`
    // Absent in this layout: null for all its records, or a fault in each.
    if (given === undefined) body += cell.read(null) === undefined ? 'return\n' : ''
    else body += conversion(code, cell, given, `c${index}`)
    columns.push([cell.column.name, `c${index}`])
  }
  const literal = code.literal(columns)
  body = `let count = ${constantKeys}\n${body}if (keys !== count) return\n`
  body += `return ${code.bind(stamped)}(${literal}, ${code.bind(shape)}, origin, row)`
  return code.compile(['object', 'keys', 'traits', 'origin', 'row'], body)
}

/** Statements that convert `given` into `result`, which is null so far, or return when it needs a closer look. */
function conversion(code: Code, { declared, read }: Cell, given: string, result: string): string {
  const type = declared?.multiple ? 'array' : (declared?.type.name ?? 'carried')
  const isNumber = `typeof ${given} === 'number'`
  const isText = `typeof ${given} === 'string'`
  // A decimal shows how many places it is written with.
  const uncertain =
    type === 'decimal'
      ? `traits && ${isNumber}`
      : `traits & ${longNumber | unusualNumber} && ${code.bind(isUncertain)}(${given}, traits)`
  const slow = `{ if (${uncertain}) return\nv = ${code.bind(read)}(${given})\nif (v === undefined) return\n${result} = v }\n`
  const fast = (test: string, value = given): string => `if (${test}) ${result} = ${value}\nelse ${slow}`
  switch (type) {
    case 'int':
      return fast(`${code.bind(isExactInt)}(${given}, traits)`, `${given} + 0`)
    case 'float':
      return fast(`${code.bind(Number.isFinite)}(${given})`)
    case 'string':
      return fast(isText)
    case 'bool':
      return fast(`typeof ${given} === 'boolean'`)
    case 'date':
    case 'date_time':
      if (declared?.format !== undefined) return slow
      return fast(
        `${isText} && (v = ${code.bind(type === 'date' ? readDate : readDateTime)}(${given})) !== undefined`,
        'v',
      )
    case 'carried':
    case 'any':
      return fast(
        `${isNumber} ? !(traits & ${longNumber | unusualNumber}) : typeof ${given} !== 'object' || ${given} === null`,
      )
    default:
      return slow
  }
}

/** Whether a value is an int and its text says the same: `9007199254740990.7` reads as whole, too. */
function isExactInt(value: JsonValue, traits: number): boolean {
  if (!Number.isSafeInteger(value)) return false
  return !(traits & longNumber) && (!(traits & unusualNumber) || Math.abs(value as number) < 2 ** 47)
}

/** Whether a number, in the value or being it, may not be what its text says. */
function isUncertain(value: JsonValue, traits: number): boolean {
  if (typeof value === 'number') {
    return (traits & longNumber) !== 0 || Number.isInteger(value) || !Number.isFinite(value)
  }
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (isUncertain((value as JsonObject)[key] as JsonValue, traits)) return true
  return false
}
