import * as v from 'valibot'
import {
  compileTransform,
  type Environment,
  EvaluationError,
  fuse,
  type Scope,
  type TransformProgram,
} from '../lib/cxl/engine.ts'
import { closestMatch, preview } from '../lib/diagnostics/index.ts'
import { Intake } from '../lib/record/intake.ts'
import { kindOf } from '../lib/record/kind.ts'
import { unknownOrigin } from '../lib/record/origin.ts'
import { type Column, type Shape, ShapeTable } from '../lib/record/shape.ts'
import { originOf, rowOf, shapeOf, stamp, stamped } from '../lib/record/stamp.ts'
import { Type } from '../lib/record/type.ts'
import type { Row, Value } from '../lib/record/value.ts'
import { type JsonValue, jsonReader, parseTypeName } from '../lib/schema/index.ts'
import {
  call,
  deadLetter,
  evaluationFailure,
  Faults,
  FunctionFailure,
  placeOf,
  reasonOf,
  recordExpression,
  sourceOf,
} from './expressions.ts'
import { edgeOf, fromCode, type NodeOptions, openEdge } from './from-code.ts'
import { compileLog, type EventLog, type LogDirective, logDirectives, tell, tellRecord } from './log.ts'
import type { ConfigPath, Edge, NodeDefinition, NodePlan, PlanContext, RunContext } from './node.ts'
import { type Cxl, cxl, text, wholeNumber } from './options.ts'
import { recordsPerBatch, Streaming } from './shell/index.ts'

/** A check of the records a transform gives. */
export interface Validation<Out extends object = Row> {
  /** `not_empty` for `field`, or a boolean CXL predicate (or a function) over the record behind the program. */
  check: string | ((record: Out) => unknown)
  /** The column that dead letters name; `not_empty` looks at it. */
  field?: Extract<keyof Out, string>
  /** `error` (default) rejects the record, `warn` only says so. */
  severity?: 'error' | 'warn'
  message?: string
  /** Default: field and check. */
  name?: string
  args?: unknown
}

/** A variable that a program may write: `emit $record.grade = …`. */
export interface Declaration {
  name: string
  scope: 'pipeline' | 'source' | 'record'
  type: 'string' | 'int' | 'float' | 'bool' | 'date' | 'date_time' | 'datetime'
  default?: unknown
}

/** The keys of a `transform` node's `config`. */
export interface TransformConfig<In extends object = Row, Out extends object = Row> {
  /**
   * The program: `emit`, `let`, `filter`, `distinct` … A function gives the new record, an array of records, or null to drop it.
   */
  cxl: string | ((record: In) => Out | readonly Out[] | null | undefined)
  validations?: Validation<Out>[]
  /** Records that one record may become; one more rejects it. Default: 10000. */
  max_expansion?: number
  /** Records computed together; changes no result. */
  batch_size?: number
  declares?: Declaration[]
  phase?: 'main' | 'init'
  /** Events that are told while it runs. They change no record. */
  log?: LogDirective<In>[]
}

/** Options of {@link transform}. */
export interface TransformOptions<In extends object = Row, Out extends object = Row>
  extends TransformConfig<In, Out>,
    NodeOptions {}

/**
 * Computes columns, filters and expands records, one at a time. Columns pass through; `emit` adds or replaces them.
 * @example
 * await pipeline(orders, transform({ cxl: `
 *   filter amount > 0
 *   emit net = (amount / 1.19).round(2)
 * ` }), sink)
 */
export function transform<In extends object = Row, Out extends object = Row>(
  options: TransformOptions<NoInfer<In>, NoInfer<Out>>,
): Transform<Out> {
  const made = fromCode(transformNode, options)
  return new Transform<Out>([stageByShape(made.config, made.plan)], made.run, () => made.close())
}

