import type { Duplex } from 'node:stream'
import * as v from 'valibot'
import { closestMatch, ClinkerError, type ErrorDetails, preview } from '../lib/diagnostics/index.ts'
import { ExternalSort } from '../lib/memory/index.ts'
import { sortComparator, type SortKey } from '../lib/record/compare.ts'
import { Decimal } from '../lib/record/decimal.ts'
import { canGenerate, Code, widestLiteral } from '../lib/record/generate.ts'
import { type Origin, unknownOrigin } from '../lib/record/origin.ts'
import { type Column, type Shape, ShapeTable } from '../lib/record/shape.ts'
import { originOf, rowOf, shapeOf, stamped } from '../lib/record/stamp.ts'
import { Type } from '../lib/record/type.ts'
import type { Row, Value } from '../lib/record/value.ts'
import { parseSchema, type SchemaColumn } from '../lib/schema/index.ts'
import { Faults } from './expressions.ts'
import { edgeOf, fromCode, type NodeOptions } from './from-code.ts'
import type { Edge, NodeDefinition, NodePlan, PlanContext, RunContext } from './node.ts'
import { text } from './options.ts'
import { Blocking, Streaming } from './shell/index.ts'

/** The keys of an `output` node's `config` that say which columns are written, and in which order the records. */
export interface OutputConfig {
  /** The first columns of the output, in this order: a column, or `{ new: old }`. Default: all columns as they come. */
  mapping?: (string | Record<string, string>)[]
  /** Incoming columns that are left out. */
  exclude?: string[]
  /** Whether columns that no schema declares, no transform emits and `mapping` does not list are written, too. Default: true. */
  include_unmapped?: boolean
  /** Whether `$ck.*` columns are added. Default: false. */
  include_correlation_keys?: boolean
  /** Columns with a `scale`, to which decimals are rounded half to even. */
  schema?: unknown
  /** Columns to sort by: a column, or `{ field, order, null_order }`. Default: the order of arrival. */
  sort_order?: (string | SortField)[]
}

/** An entry of `sort_order`. */
export interface SortField {
  field: string
  /** Default: `asc`. */
  order?: 'asc' | 'desc'
  /** Where nulls stand, in either direction; `drop` removes such records. Default: `last`. */
  null_order?: 'first' | 'last' | 'drop'
}

/** Options of {@link output}. */
export interface OutputOptions extends OutputConfig, NodeOptions {}

/**
 * Gives records the columns an output writes, in their order, and sorts them. Stands before a writer of a format.
 * @example await pipeline(orders, output({ exclude: ['note'], sort_order: ['id'] }), csv.stringify(), file)
 */
export function output(options: OutputOptions = {}): Output | SortedOutput {
  const { config, plan: context, run, close } = fromCode(outputNode, options)
  const choices = readChoices(config, context)
  const byShape = new Map<Shape, ColumnPlan>()
  // Nothing is known of the columns before the first record.
  const planFor = (shape: Shape): ColumnPlan => {
    let plan = byShape.get(shape)
    if (!plan) {
      if (byShape.size >= keptForms) byShape.clear()
      byShape.set(shape, (plan = planColumns(choices, edgeOf(shape), context)))
    }
    return plan
  }
  const projection = new Projection(choices, planFor, context, run)
  return choices.sort_order.length > 0
    ? new SortedOutput(choices, projection, context, run, close)
    : new Output(projection, run, close)
}

const columnName = text('a column name')

const sortField = v.strictObject({
  field: columnName,
  order: v.optional(v.picklist(['asc', 'desc'])),
  null_order: v.optional(v.picklist(['last', 'first', 'drop'])),
})

/** A text or an object. `v.union` would say of an object with one wrong value only that it is neither. */
function either<Named extends v.GenericSchema<unknown, string>, Spelled extends v.GenericSchema<unknown, object>>(
  named: Named,
  spelled: Spelled,
) {
  const run: Named['~run'] = (dataset, config) =>
    (typeof dataset.value === 'object' ? (spelled as v.GenericSchema) : named)['~run'](dataset, config) as never
  return { ...v.union([named, spelled]), '~run': run }
}

