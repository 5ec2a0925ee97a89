import * as v from 'valibot'
import {
  compileExpression,
  compileTransform,
  type Environment,
  EvaluationError,
  type LogLevel,
  type Scope,
} from '../lib/cxl/engine.ts'
import { ClinkerError, preview, suggestion } from '../lib/diagnostics/index.ts'
import { rowOf } from '../lib/record/stamp.ts'
import type { Row } from '../lib/record/value.ts'
import { type Faults, FunctionFailure, type RecordExpression, recordExpression } from './expressions.ts'
import type { Edge, NodePlan, PlanContext, RunContext } from './node.ts'
import { type Cxl, cxl, text } from './options.ts'

/** An event of a transform that is told to people: on standard error of a run, as a warning of the process from code. */
export interface LogDirective<In extends object = Row> {
  /** Name of the event: `orders.seen`. */
  name: string
  level: LogLevel
  /**
   * `before_transform` and `after_transform` come once each, with records or without; `per_record` before the program looks at a
   * record, `on_error` when it or a validation refuses one.
   */
  when: 'before_transform' | 'after_transform' | 'per_record' | 'on_error'
  /** What is said, at most 1024 bytes. */
  message: string
  /** Tells each n-th record; for `per_record`, which needs it. */
  every?: number
  /** Columns of the record as it came in, shown behind the message; for `per_record` and `on_error`. */
  fields?: Extract<keyof In, string>[]
  /** Which of the n-th records are told: a boolean CXL predicate, or a function, over the record as it came in; for `per_record`. */
  condition?: Cxl | ((record: In) => unknown)
}

const names = 'a name, or several with dots between them: `orders.seen`'
const messages = 'text of at most 1024 bytes'
const columns = 'a list of at most 256 columns, each once'
const directives = 'a list of at most 32 log directives'
const counts = 'a whole number of at least 1'

/** The key `log` of a transform's config. */
export const logDirectives = v.pipe(
  v.array(
    v.strictObject({
      name: v.pipe(
        v.string(names),
        v.regex(/^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/, names),
        v.description('Name of the event. Transforms of a pipeline that share it give it the same fields.'),
      ),
      level: v.pipe(
        v.picklist(['trace', 'debug', 'info', 'warn', 'error']),
        v.description('How much it matters: `--log-level` picks from this level up.'),
      ),
      when: v.pipe(
        v.picklist(['before_transform', 'after_transform', 'per_record', 'on_error']),
        v.description(
          'Once before the first record, once behind the last, before a record is computed, or when one is refused.',
        ),
      ),
      message: v.pipe(v.string(messages), v.maxBytes(1024, messages), v.description('What is said.')),
      // The next two have codes of their own for what is wrong with them.
      every: v.optional(
        v.pipe(
          v.custom<number>(() => true, counts),
          v.description('Tells each n-th record. Required for per_record, and for it alone.'),
        ),
      ),
      fields: v.optional(
        v.pipe(
          v.array(text('a column name'), columns),
          v.maxLength(256, columns),
          v.check((given) => new Set(given).size === given.length, columns),
          v.description('Columns of the incoming record that are shown, for per_record and on_error.'),
        ),
      ),
      condition: v.optional(
        v.pipe(
          v.custom<Cxl>((value) => Array.isArray(value) || v.is(cxl(), value), 'CXL text'),
          v.description('Which of the n-th records are told, for per_record: a predicate over the incoming record.'),
        ),
      ),
    }),
    directives,
  ),
  v.maxLength(32, directives),
  v.description('Events that are told while the transform runs; they change no record.'),
)

/** The directives of a transform, checked against the records that come in. */
export interface EventLog {
  readonly before: readonly LogEvent[]
  readonly after: readonly LogEvent[]
  readonly records: readonly LogEvent[]
  readonly failures: readonly LogEvent[]
}

export interface LogEvent {
  readonly level: LogLevel
  /** Level, node and name, as the line begins. */
  readonly head: string
  readonly message: string
  readonly fields: readonly { readonly column: string; readonly label: string }[]
  readonly every: number
  readonly condition: RecordExpression | undefined
}

/** Checks and compiles the directives; adds what is wrong with them to `faults`. */
export function compileLog(
  given: readonly LogDirective[],
  input: Edge,
  scope: Scope,
  context: PlanContext,
  faults: Faults,
  expressions: NodePlan['expressions'][number][],
): EventLog {
  const log = {
    before: [] as LogEvent[],
    after: [] as LogEvent[],
    records: [] as LogEvent[],
    failures: [] as LogEvent[],
  }
  for (const [index, directive] of given.entries()) {
    const { name, level, when, fields = [] } = directive
    const path = ['log', index]
    const subject = `log "${name}"`
    checkEvery(directive, subject, path, faults)
    checkFields(directive, input, subject, path, faults)
    const condition = compileCondition(directive, scope, subject, [...path, 'condition'], faults)
    if (condition?.text !== undefined) {
      expressions.push({ path: [...path, 'condition'], text: condition.text, type: `${condition.type}` })
    }
    log[parts[when]].push({
      level,
      head: `${level}: ${context.node}: ${name}`,
      message: directive.message.replace(lineBreaks, ' ').trim(),
      fields: fields.map((column) => ({ column, label: /^[\w$.-]+$/.test(column) ? column : preview(column) })),
      every: directive.every ?? 1,
      condition,
    })
  }
  return log
}

