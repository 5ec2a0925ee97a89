import * as v from 'valibot'
import type { Environment } from '../lib/cxl/engine.ts'
import { joinForms } from '../lib/cxl/types.ts'
import { closestMatch, preview } from '../lib/diagnostics/index.ts'
import { GroupedBuffer } from '../lib/memory/index.ts'
import { sortComparator } from '../lib/record/compare.ts'
import { boxFloat } from '../lib/record/float.ts'
import { canGenerate, Code, widestLiteral } from '../lib/record/generate.ts'
import { compoundKey, type Key, keyOf } from '../lib/record/key.ts'
import { mapEntries } from '../lib/record/map.ts'
import { type Audit, type Origin, unknownOrigin } from '../lib/record/origin.ts'
import { type Column, type Shape, ShapeTable } from '../lib/record/shape.ts'
import { originOf, rowOf, shapeOf, stamped } from '../lib/record/stamp.ts'
import { Type } from '../lib/record/type.ts'
import type { Row, Value, ValueMap } from '../lib/record/value.ts'
import { deadLetter, evaluationFailure, Faults, type RecordExpression, recordExpression } from './expressions.ts'
import { edgeOf, fromCode, type NodeOptions, openEdge } from './from-code.ts'
import type { ConfigPath, DeadLetter, Edge, NodeDefinition, NodePlan, PlanContext, RunContext } from './node.ts'
import { type Cxl, columnMap, cxl, text } from './options.ts'
import { Blocking, recordsPerBatch } from './shell/index.ts'

/** A key to sort by; nulls come last in both directions. */
export interface ReshapeOrder {
  field: string
  /** Default: `asc`. */
  order?: 'asc' | 'desc'
}

/** What happens to a record, and because of it, when `when` holds. */
export interface ReshapeRule<In extends object = Row> {
  name: string
  /** Boolean CXL, or a function. Every rule sees the records as they came in; null does not fire. */
  when: string | ((record: In) => unknown)
  /** Overwrites columns of the record that fired the rule. */
  mutate?: { set: { [Column in keyof In]?: string | ((record: In) => unknown) } }
  /**
   * Adds a record for each one that fired the rule: a copy of it as it came in, or one of nulls of which `overrides` gives every
   * column.
   */
  synthesize?: {
    copy_from: 'trigger' | 'none'
    overrides?: { [Column in keyof In]?: string | ((record: In) => unknown) }
  }
}

/** The keys of a `reshape` node's `config`. */
export interface ReshapeConfig<In extends object = Row> {
  /** Columns whose equal values make a group; `[]` makes the whole input one group. */
  partition_by: Extract<keyof In, string>[]
  /** How the records of a group are sorted before the rules look at them. Default: as they arrived. */
  order_by?: (ReshapeOrder & { field: Extract<keyof In, string> })[]
  rules: ReshapeRule<In>[]
  /**
   * `resident` (default) holds one group at a time in memory and stops with E310 when it does not fit. `two_pass` reads a
   * larger group twice from disk instead; a rule that is a function must then give the same answer each time.
   */
  finalize?: 'resident' | 'two_pass'
}

/** Options of {@link reshape}. */
export interface ReshapeOptions<In extends object = Row> extends ReshapeConfig<In>, NodeOptions {}

/**
 * Looks at whole groups of records: rewrites the records on which a rule fires and adds records derived from them. Holds its
 * input until the end, inside `memory`, on disk beyond it. When two rules write one column of one record, the whole group becomes
 * dead letters.
 * @example
 * await pipeline(plans, reshape({
 *   partition_by: ['employee_id'],
 *   rules: [{
 *     name: 'fix_long_plan_years',
 *     when: 'plan_end.diff_days(plan_start) > 365',
 *     mutate: { set: { plan_end: 'plan_start' } },
 *     synthesize: { copy_from: 'trigger', overrides: { status: (plan) => 'synthesized' } },
 *   }],
 * }), sink)
 */
export function reshape<In extends object = Row, Out extends object = In>(
  options: ReshapeOptions<NoInfer<In>>,
): Reshape<Out> {
  const made = fromCode(reshapeNode, options)
  const planner = new PlanByShape(made.config, made.plan)
  return new Reshape<Out>(made.config, made.plan, made.run, planner, () => made.close())
}

const setSchema = columnMap(cxl())