/** The entries of {@link outputNode}'s config; the runner adds those of files and formats. */
export const outputEntries = {
  // Looked at in `readChoices`: what is wrong with it has a code of its own.
  mapping: v.optional(v.pipe(v.unknown(), v.description('The first columns, in order: `column` or `new: old`.'))),
  exclude: v.optional(v.pipe(v.array(columnName), v.description('Incoming columns that are left out.')), []),
  include_unmapped: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Whether columns are written that nothing declared, emitted or mapped. Default: true.'),
    ),
    true,
  ),
  include_correlation_keys: v.optional(
    v.pipe(v.boolean(), v.description('Whether `$ck.*` columns are written. Default: false.')),
    false,
  ),
  schema: v.optional(v.pipe(v.unknown(), v.description('Columns with the scale to which decimals are rounded.'))),
  sort_order: v.optional(
    v.pipe(
      v.array(either(columnName, sortField)),
      v.description('Columns to sort by, nulls last unless null_order says otherwise.'),
    ),
    [],
  ),
}

/** What a planned output knows besides the node's interface. */
export interface OutputPlan extends NodePlan {
  /**
   * The columns the output is known to write before any record is seen: the header of a CSV file without records. Columns that only
   * `schema` names stand at the end; records do not have them.
   */
  readonly header: readonly string[]
}

interface OutputDefinition extends NodeDefinition<OutputConfig> {
  plan(config: OutputConfig, input: Edge, context: PlanContext): OutputPlan
}

/** The `output` node, as far as its columns and their order go. */
export const outputNode: OutputDefinition = {
  type: 'output',
  summary: 'Chooses, orders and renames the columns that are written, and sorts the records.',
  config: v.strictObject(outputEntries) as v.GenericSchema<unknown, OutputConfig>,
  streams: true,
  priority: 20,
  plan(config, input, context) {
    const choices = readChoices(config, context)
    const plan = planColumns(choices, input, context)
    const names = plan.columns.map(({ name }) => name)
    return {
      output: { columns: plan.columns, carries: input.carries && choices.include_unmapped, audited: false },
      header: [...names, ...choices.schema.map(({ name }) => name).filter((name) => !names.includes(name))],
      expressions: [],
      warnings: [],
      stream(run): Duplex {
        const projection = new Projection(choices, () => plan, context, run)
        return choices.sort_order.length > 0
          ? new SortedOutput(choices, projection, context, run, () => {})
          : new Output(projection, run, () => {})
      },
    }
  },
}

/** See {@link output}. */
export class Output<Out extends object = Row> extends Streaming<Out> {
  readonly #projection: Projection
  readonly #close: () => void

  /** Made by {@link output} and by the plan of a node. */
  constructor(projection: Projection, run: RunContext, close: () => void) {
    super(run)
    this.#projection = projection
    this.#close = close
  }

  *process(batch: Row[]): Iterable<Row[]> {
    yield this.#projection.project(batch)
  }

  override finish(): Iterable<Row[]> {
    this.#projection.finish()
    return []
  }

  override release(): void {
    this.#close()
  }
}

/** See {@link output}: with `sort_order`, which holds all records, on disk beyond the budget. */
export class SortedOutput<Out extends object = Row> extends Blocking<Out> {
  readonly #projection: Projection
  readonly #context: PlanContext
  readonly #run: RunContext
  readonly #close: () => void
  readonly #dropped: readonly string[]
  readonly #sort: ExternalSort
  #drops = 0

  /** Made by {@link output} and by the plan of a node. */
  constructor(choices: Choices, projection: Projection, context: PlanContext, run: RunContext, close: () => void) {
    super(run)
    this.#projection = projection
    this.#context = context
    this.#run = run
    this.#close = close
    this.#dropped = choices.sort_order.filter(({ drops }) => drops).map(({ key }) => key.column)
    const compare = sortComparator(choices.sort_order.map(({ key }) => key))
    this.#sort = new ExternalSort({ budget: run.budget, folder: run.folder, compare, priority: 20, node: context.node })
  }

