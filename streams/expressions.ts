import { compileExpression, EvaluationError, type Expression, type Scope } from '../lib/cxl/engine.ts'
import { ClinkerError, ClinkerErrors, type Place } from '../lib/diagnostics/index.ts'
import { fromForeign } from '../lib/record/foreign.ts'
import { unknownOrigin } from '../lib/record/origin.ts'
import { Shape } from '../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../lib/record/stamp.ts'
import { Type } from '../lib/record/type.ts'
import type { Row, Value } from '../lib/record/value.ts'
import type { ConfigPath, DeadLetter, PlanContext } from './node.ts'
import { type Cxl, throwAll } from './options.ts'

/** What a config entry with CXL becomes: the same for a text and for a function from code. */
export interface RecordExpression extends Expression {
  /** The text; absent for a function. */
  readonly text?: string
}

/** Collects what is wrong with the config of a node, to report all of it at once. */
export class Faults {
  readonly errors: ClinkerError[] = []
  readonly #context: PlanContext

  constructor(context: PlanContext) {
    this.#context = context
  }

  /** A fault of the config entry at `path`. */
  add(code: string, message: string, path: ConfigPath, help?: string): void {
    const place = this.#context.place(path)
    this.errors.push(
      new ClinkerError(code, {
        message,
        node: this.#context.node,
        ...(place ? { place } : {}),
        ...(help === undefined ? {} : { help }),
      }),
    )
  }

  /** What `compile` gives; when the CXL text at `path` is at fault, its errors with `subject` and their place in the config. */
  attempt<Result>(subject: string, path: ConfigPath, compile: () => Result): Result | undefined {
    try {
      return compile()
    } catch (error) {
      if (!(error instanceof ClinkerError)) throw error
      const errors = error instanceof ClinkerErrors ? error.errors : [error]
      for (const each of errors) this.errors.push(this.#located(each, subject, path))
      return undefined
    }
  }

  throw(): void {
    throwAll(this.errors)
  }

  #located(error: ClinkerError, subject: string, path: ConfigPath): ClinkerError {
    const place = placeOf(error.place, path, this.#context)
    return new ClinkerError(error.code, {
      message: `${subject}: ${error.reason}`,
      node: this.#context.node,
      ...(place ? { place } : {}),
      ...(error.help === undefined ? {} : { help: error.help }),
      expected: error.expected,
      actual: error.actual,
      cause: error,
    })
  }
}

/** Compiles a CXL text, or wraps a function, over records of `scope`. A function may answer a test with anything truthy. */
export function recordExpression(cxl: Cxl, scope: Scope): RecordExpression {
  if (typeof cxl === 'string') return { ...compileExpression(cxl, scope), text: cxl }
  // A function is the same predicate as itself, and as nothing else.
  let canonical = canonicals.get(cxl)
  if (canonical === undefined) canonicals.set(cxl, (canonical = `function ${++functions}`))
  return {
    type: Type.of('any'),
    form: Type.of('any'),
    columns: [],
    canonical,
    constant: undefined,
    evaluate: (row) => fromForeign(call(cxl, row)),
    test: (row) => Boolean(call(cxl, row)),
  }
}

/** Calls a function from code; what it throws is about the record, whatever it is. */
export function call<Result>(given: (record: Row) => Result, row: Row): Result {
  let result: Result
  try {
    result = given(row)
  } catch (error) {
    throw new FunctionFailure(error)
  }
  if (!(result instanceof Promise)) return result
  // It is not waited for, so what becomes of it must not count as unheard.
  result.catch(() => undefined)
  throw new FunctionFailure('it gave a promise, and is not waited for; do such work in a stream before this one')
}

let functions = 0
const canonicals = new WeakMap<object, string>()

/** What a function from code threw. */
export class FunctionFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/**
 * What a run stops with when the expression at `path` fails on a record: exit status 3. Anything else that was thrown is a defect and
 * comes back as it is.
 */
export function evaluationFailure(
  thrown: unknown,
  row: Row,
  subject: string,
  path: ConfigPath,
  context: PlanContext,
  code: 'EvaluationFailure' | 'ValidationFailure' = 'EvaluationFailure',
): unknown {
  const evaluation = thrown instanceof EvaluationError ? thrown : undefined
  if (!evaluation && !(thrown instanceof FunctionFailure)) return thrown
  const place = placeOf(evaluation?.place, path, context)
  return new ClinkerError(code, {
    message: `${subject} fails on ${sourceOf(row)}: ${reasonOf(thrown)}`,
    node: context.node,
    ...(place ? { place } : {}),
    ...(evaluation?.help === undefined ? {} : { help: evaluation.help }),
    cause: evaluation ?? (thrown as FunctionFailure).cause,
    exit: 3,
  })
}

/** What went wrong, without code, node, field and row. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof EvaluationError ? thrown.detail : (thrown as Error).message
}

/** Where a spot of the CXL text at `path` is shown: in the config, in the module it is in, from code in the text itself. */
export function placeOf(inside: Place | undefined, path: ConfigPath, context: PlanContext): Place | undefined {
  if (inside?.file !== undefined) return inside
  return (inside && context.place(path, inside)) ?? context.place(path) ?? inside
}

/** Where a record came from: `row 7 of "orders" (orders.csv)`. */
export function sourceOf(row: Row): string {
  const number = rowOf(row)
  const file = originOf(row)?.file
  const source = file?.source ? ` of "${file.source}"` : ''
  const path = file?.path && file.path !== file.source ? ` (${file.path})` : ''
  return number > 0 ? `row ${number}${source}${path}` : `a record${source}${path}`
}

/** The dead letter for a record as it came into a node. */
export function deadLetter(row: Row, details: Omit<DeadLetter, 'record' | 'source'>): DeadLetter {
  const file = originOf(row)?.file
  return {
    ...details,
    record: declaredPart(row),
    source: { name: file?.source ?? '', file: file?.path ?? '', row: rowOf(row) },
  }
}

/** A record without its carried columns. */
function declaredPart(row: Row): Row {
  const shape = shapeOf(row)
  if (!shape || shape.declared === shape.columns.length) return row
  let part = declaredShapes.get(shape)
  if (!part) declaredShapes.set(shape, (part = new Shape(shape.columns.slice(0, shape.declared))))
  return part.make(
    part.names.map((name) => row[name] as Value),
    originOf(row) ?? unknownOrigin,
    rowOf(row),
  )
}

const declaredShapes = new WeakMap<Shape, Shape>()