const ruleSchema = v.strictObject({
  name: v.pipe(text('a name'), v.description('What stamps, messages and dead letters call the rule.')),
  when: v.pipe(cxl(), v.description('Boolean CXL over the record as it came in; only true fires the rule.')),
  mutate: v.optional(
    v.pipe(
      v.strictObject({
        set: v.pipe(setSchema, v.description('Column to CXL over the record as it came in.')),
      }),
      v.description('Overwrites columns of the record that fired the rule.'),
    ),
  ),
  synthesize: v.optional(
    v.pipe(
      v.strictObject({
        copy_from: v.pipe(
          v.picklist(['trigger', 'none']),
          v.description('Whether the new record starts as a copy of the one that fired the rule, or all null.'),
        ),
        overrides: v.optional(v.pipe(setSchema, v.description('Column to CXL over the record that fired the rule.'))),
      }),
      v.description('Adds a record for each one that fired the rule.'),
    ),
  ),
})

/** The keys of `config`, with what each must be. */
export const reshapeConfig = v.strictObject({
  partition_by: v.pipe(
    v.array(text('a column name')),
    v.description('Columns whose equal values make a group; [] makes the whole input one group.'),
  ),
  order_by: v.optional(
    v.pipe(
      v.array(v.strictObject({ field: text('a column name'), order: v.optional(v.picklist(['asc', 'desc'])) })),
      v.description('Sorts each group before the rules look at it; nulls last.'),
    ),
  ),
  rules: v.pipe(v.array(ruleSchema), v.description('Applied to the records as they came in, all of them.')),
  finalize: v.optional(
    v.pipe(
      v.picklist(['resident', 'two_pass']),
      v.description('Whether a group must fit into memory, or is read twice from disk when it does not.'),
    ),
  ),
})

/** The `reshape` node. */
export const reshapeNode: NodeDefinition<ReshapeConfig> = {
  type: 'reshape',
  summary: 'Rewrites records and adds records derived from them, looking at whole groups.',
  config: reshapeConfig as v.GenericSchema<unknown, ReshapeConfig>,
  streams: false,
  priority: 15,
  plan(config, input, context) {
    const rules = planRules(config, input, context)
    const planner: Planner = { rulesFor: () => rules, complete: () => {} }
    return {
      output: { columns: outputColumns(input.columns, rules), carries: input.carries, audited: true },
      expressions: rules.flatMap((rule) => rule.expressions),
      warnings: [],
      stream: (run) => new Reshape(config, context, run, planner, () => {}),
    } satisfies NodePlan
  },
}

/** See {@link reshape}. */
export class Reshape<Out extends object = Row> extends Blocking<Out> {
  readonly #config: ReshapeConfig
  readonly #context: PlanContext
  readonly #run: RunContext
  #environment: Environment
  readonly #planner: Planner
  readonly #close: () => void
  readonly #buffer: GroupedBuffer
  readonly #stamps: Stamps
  readonly #shapes = new ShapeTable()
  readonly #forms = new Map<Shape, Form>()
  /** Dead letters since the last batch. */
  #reported = 0
  /** The last one used: records of one shape mostly follow each other. */
  #form: Form | undefined
  /** The rules that synthesize. */
  readonly #synthesizing: readonly number[]
  /** Whether two rules can write one column, so that firing rules have to be compared. */
  readonly #collides: boolean