  add(batch: Row[]): void {
    for (const record of batch) {
      this.#projection.look(record)
      if (this.#dropped.some((column) => (record[column] ?? null) === null)) this.#drops++
      else this.#sort.add(record)
    }
  }

  *rows(): Iterable<Row[]> {
    for (const batch of this.#sort.sorted()) yield this.#projection.project(batch)
    this.#projection.finish()
    if (this.#drops === 0) return
    const columns = this.#dropped.map((column) => `\`${column}\``).join(' or ')
    const records = this.#drops === 1 ? '1 record' : `${this.#drops} records`
    this.#run.warn(`${this.#context.node}: ${records} without ${columns} dropped by null_order: drop`)
  }

  override release(): void {
    this.#sort.release()
    this.#close()
  }
}

/** A column of the output that `mapping` lists. */
interface Mapped {
  readonly name: string
  readonly from: string
  /** Its place in the list. */
  readonly index: number
}

/** The config with everything filled in. */
interface Choices {
  readonly mapping: readonly Mapped[] | undefined
  readonly exclude: ReadonlySet<string>
  readonly include_unmapped: boolean
  readonly include_correlation_keys: boolean
  readonly schema: readonly SchemaColumn[]
  readonly sort_order: readonly { readonly key: SortKey; readonly drops: boolean; readonly path: (string | number)[] }[]
}

/** What is settled once the incoming columns are known. */
interface ColumnPlan {
  /** The columns known to be written. */
  readonly columns: readonly Column[]
  /** Of the declared columns those that may be written behind the mapped ones. */
  readonly rest: ReadonlySet<string>
}

/** Checks what can be checked without knowing the incoming columns. */
function readChoices(config: OutputConfig, context: PlanContext): Choices {
  const faults = new Faults(context)
  const exclude = new Set(config.exclude)
  const mapping = config.mapping === undefined ? undefined : readMapping(config.mapping, faults)
  for (const { from, index } of mapping ?? []) {
    if (exclude.has(from)) {
      faults.add(
        'E364',
        `mapping reads \`${from}\`, which exclude leaves out`,
        ['mapping', index],
        'remove one of them',
      )
    }
  }
  const place = (path: readonly (string | number)[]) => context.place(['schema', ...path])
  const schema =
    config.schema === undefined
      ? []
      : (faults.attempt('schema', ['schema'], () => parseSchema(config.schema, { node: context.node, place })) ?? [])
  faults.throw()
  return {
    mapping,
    exclude,
    include_unmapped: config.include_unmapped ?? true,
    include_correlation_keys: config.include_correlation_keys ?? false,
    schema,
    sort_order: (config.sort_order ?? []).map((entry, index) => {
      const { field, order, null_order }: SortField = typeof entry === 'string' ? { field: entry } : entry
      const key = {
        column: field,
        descending: order === 'desc',
        nulls: null_order === 'first' ? 'first' : 'last',
      } as const
      const path = ['sort_order', index, ...(typeof entry === 'string' ? [] : ['field'])]
      return { key, drops: null_order === 'drop', path }
    }),
  }
}

function readMapping(written: unknown, faults: Faults): Mapped[] {
  const help = 'mapping is a list of columns, each `name` or `new: old`'
  if (!Array.isArray(written)) {
    faults.add(
      'E364',
      `mapping must be a list, got ${Object.prototype.toString.call(written) === '[object Object]' ? 'a map' : preview(written)}`,
      ['mapping'],
      help,
    )
    return []
  }
  if (written.length === 0)
    faults.add('E364', 'mapping is empty', ['mapping'], 'list the columns to write, or leave mapping out')
  const mapped: Mapped[] = []
  for (const [index, item] of written.entries()) {
    const entries: unknown[][] = typeof item === 'string' ? [[item, item]] : Object.entries((item ?? {}) as object)
    const [name, from] = entries[0] ?? []
    if (entries.length !== 1 || typeof name !== 'string' || typeof from !== 'string') {
      faults.add(
        'E364',
        `an item of mapping is \`name\` or \`new: old\`, got ${preview(item)}`,
        ['mapping', index],
        help,
      )
    } else if (mapped.some((other) => other.name === name)) {
      faults.add(
        'E364',
        `mapping writes the column \`${name}\` twice`,
        ['mapping', index],
        'give each column its own name',
      )
    } else mapped.push({ name, from, index })
  }
  return mapped
}

/** Checks the choices against the incoming columns. */
function planColumns(choices: Choices, input: Edge, context: PlanContext): ColumnPlan {
  const faults = new Faults(context)
  const { mapping, exclude, include_unmapped, schema } = choices
  const types = new Map(input.columns.map(({ name, type }) => [name, type]))
  const listed = new Set(mapping?.map(({ from }) => from))
  const emitted = input.emitted && new Set(input.emitted)
  const isRest = (name: string): boolean => {
    if (exclude.has(name) || listed.has(name)) return false
    return include_unmapped || (!mapping && (emitted?.has(name) ?? true))
  }
  const rest = input.columns.filter(({ name }) => isRest(name))
  const isOpen = input.open === true || (input.carries && include_unmapped)
  for (const { name, from, index } of mapping ?? []) {
    if (!types.has(from) && !isOpen) {
      faults.add(
        'E365',
        `mapping reads \`${from}\`, which no record can have`,
        ['mapping', index],
        suggestion(from, types.keys()),
      )
    }
    if (!input.open && rest.some((column) => column.name === name)) {
      const help = `exclude \`${name}\`, list it in mapping, or set include_unmapped: false`
      faults.add(
        'E364',
        `mapping writes \`${name}\`, and the column of that name is written, too`,
        ['mapping', index],
        help,
      )
    }
  }
  for (const { key, path } of choices.sort_order) {
    if (types.has(key.column) || input.open) continue
    const help =
      suggestion(key.column, types.keys()) ?? (input.carries ? 'declare it in the schema of its source' : undefined)
    faults.add('E203', `sort_order names \`${key.column}\`, which is no declared or emitted column`, path, help)
  }
  faults.throw()
  const declared = new Map(schema.map((column) => [column.name, column.type]))
  const columns = [
    ...(mapping ?? []).map(({ name, from }) => ({
      name,
      type: types.get(from) ?? declared.get(name) ?? Type.of('any'),
    })),
    ...rest,
  ]
  return { columns, rest: new Set(rest.map(({ name }) => name)) }
}

function suggestion(name: string, known: Iterable<string>): string | undefined {
  const near = closestMatch(name, known)
  return near === undefined ? undefined : `did you mean \`${near}\`?`
}

/** From incoming records to those that are written. */
class Projection {
  readonly #choices: Choices
  readonly #planFor: (shape: Shape) => ColumnPlan
  readonly #context: PlanContext
  readonly #run: RunContext
  readonly #shapes = new ShapeTable()
  readonly #forms = new Map<Shape, Map<string, Form>>()
  #lastShape: Shape | undefined
  #lastKeys: Row | undefined
  #lastForm: Form | undefined
  /** Mapped columns that no record had so far, and names that displaced another column. */
  readonly #unseen: Set<string>
  readonly #displaced = new Set<string>()
  #empty = true

  constructor(choices: Choices, planFor: (shape: Shape) => ColumnPlan, context: PlanContext, run: RunContext) {
    this.#choices = choices
    this.#planFor = planFor
    this.#context = context
    this.#run = run
    this.#unseen = new Set(choices.mapping?.map(({ from }) => from))
  }

  /** Meets a record before its turn: what is wrong with its columns is said at once. */
  look(record: Row): void {
    this.#formOf(record)
  }

  project(batch: Row[]): Row[] {
    return batch.map((record) => {
      const form = this.#formOf(record)
      return form ? form(record) : record
    })
  }

  /** Says, when all records have been seen, what the mapping got wrong. */
  finish(): void {
    const warn = (code: string, message: string): void => {
      const details: ErrorDetails = { message, node: this.#context.node }
      this.#run.warn(new ClinkerError(code, details).format())
    }
    if (!this.#empty) for (const name of this.#unseen) warn('W365', `mapping reads \`${name}\`, which no record had`)
    for (const name of this.#displaced) {
      warn('W366', `mapping writes \`${name}\`, so the column of that name that records carry was not written`)
    }
  }

  /** How the record is written; undefined: as it is. */
  #formOf(record: Row): Form {
    const shape = shapeOf(record) as Shape
    const keys = this.#choices.include_correlation_keys ? (originOf(record) as Origin).keys : undefined
    if (shape === this.#lastShape && keys === this.#lastKeys) return this.#lastForm
    this.#empty = false
    const names = keys ? Object.keys(keys) : []
    const cacheKey = JSON.stringify(names)
    let forms = this.#forms.get(shape)
    if (!forms) {
      if (this.#forms.size >= keptForms) this.#forms.clear()
      this.#forms.set(shape, (forms = new Map()))
    }
    if (!forms.has(cacheKey)) forms.set(cacheKey, this.#form(shape, names))
    this.#lastShape = shape
    this.#lastKeys = keys
    return (this.#lastForm = forms.get(cacheKey))
  }

  #form(shape: Shape, keys: readonly string[]): Form {
    const { mapping = [], exclude, include_unmapped, schema } = this.#choices
    const { rest } = this.#planFor(shape)
    const written: Written[] = []
    const taken = new Set<string>()
    for (const { name, from } of mapping) {
      const column = shape.columns[shape.indexOf(from)]
      if (column) this.#unseen.delete(from)
      written.push({ name, type: column?.type ?? Type.of('any'), from: column ? from : undefined })
      taken.add(name)
    }
    const listed = new Set(mapping.map(({ from }) => from))
    const add = (column: Column): void => {
      if (!taken.has(column.name)) written.push({ ...column, from: column.name })
      else this.#displaced.add(column.name)
    }
    for (const column of shape.columns.slice(0, shape.declared)) if (rest.has(column.name)) add(column)
    for (const key of keys) {
      const name = `$ck.${key}`
      if (!exclude.has(name)) written.push({ name, type: Type.of('any'), from: undefined, key })
    }
    const declared = written.length
    if (include_unmapped) {
      for (const column of shape.columns.slice(shape.declared)) {
        if (!exclude.has(column.name) && !listed.has(column.name)) add(column)
      }
    }
    const scales = new Map(schema.flatMap(({ name, scale }) => (scale === undefined ? [] : [[name, scale] as const])))
    for (const column of written) column.scale = scales.get(column.name)
    const same = written.every(({ name, from, scale }, index) => {
      return name === from && scale === undefined && shape.names[index] === name
    })
    if (same && written.length === shape.names.length) return undefined
    return compileForm(
      written,
      this.#shapes.of(
        written.map(({ name, type }) => ({ name, type })),
        declared,
      ),
    )
  }
}

/** Makes the record that is written; undefined: it is written as it came. */
type Form = ((record: Row) => Row) | undefined

const keptForms = 1000

interface Written extends Column {
  /** The incoming column; undefined: there is none. */
  readonly from: string | undefined
  /** The correlation key whose value it is. */
  readonly key?: string
  scale?: number | undefined
}

function compileForm(written: readonly Written[], shape: Shape): (record: Row) => Row {
  if (written.length > widestLiteral || !canGenerate()) {
    return (record) => {
      const values = written.map(({ from, key, scale }) => {
        const value = key === undefined ? (from === undefined ? null : (record[from] as Value)) : keyOf(record, key)
        return scale === undefined ? value : rounded(value, scale)
      })
      return shape.make(values, originOf(record) ?? unknownOrigin, rowOf(record))
    }
  }
  const code = new Code()
  const literal = code.literal(
    written.map(({ name, from, key, scale }) => {
      let value = from === undefined ? 'null' : code.member('r', from)
      if (key !== undefined) value = `${code.bind(keyOf)}(r, ${code.bind(key)})`
      return [name, scale === undefined ? value : `${code.bind(rounded)}(${value}, ${scale})`] as const
    }),
  )
  const [make, origin, row] = [code.bind(stamped), code.bind(originOf), code.bind(rowOf)]
  return code.compile(['r'], `return ${make}(${literal}, ${code.bind(shape)}, ${origin}(r), ${row}(r))`)
}

function keyOf(record: Row, key: string): Value {
  return originOf(record)?.keys?.[key] ?? null
}

/** Fewer places stay as they are: an output never makes digits up. */
function rounded(value: Value, scale: number): Value {
  return value instanceof Decimal && value.scale > scale ? value.round(scale) : value
}
