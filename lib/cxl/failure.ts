import type { Value } from '../record/value.ts'

/**
 * What an operator or a builtin throws when it has no result: only what went wrong. Where it was (row, field, line, column) is
 * added by whoever runs the program.
 */
export class Failure extends Error {
  /** The value that could not be used; absent when no single one is at fault. */
  readonly value: Value | undefined
  readonly help: string | undefined
  /** The category of the dead letter this makes. */
  readonly category: string

  constructor(message: string, details: { value?: Value; help?: string; category?: string; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'Failure'
    this.value = details.value
    this.help = details.help
    this.category = details.category ?? 'type_coercion_failure'
  }
}