/** The keys of `config`, with what each must be. */
export const transformConfig = v.strictObject({
  cxl: v.pipe(cxl(), v.description('The program that runs for every record.')),
  validations: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          check: v.pipe(
            cxl('`not_empty` or CXL text'),
            v.description('not_empty, or a boolean predicate over the record behind the program.'),
          ),
          field: v.optional(v.pipe(text('a column name'), v.description('The column that dead letters name.'))),
          severity: v.optional(
            v.pipe(v.picklist(['error', 'warn']), v.description('Whether the record is rejected, or only logged.')),
          ),
          message: v.optional(v.pipe(text('text'), v.description('What the message says of the record.'))),
          name: v.optional(v.pipe(text('a name'), v.description('Name of the check; field and check without one.'))),
          args: v.optional(v.unknown()),
        }),
      ),
      v.description('Checks of the records behind the program, in order; the first that fails decides.'),
    ),
  ),
  max_expansion: v.optional(
    v.pipe(wholeNumber(1), v.description('Records that one record may become; one more rejects it. Default: 10000.')),
  ),
  batch_size: v.optional(v.pipe(wholeNumber(1), v.description('Records computed together; changes no result.'))),
  declares: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          name: v.pipe(text('a name'), v.description('Read and written as $record.<name>, by its scope.')),
          scope: v.pipe(v.picklist(['pipeline', 'source', 'record']), v.description('How long a value lives.')),
          type: v.picklist(['string', 'int', 'float', 'bool', 'date', 'date_time', 'datetime']),
          default: v.optional(v.pipe(v.unknown(), v.description('What is read before the first write.'))),
        }),
      ),
      v.description('Variables that the program may write.'),
    ),
  ),
  phase: v.optional(v.pipe(v.picklist(['main', 'init']), v.description('init runs this branch before all others.'))),
  analytic_window: v.optional(v.pipe(v.unknown(), v.check(isAbsent, 'left out: windows are not supported yet'))),
  log: v.optional(logDirectives),
})

/** The `transform` node. */
export const transformNode: NodeDefinition<TransformConfig> = {
  type: 'transform',
  summary: 'Computes columns, filters and expands records, one at a time.',
  config: transformConfig as v.GenericSchema<unknown, TransformConfig>,
  streams: true,
  plan: (config, input, context) => planTransform(config, input, context),
}

/** A planned transform; {@link fuseTransforms} takes adjacent ones. */
export interface TransformPlan extends NodePlan {
  readonly stage: Stage
  readonly log: readonly LogDirective[]
}

/** One stream for transforms that follow each other: records in between are made only where a check looks at them. */
export function fuseTransforms(plans: readonly TransformPlan[]): NodePlan {
  const [last] = plans.slice(-1)
  if (!last) throw new RangeError('fuseTransforms needs at least one plan')
  return {
    output: last.output,
    expressions: plans.flatMap((plan) => plan.expressions),
    warnings: plans.flatMap((plan) => plan.warnings),
    stream: (run) =>
      new Transform(
        plans.map((plan) => plan.stage),
        run,
        () => {},
      ),
  }
}

/** See {@link transform}. */
export class Transform<Out extends object = Row> extends Streaming<Out> {
  readonly #stages: readonly RunningStage[]
  readonly #run: RunContext
  readonly #close: () => void
  readonly #shapes = new ShapeTable()
  readonly #functions = new Map<Shape, Step | undefined>()
  /** The last ones used: records of one shape mostly follow each other. */
  #shape: Shape | undefined
  #function: Step | undefined
  #begun = false

  /** Made by {@link transform}, by the plan of a node and by {@link fuseTransforms}. */
  constructor(stages: readonly Stage[], run: RunContext, close: () => void) {
    super(run)
    this.#stages = stages.map((stage) => new RunningStage(stage, run, this.#shapes))
    this.#run = run
    this.#close = close
  }