  /** Made by {@link reshape} and by the plan of a node. */
  constructor(config: ReshapeConfig, context: PlanContext, run: RunContext, planner: Planner, close: () => void) {
    super(run)
    this.#config = config
    this.#context = context
    this.#run = run
    this.#environment = run.environment
    this.#planner = planner
    this.#close = close
    this.#stamps = new Stamps(context.name, config.rules)
    this.#synthesizing = [...config.rules.keys()].filter((index) => config.rules[index]?.synthesize)
    const written = config.rules.flatMap((rule) => columnsOf(rule.mutate?.set))
    this.#collides = new Set(written).size < written.length
    const order = (config.order_by ?? []).map(({ field, order }) => ({ column: field, descending: order === 'desc' }))
    this.#buffer = new GroupedBuffer({
      budget: run.budget,
      folder: run.folder,
      node: context.node,
      surface: 'one group',
      help: 'or set finalize: two_pass',
      partition: config.partition_by,
      finalize: config.finalize ?? 'resident',
      priority: 15,
      order: order.length > 0 ? sortComparator(order) : undefined,
    })
  }

  add(batch: Row[]): void {
    for (const row of batch) this.#buffer.add(this.#formOf(row).key(row), row)
  }

  *rows(): Generator<Row[], void, undefined> {
    this.#planner.complete()
    let out: Row[] = []
    for (const group of this.#buffer.groups()) {
      const passes = group.passes()
      const rows = passes ? undefined : group.rows()
      if (rows && rows.length <= recordsPerBatch) {
        this.#atOnce(rows, out)
        // Without a record to leave, too: full dead letters are waited for between two batches.
        if (out.length + this.#reported < recordsPerBatch) continue
      }
      yield out
      out = []
      this.#reported = 0
      if (!rows || rows.length > recordsPerBatch) {
        this.#environment = steady(this.#run.environment)
        yield* passes
          ? this.#inPasses(passes, group.size, () => this.#buffer.spool())
          : this.#inPasses(
              () => slices(rows as Row[]),
              group.size,
              () => new RowList(),
            )
        this.#environment = this.#run.environment
      }
    }
    if (out.length) yield out
  }

  override release(): void {
    this.#buffer.release()
    this.#close()
  }

  /** Adds to `out` what a group gives: nothing when rules collide in it. */
  #atOnce(rows: readonly Row[], out: Row[]): void {
    const firing = this.#fire(rows)
    if (!firing) {
      for (let index = 0; index < rows.length; index++) out.push(this.#untouched(rows[index] as Row))
      return
    }
    const collided = firing.findIndex((rules) => rules !== undefined && this.#collision(rules) !== undefined)
    if (collided >= 0) {
      const rejected = this.#rejection(rows[collided] as Row, firing[collided] as number[], rows.length)
      this.#report(rejected.trigger)
      for (const [index, row] of rows.entries()) if (index !== collided) this.#report(rejected.correlated(row))
      return
    }
    for (let index = 0; index < rows.length; index++) out.push(this.#original(rows[index] as Row, firing[index]))
    for (const rule of this.#synthesizing) {
      for (let index = 0; index < rows.length; index++) {
        if (firing[index]?.includes(rule)) out.push(this.#synthesized(rows[index] as Row, rule))
      }
    }
  }

  /**
   * {@link Reshape.#atOnce} for a large group, which may be on disk: rules look at one record at a time, so one pass finds a collision
   * and one gives the originals. The latter puts aside the records on which rules that synthesize fire, by rule.
   */
  *#inPasses(passes: () => Iterable<Row[]>, size: number, open: () => RowStore): Generator<Row[], void, undefined> {
    const collided = this.#collides ? this.#firstCollision(passes()) : undefined
    if (collided) {
      const rejected = this.#rejection(collided.row, collided.rules, size)
      this.#report(rejected.trigger)
      let index = 0
      for (const batch of passes()) {
        for (const row of batch) if (index++ !== collided.index) this.#report(rejected.correlated(row))
        yield []
      }
      return
    }
    const triggers = new Map(this.#synthesizing.map((rule) => [rule, open()]))
    for (const batch of passes()) {
      yield batch.map((row) => {
        const firing = this.#fireOn(row)
        for (const rule of firing ?? []) triggers.get(rule)?.add(row)
        return this.#original(row, firing)
      })
    }
    for (const [rule, rows] of triggers) {
      for (const batch of rows.read()) yield batch.map((row) => this.#synthesized(row, rule))
    }
  }

  /** Looks at every record, also behind the first collision: a rule that fails on one stops the run however large the group is. */
  #firstCollision(batches: Iterable<Row[]>): { index: number; row: Row; rules: number[] } | undefined {
    let first: { index: number; row: Row; rules: number[] } | undefined
    let index = 0
    for (const batch of batches) {
      for (const row of batch) {
        const rules = this.#fireOn(row)
        if (rules && !first && this.#collision(rules)) first = { index, row, rules }
        index++
      }
    }
    return first
  }

  /** The rules that fire on each record; undefined when none fires on any, which is true of most groups. */
  #fire(rows: readonly Row[]): Firing[] | undefined {
    let firing: Firing[] | undefined
    for (let index = 0; index < rows.length; index++) {
      const rules = this.#fireOn(rows[index] as Row)
      if (rules) (firing ??= rows.map((): Firing => undefined))[index] = rules
    }
    return firing
  }

  #report(letter: DeadLetter): void {
    this.#reported++
    this.#run.report(letter)
  }

  #fireOn(row: Row): Firing {
    const { rules } = this.#formOf(row)
    let firing: Firing
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index] as RulePlan
      try {
        if (rule.when.test(row, this.#environment)) (firing ??= []).push(index)
      } catch (error) {
        throw evaluationFailure(error, row, `rule "${rule.name}": when`, ['rules', index, 'when'], this.#context)
      }
    }
    return firing
  }

  /** The first second write among rules that fire on one record, in the order of the rules and of their columns. */
  #collision(firing: readonly number[]): { first: string; second: string; column: string } | undefined {
    if (!this.#collides || firing.length < 2) return undefined
    const writers = new Map<string, string>()
    for (const index of firing) {
      const { name, mutate } = this.#config.rules[index] as ReshapeRule
      for (const column of columnsOf(mutate?.set)) {
        const first = writers.get(column)
        if (first !== undefined) return { first, second: name, column }
      }
      for (const column of columnsOf(mutate?.set)) writers.set(column, name)
    }
    return undefined
  }

  #rejection(row: Row, firing: readonly number[], size: number) {
    const { first, second, column } = this.#collision(firing) as { first: string; second: string; column: string }
    const { node } = this.#context
    const stage = `reshape:${this.#context.name}:${first}+${second}`
    const rows = size === 1 ? 'its 1 record is' : `its ${size} records are`
    const conflict = `${node}: rules "${first}" and "${second}" both set "${column}"`
    const group = this.#groupText(row)
    const trigger = deadLetter(row, {
      category: 'mutation_conflict',
      detail: `${conflict} on this record of ${group}; ${rows} rolled back`,
      stage,
      trigger: true,
      field: column,
      value: null,
    })
    const detail = `${conflict} on another record of ${group}; ${rows} rolled back`
    const correlated = (other: Row) =>
      deadLetter(other, { category: 'correlated', detail, stage, trigger: false, field: '', value: null })
    return { trigger, correlated }
  }

  #groupText(row: Row): string {
    const { partition_by } = this.#config
    if (!partition_by.length) return 'the whole input'
    const parts = partition_by.map((column) => {
      const value = Object.hasOwn(row, column) ? (row[column] as Value) : null
      return `${column}=${groupKey(value) === null ? 'null' : preview(value)}`
    })
    return `group [${parts.join(', ')}]`
  }

  #untouched(row: Row): Row {
    const form = this.#formOf(row)
    return form.copy(row, this.#stamps.untouched(originOf(row) ?? unknownOrigin), rowOf(row))
  }

  #original(row: Row, firing: Firing): Row {
    if (!firing || !this.#stamps.writes(firing)) return this.#untouched(row)
    const form = this.#formOf(row)
    const written = new Map<string, Value>()
    for (const index of firing) {
      const { sets } = form.rules[index] as RulePlan
      for (const write of sets) written.set(write.column, this.#value(form, write, row))
    }
    return form.write(row, written, this.#stamps.mutated(firing, originOf(row) ?? unknownOrigin), rowOf(row))
  }

  #synthesized(row: Row, index: number): Row {
    const form = this.#formOf(row)
    const { overrides, copies } = form.rules[index] as RulePlan
    const written = new Map<string, Value>()
    for (const write of overrides) written.set(write.column, this.#value(form, write, row))
    const origin = this.#stamps.synthesized(index, originOf(row) ?? unknownOrigin)
    return copies ? form.write(row, written, origin, rowOf(row)) : form.fresh(written, origin, rowOf(row))
  }

  #value(form: Form, { column, expression, path, subject }: Write, row: Row): Value {
    try {
      return form.reformed(column, expression.evaluate(row, this.#environment), expression.form)
    } catch (error) {
      throw evaluationFailure(error, row, subject, path, this.#context)
    }
  }

  #formOf(row: Row): Form {
    const shape = shapeOf(row) as Shape
    const last = this.#form
    if (last?.shape === shape) return last
    let form = this.#forms.get(shape)
    if (!form) {
      form = new Form(shape, this.#planner.rulesFor(shape), this.#config.partition_by, this.#shapes)
      this.#forms.set(shape, form)
    }
    this.#form = form
    return form
  }
}

/** The rules that fire on a record, in their order; undefined for none. */
type Firing = number[] | undefined

/** A rule, compiled over records of given declared columns. */
interface RulePlan {
  readonly name: string
  readonly when: RecordExpression
  readonly sets: readonly Write[]
  readonly overrides: readonly Write[]
  /** Whether what it synthesizes starts as a copy of the trigger. */
  readonly copies: boolean
  readonly expressions: NodePlan['expressions'][number][]
}

interface Write {
  readonly column: string
  readonly expression: RecordExpression
  /** As messages name it: `rule "fix": set "days"`. */
  readonly subject: string
  readonly path: ConfigPath
}

/** Where a running node finds the rules for records of a shape. */
interface Planner {
  rulesFor(shape: Shape): readonly RulePlan[]
  /** Called when all input is in: throws what can be wrong with the config only now. */
  complete(): void
}

/** From code the columns are known when records come: plans once for each list of declared columns. */
class PlanByShape implements Planner {
  readonly #config: ReshapeConfig
  readonly #context: PlanContext
  readonly #declared = new ShapeTable()
  readonly #plans = new Map<Shape, readonly RulePlan[]>()
  readonly #openPlan: readonly RulePlan[]
  readonly #columns = new Map<string, Column>()
  #open = false

  constructor(config: ReshapeConfig, context: PlanContext) {
    this.#config = config
    this.#context = context
    // What can be said without columns is said when the node is made; records without a schema need no more.
    this.#openPlan = planRules(config, openEdge, context)
  }

  rulesFor(shape: Shape): readonly RulePlan[] {
    const edge = edgeOf(shape)
    for (const column of edge.columns) this.#columns.set(column.name, column)
    if (edge.open) {
      this.#open = true
      return this.#openPlan
    }
    const key = this.#declared.of(edge.columns)
    let plan = this.#plans.get(key)
    if (!plan) this.#plans.set(key, (plan = planRules(this.#config, edge, this.#context)))
    return plan
  }

  /** A column that some record may lack has to be in one of them at least. */
  complete(): void {
    if (!this.#open) return
    const faults = new Faults(this.#context)
    const edge = { columns: [...this.#columns.values()], carries: true, audited: true }
    checkColumns(this.#config, edge, this.#context, faults)
    faults.throw()
  }
}

/** Checks and compiles the rules; throws every fault found. */
function planRules(config: ReshapeConfig, input: Edge, context: PlanContext): RulePlan[] {
  const faults = new Faults(context)
  checkWrites(config, faults)
  if (!input.open) checkColumns(config, input, context, faults)
  const scope = { ...context.scope(input), doc: false as const }
  const rules = config.rules.map((rule, index): RulePlan => {
    const path = ['rules', index]
    const expressions: NodePlan['expressions'][number][] = []
    const compile = (cxl: Cxl, subject: string, path: ConfigPath): RecordExpression => {
      const compiled = faults.attempt(subject, path, () => recordExpression(cxl, scope))
      if (compiled?.text !== undefined) expressions.push({ path, text: compiled.text, type: `${compiled.type}` })
      // Never evaluated: the fault is thrown below.
      return compiled ?? recordExpression(() => null, scope)
    }
    const writes = (map: object | undefined, action: string, at: ConfigPath): Write[] =>
      entriesOf(map).map(([column, cxl]): Write => {
        const subject = `rule "${rule.name}": ${action} "${column}"`
        return { column, subject, path: [...at, column], expression: compile(cxl, subject, [...at, column]) }
      })
    const when = compile(rule.when as Cxl, `rule "${rule.name}": when`, [...path, 'when'])
    if (!['bool', 'any', 'null'].includes(when.type.name)) {
      const message = `rule "${rule.name}": when must be boolean, it is ${when.type}`
      faults.add('E200', message, [...path, 'when'], 'compare the value with something')
    }
    return {
      name: rule.name,
      when,
      sets: writes(rule.mutate?.set, 'set', [...path, 'mutate', 'set']),
      overrides: writes(rule.synthesize?.overrides, 'override', [...path, 'synthesize', 'overrides']),
      copies: rule.synthesize?.copy_from === 'trigger',
      expressions,
    }
  })
  checkOverlap(rules, faults)
  faults.throw()
  return rules
}

/** What a rule may not write, whatever the columns are. */
function checkWrites(config: ReshapeConfig, faults: Faults): void {
  for (const [index, rule] of config.rules.entries()) {
    for (const { action, column, path } of writesOf(rule, index)) {
      if (column.startsWith('$')) {
        faults.add('E200', `rule "${rule.name}": ${action} writes \`${column}\`, a column of the engine`, path)
      } else if (action === 'set' && config.partition_by.includes(column)) {
        const message = `rule "${rule.name}": set writes "${column}", a field of partition_by`
        faults.add('E200', message, path, 'a record stays in its group; only an override may write this field')
      }
    }
  }
}

/** Whether every column that the config names is there. */
function checkColumns(config: ReshapeConfig, input: Edge, context: PlanContext, faults: Faults): void {
  const names = input.columns.map((column) => column.name)
  const missing = (column: string, subject: string, path: ConfigPath): void => {
    if (names.includes(column)) return
    const source = context.input === undefined ? 'the input' : `"${context.input}"`
    const near = closestMatch(column, names)
    const help = near === undefined ? `columns: ${names.join(', ') || 'none'}` : `did you mean \`${near}\`?`
    faults.add('E200', `${subject} names \`${column}\`, which is not a column of ${source}`, path, help)
  }
  for (const [index, column] of config.partition_by.entries()) missing(column, 'partition_by', ['partition_by', index])
  for (const [index, { field }] of (config.order_by ?? []).entries()) {
    missing(field, 'order_by', ['order_by', index, 'field'])
  }
  for (const [index, rule] of config.rules.entries()) {
    for (const { action, column, path } of writesOf(rule, index)) {
      if (!column.startsWith('$')) missing(column, `rule "${rule.name}": ${action}`, path)
    }
    if (rule.synthesize?.copy_from !== 'none') continue
    const given = columnsOf(rule.synthesize.overrides)
    const left = names.filter((name) => !given.includes(name)).map((name) => `"${name}"`)
    if (!left.length) continue
    const message = `rule "${rule.name}": with copy_from: none overrides must give every column; ${left.join(', ')} ${left.length > 1 ? 'are' : 'is'} missing`
    faults.add('E200', message, ['rules', index, 'synthesize'], 'give each of them, or use copy_from: trigger')
  }
}

/** Two rules that set one column and fire together for certain: the same predicate, or one that is always true. */
function checkOverlap(rules: readonly RulePlan[], faults: Faults): void {
  for (const [later, second] of rules.entries()) {
    for (const first of rules.slice(0, later)) {
      const same = first.when.canonical === second.when.canonical
      if (!same && first.when.constant !== true && second.when.constant !== true) continue
      for (const { column } of second.sets) {
        if (!first.sets.some((write) => write.column === column)) continue
        const why = same ? 'have the same predicate' : 'overlap, as one of them always fires,'
        const message = `rules "${first.name}" and "${second.name}" ${why} and both set "${column}"`
        const help = 'let one of the rules write it, or make the predicates exclude each other'
        faults.add('E200', message, ['rules', later, 'mutate', 'set', column], help)
      }
    }
  }
}

/** The declared columns behind the rules: a column has a type that holds for whatever can be in it. */
function outputColumns(columns: readonly Column[], rules: readonly RulePlan[]): Column[] {
  const writes = rules.flatMap((rule) => [...rule.sets, ...rule.overrides])
  return columns.map(({ name, type }) => ({
    name,
    type: writes.reduce(
      (known, write) => (write.column === name ? joinForms(known, write.expression.form) : known),
      type,
    ),
  }))
}

/** How records of one shape are keyed, and made anew with their stamp. */
class Form {
  readonly shape: Shape
  readonly rules: readonly RulePlan[]
  readonly key: (row: Row) => Key
  /** The record as it is, for another origin. */
  readonly copy: (row: Row, origin: Origin, number: number) => Row
  readonly #shapes: ShapeTable
  readonly #declared: readonly Column[]
  readonly #result: Shape

  constructor(shape: Shape, rules: readonly RulePlan[], partition: readonly string[], shapes: ShapeTable) {
    this.shape = shape
    this.rules = rules
    this.key = keyReader(shape, partition)
    this.#shapes = shapes
    this.#declared = outputColumns(shape.columns.slice(0, shape.declared), rules)
    this.#result = shapes.of([...this.#declared, ...shape.columns.slice(shape.declared)], shape.declared)
    this.copy = copier(shape, this.#result)
  }

  /** A value of one form in that of a column of the result. */
  reformed(column: string, value: Value, form: Type): Value {
    const at = this.#result.indexOf(column)
    return reform(value, form, this.#result.columns[at]?.type ?? Type.of('any'))
  }

  /** The record with some values replaced. One it lacks, as plain objects may, becomes its last declared column. */
  write(row: Row, written: ReadonlyMap<string, Value>, origin: Origin, number: number): Row {
    const result = this.#widened(written)
    const values = result.columns.map(({ name, type }) => {
      const value = written.get(name)
      if (value !== undefined) return value
      const at = this.shape.indexOf(name)
      return at < 0 ? null : reform(row[name] as Value, (this.shape.columns[at] as Column).type, type)
    })
    return result.make(values, origin, number)
  }

  /** A record of these values alone, without carried columns. */
  fresh(written: ReadonlyMap<string, Value>, origin: Origin, number: number): Row {
    const known = new Set(this.#declared.map((column) => column.name))
    const missing = [...written.keys()].filter((name) => !known.has(name))
    const result = this.#shapes.of([...this.#declared, ...missing.map(anyColumn)])
    return result.make(
      result.names.map((name) => written.get(name) ?? null),
      origin,
      number,
    )
  }

  #widened(written: ReadonlyMap<string, Value>): Shape {
    const result = this.#result
    const missing = [...written.keys()].filter((name) => !result.has(name))
    if (!missing.length) return result
    const declared = [...this.#declared, ...missing.map(anyColumn)]
    return this.#shapes.of([...declared, ...result.columns.slice(result.declared)], declared.length)
  }
}

/** The origins of the records that leave: those they came with, and the stamps. Kept by origin, so that equal ones stay one. */
class Stamps {
  readonly #labels: readonly string[]
  readonly #writers: readonly boolean[]
  readonly #untouched = new StampedOrigins({ synthetic: false, synthesizedBy: '', mutatedBy: '' })
  readonly #mutated = new Map<string, StampedOrigins>()
  readonly #synthesized: readonly StampedOrigins[]

  constructor(node: string, rules: readonly ReshapeRule[]) {
    this.#labels = rules.map((rule) => `${node}:${rule.name}`)
    this.#writers = rules.map((rule) => columnsOf(rule.mutate?.set).length > 0)
    this.#synthesized = this.#labels.map(
      (label) => new StampedOrigins({ synthetic: true, synthesizedBy: label, mutatedBy: '' }),
    )
  }

  /** Whether any of these rules writes into the record on which they fire. */
  writes(firing: readonly number[]): boolean {
    return firing.some((rule) => this.#writers[rule])
  }

  untouched(origin: Origin): Origin {
    return this.#untouched.of(origin)
  }

  mutated(firing: readonly number[], origin: Origin): Origin {
    const mutatedBy = firing
      .filter((rule) => this.#writers[rule])
      .map((rule) => this.#labels[rule])
      .join(',')
    let stamped = this.#mutated.get(mutatedBy)
    if (!stamped) {
      stamped = new StampedOrigins({ synthetic: false, synthesizedBy: '', mutatedBy })
      this.#mutated.set(mutatedBy, stamped)
    }
    return stamped.of(origin)
  }

  synthesized(rule: number, origin: Origin): Origin {
    return (this.#synthesized[rule] as StampedOrigins).of(origin)
  }
}

/** Origins with one audit stamp. */
class StampedOrigins {
  readonly #audit: Audit
  #last: Origin | undefined
  #result: Origin | undefined
  /** Bounded: with correlation keys there may be an origin for every few records. */
  readonly #known = new Map<Origin, Origin>()

  constructor(audit: Audit) {
    this.#audit = audit
  }

  of(origin: Origin): Origin {
    if (origin === this.#last) return this.#result as Origin
    let result = this.#known.get(origin)
    if (!result) {
      result = origin.withAudit(this.#audit)
      if (this.#known.size >= mostOrigins) this.#known.clear()
      this.#known.set(origin, result)
    }
    this.#last = origin
    this.#result = result
    return result
  }
}

const mostOrigins = 4096

/** The key of a cell: `""` and what has no key are in the null group. */
function groupKey(value: Value): Key {
  return value === '' ? null : (keyOf(value) ?? null)
}

/** The key of records of a shape. Plain form: `compoundKey(partition.map((column) => groupKey(row[column])))`. */
function keyReader(shape: Shape, partition: readonly string[]): (row: Row) => Key {
  // An absent column is null; reading it could find a method of every object.
  const columns = partition.map((column) => (shape.has(column) ? column : undefined))
  const [only] = columns
  if (columns.length === 0 || (columns.length === 1 && only === undefined)) return () => null
  if (!canGenerate()) {
    const parts = (row: Row): Key[] =>
      columns.map((column) => (column === undefined ? null : groupKey(row[column] as Value)))
    return columns.length === 1 ? (row) => groupKey(row[only as string] as Value) : (row) => compoundKey(parts(row))
  }
  const code = new Code()
  const parts = columns.map((column) =>
    column === undefined ? 'null' : `${code.bind(groupKey)}(${code.member('row', column)})`,
  )
  const key = parts.length === 1 ? parts[0] : `${code.bind(compoundKey)}([${parts.join(', ')}])`
  return code.compile(['row'], `return ${key}`)
}

/** The environment with its clock stopped: a rule that asks for `now` has to answer the same in each pass. */
function steady(environment: Environment): Environment {
  const now = environment.now()
  const log: Environment['log'] = (level, message, row) => environment.log(level, message, row)
  return { pipeline: environment.pipeline, variables: environment.variables, now: () => now, log }
}

/** Records that are put aside and read back once. */
interface RowStore {
  add(row: Row): void
  read(): Iterable<Row[]>
}

/** A store of records that are in memory anyway. */
class RowList implements RowStore {
  readonly #rows: Row[] = []

  add(row: Row): void {
    this.#rows.push(row)
  }

  read(): Iterable<Row[]> {
    return slices(this.#rows)
  }
}

function* slices(rows: Row[]): Generator<Row[], void, undefined> {
  for (let from = 0; from < rows.length; from += recordsPerBatch) yield rows.slice(from, from + recordsPerBatch)
}

/** Copies records of one shape into another with the same columns. Plain form: `to.make(names.map((name) => row[name]), …)`. */
function copier(from: Shape, to: Shape): Form['copy'] {
  const reformers = from.columns.map(({ type }, index) => changesForm(type, (to.columns[index] as Column).type))
  if (!canGenerate() || from.names.length > widestLiteral) {
    return (row, origin, number) =>
      to.make(
        from.names.map((name, index) => (reformers[index] ? boxed(row[name] as Value) : (row[name] as Value))),
        origin,
        number,
      )
  }
  const code = new Code()
  const literal = code.literal(
    from.names.map((name, index) => {
      const value = code.member('row', name)
      return [name, reformers[index] ? `${code.bind(boxed)}(${value})` : value] as const
    }),
  )
  return code.compile(
    ['row', 'origin', 'number'],
    `return ${code.bind(stamped)}(${literal}, ${code.bind(to)}, origin, number)`,
  )
}

/** A value of a column of type `from` as a column of type `to` holds it. */
function reform(value: Value, from: Type, to: Type): Value {
  return changesForm(from, to) ? boxed(value) : value
}

/** Floats are plain numbers only where the type says that they are floats. */
function changesForm(from: Type, to: Type): boolean {
  return from.name === 'float' && to.name !== 'float'
}

function boxed(value: Value): Value {
  return typeof value === 'number' ? boxFloat(value) : value
}

function anyColumn(name: string): Column {
  return { name, type: Type.of('any') }
}

function entriesOf(map: object | undefined): [string, Cxl][] {
  return map === undefined ? [] : (mapEntries(map as ValueMap) as unknown as [string, Cxl][])
}

function columnsOf(map: object | undefined): string[] {
  return entriesOf(map).map(([column]) => column)
}

/** What a rule writes, with the place of each in the config. */
function writesOf(rule: ReshapeRule, index: number) {
  const path = ['rules', index]
  return [
    ...columnsOf(rule.mutate?.set).map((column) => ({
      action: 'set' as const,
      column,
      path: [...path, 'mutate', 'set', column],
    })),
    ...columnsOf(rule.synthesize?.overrides).map((column) => ({
      action: 'override' as const,
      column,
      path: [...path, 'synthesize', 'overrides', column],
    })),
  ]
}