/** Tells an event of the transform, or of a record. */
export function tell(event: LogEvent, run: RunContext, row?: Row): void {
  const { level, head, message, fields } = event
  const number = row ? rowOf(row) : 0
  let line = number > 0 ? `${head} row ${number}: ${message}` : `${head}: ${message}`
  for (const { column, label } of row ? fields : []) {
    line += `; ${label}=${preview(row && Object.hasOwn(row, column) ? row[column] : null)}`
  }
  run.log(level, line)
}

/** Tells the events of the `count`-th record. A condition that fails on it says nothing: a log must not decide about the run. */
export function tellRecord(log: EventLog, count: number, row: Row, run: RunContext): void {
  for (const event of log.records) {
    if (count % event.every === 0 && holds(event.condition, row, run.environment)) tell(event, run, row)
  }
}

function holds(condition: RecordExpression | undefined, row: Row, environment: Environment): boolean {
  if (!condition) return true
  try {
    return condition.test(row, environment)
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof FunctionFailure) return false
    throw error
  }
}

const parts = {
  before_transform: 'before',
  after_transform: 'after',
  per_record: 'records',
  on_error: 'failures',
} as const

/** What would make two lines of one event. */
const lineBreaks = /[\p{Cc}\u2028\u2029]+/gu

type At = readonly (string | number)[]

function checkEvery({ when, every }: LogDirective, subject: string, path: At, faults: Faults): void {
  if (when !== 'per_record') {
    if (every !== undefined) {
      faults.add('E011', `${subject}: every is for per_record only, got ${preview(every)}`, [...path, 'every'])
    }
  } else if (every === undefined) {
    faults.add('E011', `${subject}: every is missing: per_record needs ${counts}`, path)
  } else if (!Number.isSafeInteger(every) || every < 1) {
    faults.add('E011', `${subject}: every must be ${counts}, got ${preview(every)}`, [...path, 'every'])
  }
}

function checkFields({ when, fields }: LogDirective, input: Edge, subject: string, path: At, faults: Faults): void {
  if (!fields) return
  if (when === 'before_transform' || when === 'after_transform') {
    const help = 'leave `fields` out, or choose per_record or on_error'
    faults.add('E374', `${subject}: fields names columns, and ${when} has no record`, [...path, 'fields'], help)
    return
  }
  if (input.open) return
  const known = input.columns.map((column) => column.name)
  for (const [index, field] of fields.entries()) {
    if (known.includes(field)) continue
    const message = `${subject}: fields names \`${field}\`, which the incoming record does not have`
    faults.add('E374', message, [...path, 'fields', index], suggestion(field, known, 'columns'))
  }
}

function compileCondition(
  { when, condition }: LogDirective,
  scope: Scope,
  subject: string,
  path: At,
  faults: Faults,
): RecordExpression | undefined {
  if (condition === undefined) return undefined
  if (when !== 'per_record') {
    faults.add('E373', `${subject}: condition is for per_record only, it is told ${when}`, path)
    return undefined
  }
  if (Array.isArray(condition) || holdsSeveral(condition)) {
    faults.add('E373', `${subject}: condition must be one predicate, got ${preview(condition)}`, path, joinThem)
    return undefined
  }
  const predicate = faults.attempt(`${subject}: condition`, path, () => recordExpression(condition as Cxl, scope))
  if (predicate && !['bool', 'any', 'null'].includes(predicate.type.name)) {
    faults.add('E200', `${subject}: condition must be boolean, it is ${predicate.type}`, path)
  }
  return predicate
}

const joinThem = 'join predicates with `and`, or write a directive for each'

/** Whether a text is no expression as a whole, but each of its statements is one, or a statement of a program. */
function holdsSeveral(condition: unknown): boolean {
  if (typeof condition !== 'string' || parses(condition, compileExpression)) return false
  const statements = condition.split(/[\n;]/).filter((statement) => statement.trim() !== '')
  const stands = (statement: string): boolean =>
    parses(statement, compileExpression) || parses(statement, compileTransform)
  return statements.length > 1 && statements.every(stands)
}

function parses(written: string, compile: (text: string, scope: Scope) => unknown): boolean {
  try {
    compile(written, {})
    return true
  } catch (error) {
    return error instanceof ClinkerError && error.code !== 'E202'
  }
}
