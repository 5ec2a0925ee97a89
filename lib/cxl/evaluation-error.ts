import { ClinkerError, type Place } from '../diagnostics/error.ts'
import { rowOf } from '../record/stamp.ts'
import type { Row, Value } from '../record/value.ts'
import type { Site } from './checked.ts'
import { Failure } from './failure.ts'
import { placeIn } from './problem.ts'

export interface EvaluationDetails {
  /** What went wrong, without row and field. */
  readonly detail: string
  /** The column under computation. */
  readonly field?: string | undefined
  readonly value?: Value | undefined
  readonly category?: string
  readonly row?: number
  readonly place?: Place
  readonly help?: string | undefined
  readonly cause?: unknown
}

/** A program that could not be evaluated for a record. */
export class EvaluationError extends ClinkerError {
  override readonly name: string = 'EvaluationError'
  /** What went wrong, without row and field. */
  readonly detail: string
  /** The column under computation; undefined outside of an `emit`. */
  readonly field: string | undefined
  /** The value that could not be used; undefined when no single one is at fault. */
  readonly value: Value | undefined
  /** The category of the dead letter this makes. */
  readonly category: string
  /** The record's row in its source, 0 when unknown. */
  readonly row: number

  constructor(details: EvaluationDetails) {
    const { detail, field, row = 0, place, help, cause } = details
    const where = `${row > 0 ? `row ${row}: ` : ''}${field === undefined ? '' : `field '${field}': `}`
    super('EvaluationFailure', {
      message: where + detail,
      exit: 3,
      ...(place === undefined ? {} : { place }),
      ...(help === undefined ? {} : { help }),
      ...(cause === undefined ? {} : { cause }),
    })
    this.detail = detail
    this.field = field
    this.value = details.value
    this.category = details.category ?? 'type_coercion_failure'
    this.row = row
  }
}

/** A failure with the place it happened at, on its way out of a module's function. */
class PlacedFailure extends Error {
  readonly site: Site
  override readonly cause: unknown

  constructor(cause: unknown, site: Site) {
    super((cause as Error).message)
    this.cause = cause
    this.site = site
  }
}

/** Adds the place to a failure, unless it has one. */
export function placed(error: unknown, site: Site | undefined): unknown {
  return error instanceof PlacedFailure || !site ? error : new PlacedFailure(error, site)
}

/** What an evaluation that threw `error` is reported as. Errors that are no failures of the program stay what they are. */
export function evaluationError(error: unknown, site: Site | undefined, row: Row | undefined, field?: string): unknown {
  if (error instanceof EvaluationError) return error
  const [cause, at] = error instanceof PlacedFailure ? [error.cause, error.site] : [error, site]
  if (!isFailure(cause)) return cause
  const failure = cause instanceof Failure ? cause : undefined
  return new EvaluationError({
    detail: cause.message,
    field,
    value: failure?.value,
    help: failure?.help,
    cause,
    row: row ? rowOf(row) : 0,
    ...(failure ? { category: failure.category } : {}),
    ...(at ? { place: placeIn(at.source, at.start, at.end) } : {}),
  })
}

/** Failures of a program: ours, and what values throw (`integer overflow`). Others are defects and must not look like bad data. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof Failure || (error instanceof RangeError && error.message !== 'Maximum call stack size exceeded')
  )
}