  *process(batch: Row[]): Generator<Row[], void, undefined> {
    this.#begin()
    const [first] = batch
    // Whether stages can be joined does not depend on the record.
    if (!first || !this.#functionFor(first)) {
      yield* this.#stageByStage(batch, 0)
      return
    }
    const { environment } = this.#run
    const out: Row[] = []
    for (let index = 0; index < batch.length; index++) {
      const row = batch[index] as Row
      const run = this.#functionFor(row) as Step
      try {
        run(row, environment, out)
      } catch {
        // Only the stages know which of them fails, and on what.
        for (const rest of this.#stageByStage([row], 0)) out.push(...rest)
      }
    }
    if (out.length) yield out
  }

  override finish(): Row[][] {
    this.#begin()
    for (const stage of this.#stages) stage.tellAll('after')
    return []
  }

  override release(): void {
    this.#close()
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    for (const stage of this.#stages) stage.tellAll('before')
  }

  /** All stages in one function, which pushes nothing when it throws; undefined where that is not possible. */
  #functionFor(row: Row): Step | undefined {
    const shape = shapeOf(row) as Shape
    if (shape === this.#shape) return this.#function
    let found = this.#functions.get(shape)
    if (!this.#functions.has(shape)) {
      found = joined(this.#stages, shape, this.#shapes)
      this.#functions.set(shape, found)
    }
    this.#shape = shape
    this.#function = found
    return found
  }

  /** A batch through the stages from `index` on. A batch that an expanding stage has filled goes on before the next is begun. */
  *#stageByStage(batch: Row[], index: number): Generator<Row[], void, undefined> {
    const stage = this.#stages[index]
    if (!stage) {
      yield batch
      return
    }
    const full = Math.max(batch.length, recordsPerBatch)
    let out: Row[] = []
    for (const row of batch) {
      stage.run(row, out)
      if (out.length < full) continue
      yield* this.#stageByStage(out, index + 1)
      out = []
    }
    if (out.length) yield* this.#stageByStage(out, index + 1)
  }
}

/** Adds what becomes of a record to `out`; throws for a record that is refused. */
type Step = (row: Row, environment: Environment, out: Row[]) => unknown

/** One transform, planned: what it does with records of a shape. */
interface Stage {
  readonly context: PlanContext
  readonly maxExpansion: number
  /** What is told of the transform as a whole; of a record the plan for its shape tells. */
  readonly log: EventLog | undefined
  planFor(shape: Shape): StagePlan
}

interface StagePlan {
  /** A compiled program, or a function from code. */
  readonly program: TransformProgram | ((record: Row) => unknown)
  readonly checks: readonly Check[]
  readonly log: EventLog | undefined
}

interface Check {
  readonly name: string
  readonly path: ConfigPath
  readonly field: string | undefined
  readonly warns: boolean
  readonly message: string
  readonly passes: (row: Row, environment: Environment) => boolean
}

/** A stage of one stream, with what happens to the records that it refuses. */
class RunningStage {
  readonly stage: Stage
  readonly #run: RunContext
  readonly #shapes: ShapeTable
  readonly #functions = new Map<Shape, Step>()
  /** The last ones used: records of one shape mostly follow each other. */
  #shape: Shape | undefined
  #function: Step | undefined
  /** Records looked at, counted where events are told of them. */
  #seen = 0

  constructor(stage: Stage, run: RunContext, shapes: ShapeTable) {
    this.stage = stage
    this.#run = run
    this.#shapes = shapes
  }

  /** Adds what the stage makes of a record to `out`; a record it refuses adds nothing. */
  run(row: Row, out: Row[]): void {
    const shape = shapeOf(row) as Shape
    if (shape !== this.#shape) {
      let found = this.#functions.get(shape)
      if (!found) this.#functions.set(shape, (found = this.#whole(shape)))
      this.#shape = shape
      this.#function = found
    }
    const start = out.length
    try {
      ;(this.#function as Step)(row, this.#run.environment, out)
    } catch (error) {
      out.length = start
      this.#reject(row, error)
    }
  }

  /** Tells the events that come once. */
  tellAll(when: 'before' | 'after'): void {
    for (const event of this.stage.log?.[when] ?? []) tell(event, this.#run)
  }

  /** Everything that is done with records of a shape; throws for a record that is refused. */
  #whole(shape: Shape): Step {
    const plan = this.stage.planFor(shape)
    const { log } = plan
    const step = this.#checked(plan, shape)
    if (!log?.records.length) return step
    return (row, environment, out) => {
      tellRecord(log, ++this.#seen, row, this.#run)
      step(row, environment, out)
    }
  }

  /** Program and checks. */
  #checked({ program, checks }: StagePlan, shape: Shape): Step {
    const { maxExpansion } = this.stage
    const bound =
      typeof program === 'function'
        ? foreignProgram(program, this.#shapes, maxExpansion)
        : program.bind(shape, this.#shapes, { max_expansion: maxExpansion })
    if (!checks.length) return bound
    return (row, environment, out) => {
      const start = out.length
      bound(row, environment, out)
      for (let index = start; index < out.length; index++) this.#check(out[index] as Row, checks, environment)
    }
  }

  /** Stops with a failure, or makes a dead letter of the record. */
  #reject(row: Row, error: unknown): void {
    const { context } = this.stage
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const { log } = this.stage.planFor(shapeOf(row) as Shape)
    for (const event of log?.failures ?? []) tell(event, this.#run, row)
    if (this.#run.on_error === 'fail_fast') {
      throw evaluationFailure(error, row, refusal.subject, refusal.path, context, codeOf(refusal))
    }
    const { category, field, value } = refusal
    const detail = `${context.node}: ${refusal.subject} fails on ${sourceOf(row)}: ${reasonOf(error)}`
    this.#run.report(
      deadLetter(row, { category, detail, stage: `transform:${context.name}`, trigger: true, field, value }),
    )
  }

  #check(row: Row, checks: readonly Check[], environment: Environment): void {
    for (const check of checks) {
      const { name, field, message, warns } = check
      let passes: boolean
      try {
        passes = check.passes(row, environment)
      } catch (error) {
        throw error instanceof EvaluationError ? new Refused(check, error.detail, null, error.category) : error
      }
      if (passes) continue
      if (!warns) throw new Refused(check, message, field === undefined ? null : cell(row, field), 'validation_failure')
      this.#run.warn(`${this.stage.context.node}: validation "${name}" on ${sourceOf(row)}: ${message}`)
    }
  }
}

/** A check that does not hold, or that cannot be evaluated. */
class Refused extends FunctionFailure {
  readonly check: Check
  readonly value: Value
  readonly category: string

  constructor(check: Check, message: string, value: Value, category: string) {
    super(new Error(message))
    this.check = check
    this.value = value
    this.category = category
  }
}

/** Why a record is refused. */
interface Refusal {
  readonly category: string
  /** What of the node fails: `field "net"`, `validation "adult"`. */
  readonly subject: string
  readonly path: ConfigPath
  readonly field: string
  readonly value: Value
}

function codeOf({ category }: Refusal): 'EvaluationFailure' | 'ValidationFailure' {
  return category === 'validation_failure' ? 'ValidationFailure' : 'EvaluationFailure'
}

/** Undefined for what is no failure on a record but a defect. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) {
    const { check, value, category } = error
    return { category, subject: `validation "${check.name}"`, path: check.path, field: check.field ?? '', value }
  }
  const path = ['cxl']
  if (error instanceof EvaluationError) {
    const { category, field, value = null } = error
    // A value is shown beside the field it was for, and only there.
    if (field === undefined) return { category, subject: 'the program', path, field: '', value: null }
    return { category, subject: `field "${field}"`, path, field, value }
  }
  if (!(error instanceof FunctionFailure)) return undefined
  const category = error instanceof TooMany ? 'expansion_limit_exceeded' : 'type_coercion_failure'
  return { category, subject: 'the function', path, field: '', value: null }
}

/** A function made more records of one than `max_expansion`. */
class TooMany extends FunctionFailure {}

function planTransform(config: TransformConfig, input: Edge, context: PlanContext): TransformPlan {
  const { plan, output, expressions, warnings } = compileStage(config, input, context)
  const stage: Stage = {
    context,
    maxExpansion: config.max_expansion ?? defaultExpansion,
    log: plan.log,
    planFor: () => plan,
  }
  return {
    output,
    expressions,
    warnings,
    stage,
    log: config.log ?? [],
    stream: (run) => new Transform([stage], run, () => {}),
  }
}

/** From code the columns are known when records come: plans once for each list of declared columns. */
function stageByShape(config: TransformConfig, context: PlanContext): Stage {
  const declared = new ShapeTable()
  const plans = new Map<Shape, StagePlan>()
  // What can be said without columns is said when the node is made; records without a schema need no more.
  const open = compileStage(config, openEdge, context).plan
  return {
    context,
    maxExpansion: config.max_expansion ?? defaultExpansion,
    log: open.log,
    planFor: (shape) => {
      const edge = edgeOf(shape)
      if (edge.open) return open
      const key = declared.of(edge.columns)
      let plan = plans.get(key)
      if (!plan) plans.set(key, (plan = compileStage(config, edge, context).plan))
      return plan
    },
  }
}

const defaultExpansion = 10_000

/** Checks and compiles program and validations; throws every fault found. */
function compileStage(config: TransformConfig, input: Edge, context: PlanContext) {
  const faults = new Faults(context)
  const scope = withDeclared(context.scope(input), config.declares ?? [], faults)
  const program =
    typeof config.cxl === 'string'
      ? faults.attempt('cxl', ['cxl'], () => compileTransform(config.cxl as string, scope))
      : (config.cxl as (record: Row) => unknown)
  const compiled = typeof program === 'object' ? program : undefined
  const known = compiled !== undefined && input.open !== true
  const output: Edge = {
    columns: compiled?.output ?? [],
    carries: input.carries,
    audited: input.audited,
    emitted: compiled?.emitted ?? [],
    ...(known ? {} : { open: true }),
  }
  const expressions: NodePlan['expressions'][number][] = []
  if (compiled) expressions.push({ path: ['cxl'], text: config.cxl as string, type: typesText(compiled) })
  // The checks of a program that is at fault itself would be refused for what it lacks.
  const checks = program ? compileChecks(config, output, scope, context, faults, expressions) : []
  const log = config.log?.length ? compileLog(config.log, input, scope, context, faults, expressions) : undefined
  faults.throw()
  const plan: StagePlan = { program: program as NonNullable<typeof program>, checks, log }
  // A transform that only picks records is one that emits nothing, and meant to be.
  const picks = compiled?.emitted.length === 0 && !compiled.one
  const warnings = (picks ? [] : (compiled?.warnings ?? [])).map((warning) => {
    const place = placeOf(warning.place, ['cxl'], context)
    return { ...warning, node: context.node, ...(place ? { place } : {}) }
  })
  return { plan, output, expressions, warnings }
}

function compileChecks(
  config: TransformConfig,
  output: Edge,
  scope: Scope,
  context: PlanContext,
  faults: Faults,
  expressions: NodePlan['expressions'][number][],
): Check[] {
  const names = output.columns.map((column) => column.name)
  const { columns: _, ...open } = scope
  const over = { ...open, ...(output.open ? {} : { columns: context.scope(output).columns ?? new Map() }) }
  return (config.validations ?? []).map((validation, index): Check => {
    const { check, field, message = 'the check does not hold' } = validation
    const path = ['validations', index]
    const written = typeof check === 'string' ? check : 'function'
    const name = validation.name ?? (field === undefined ? written : `${field}:${written}`)
    if (field !== undefined && !output.open && !names.includes(field)) {
      const near = closestMatch(field, names)
      const help = near === undefined ? `columns: ${names.join(', ')}` : `did you mean \`${near}\`?`
      faults.add(
        'E203',
        `validation "${name}" names \`${field}\`, which the record does not have`,
        [...path, 'field'],
        help,
      )
    }
    const common = { name, path: [...path, 'check'], field, message, warns: validation.severity === 'warn' }
    if (check === 'not_empty') {
      if (field === undefined) faults.add('E000', `validation "${name}" needs a field`, [...path, 'check'])
      return { ...common, passes: (row) => !isEmpty(cell(row, field ?? '')) }
    }
    const predicate = faults.attempt(`validation "${name}"`, [...path, 'check'], () =>
      recordExpression(check as Cxl, over),
    )
    if (!predicate) return { ...common, passes: () => true }
    if (predicate.text !== undefined)
      expressions.push({ path: [...path, 'check'], text: predicate.text, type: `${predicate.type}` })
    if (!['bool', 'any', 'null'].includes(predicate.type.name)) {
      const help = 'a check is `not_empty` or a predicate'
      faults.add('E200', `validation "${name}" must be boolean, it is ${predicate.type}`, [...path, 'check'], help)
    }
    return { ...common, passes: (row, environment) => predicate.test(row, environment) }
  })
}

/** The scope with the variables that this transform declares, which it alone may write. */
function withDeclared(scope: Scope, declares: readonly Declaration[], faults: Faults): Scope {
  if (!declares.length) return scope
  const variables = { ...scope.variables }
  const writable = new Set(variables.writable)
  for (const [index, { name, scope: namespace, type: written, default: given }] of declares.entries()) {
    const type = (parseTypeName(written === 'datetime' ? 'date_time' : written) as Type).orNull
    const initial =
      given === undefined || given === null ? undefined : jsonReader({ name, type }, {})(given as JsonValue)
    if (given !== undefined && given !== null && initial === undefined) {
      faults.add('E200', `the default of "${name}" must be ${type.notNull}, got ${preview(given)}`, [
        'declares',
        index,
        'default',
      ])
    }
    const known = new Map(variables[namespace])
    known.set(name, { type, ...(initial === undefined ? {} : { default: initial }) })
    variables[namespace] = known
    writable.add(`$${namespace}.${name}`)
  }
  return { ...scope, variables: { ...variables, writable } }
}

/**
 * A function from code as a program. What it gives keeps origin and row of the record it was given, and the types of the columns whose
 * values still have them.
 */
function foreignProgram(program: (record: Row) => unknown, shapes: ShapeTable, maxExpansion: number): Step {
  const intake = new Intake(shapes)
  const adopt = adopter(shapes)
  const take = (row: Row, given: unknown, out: Row[]): void => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      throw new FunctionFailure(`cxl must give a record, an array of records or null, got ${preview(given)}`)
    }
    const record = given as Row
    if (!shapeOf(record)) adopt(row, record)
    else {
      const shape = intake.take(record)
      // It may have been given a value of another type.
      if (!typesHold(shape, record)) {
        stamp(record, adoptedShape(shape, record, shapes), originOf(record) ?? unknownOrigin, rowOf(record))
      }
    }
    out.push(record)
  }
  return (row, _, out) => {
    const given = call(program, row)
    if (given === null || given === undefined) return
    if (!Array.isArray(given)) return take(row, given, out)
    if (given.length > maxExpansion) {
      throw new TooMany(`one record became ${given.length}, more than max_expansion (${maxExpansion})`)
    }
    for (const each of given) take(row, each, out)
  }
}

/** Stamps objects made from a record. */
function adopter(shapes: ShapeTable): (from: Row, to: Row) => void {
  let source: Shape | undefined
  let result: Shape | undefined
  return (from, to) => {
    const shape = shapeOf(from) as Shape
    if (shape !== source || !result?.fits(to) || !typesHold(result, to)) {
      source = shape
      result = adoptedShape(shape, to, shapes)
    }
    stamped(to, result, originOf(from) ?? unknownOrigin, rowOf(from))
  }
}

function adoptedShape(from: Shape, to: Row, shapes: ShapeTable): Shape {
  const keys = Object.keys(to)
  const present = new Set(keys)
  const kept = (column: Column): Column => ({
    name: column.name,
    type: heldType(column.type, to[column.name] as Value),
  })
  const declared = from.columns
    .slice(0, from.declared)
    .filter((column) => present.has(column.name))
    .map(kept)
  const added = keys.filter((name) => !from.has(name)).map((name) => ({ name, type: Type.of('any') }))
  const carried = from.columns
    .slice(from.declared)
    .filter((column) => present.has(column.name))
    .map(kept)
  return shapes.of([...declared, ...added, ...carried], declared.length + added.length)
}

function typesHold(shape: Shape, row: Row): boolean {
  return shape.columns.every(({ name, type }) => type.name === 'any' || heldType(type, row[name] as Value) === type)
}

/** The type a column keeps with a value that other code has put into it. */
function heldType(type: Type, value: Value): Type {
  if (value === null || value === undefined) return type.orNull
  const kind = kindOf(value)
  // A plain number in a column of floats is one, whole or not.
  const holds = kind === type.name || (type.name === 'float' && typeof value === 'number')
  return holds ? type : Type.of('any')
}

/** Several stages as one function, where all are programs, nothing looks at single records, and the language can join them. */
function joined(stages: readonly RunningStage[], shape: Shape, shapes: ShapeTable): Step | undefined {
  if (stages.length < 2) return undefined
  const programs: { program: TransformProgram; node: string }[] = []
  let behind = shape
  for (const { stage } of stages) {
    const { program, checks, log } = stage.planFor(behind)
    if (typeof program === 'function' || checks.length > 0) return undefined
    if (log && log.records.length + log.failures.length > 0) return undefined
    programs.push({ program, node: stage.context.name })
    behind = program.shapeBehind(behind, shapes)
  }
  return fuse(programs, shape, shapes)
}

/** What a program emits, with types, for the plan that is shown. */
function typesText({ output, emitted }: TransformProgram): string {
  const types = new Map(output.map((column) => [column.name, column.type]))
  return emitted.map((name) => `${name}: ${types.get(name)}`).join(', ')
}

function cell(row: Row, column: string): Value {
  return Object.hasOwn(row, column) ? (row[column] ?? null) : null
}

function isEmpty(value: Value): boolean {
  return value === null || value === ''
}

function isAbsent(value: unknown): boolean {
  return value === undefined
}
