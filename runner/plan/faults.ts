import type { GenericSchema } from 'valibot'
import { ClinkerError, ClinkerErrors } from '../../lib/diagnostics/index.ts'
import type { ConfigPath } from '../../streams/node.ts'
import { readOptions, throwAll } from '../../streams/options.ts'
import type { YamlDocument } from './document.ts'

/** Gathers what is wrong with a pipeline, so that all of it is reported at once. */
export class Faults {
  readonly errors: ClinkerError[] = []

  add(error: ClinkerError): void {
    if (error instanceof ClinkerErrors) this.errors.push(...error.errors)
    else this.errors.push(error)
  }

  /** The value of `compute`, or undefined when it throws a diagnostic, which is kept. */
  try<T>(compute: () => T): T | undefined {
    try {
      return compute()
    } catch (error) {
      if (!(error instanceof ClinkerError)) throw error
      this.add(error)
      return undefined
    }
  }

  /** Checks the value at `path` of the document; undefined when something in it is wrong. `node` names who it belongs to. */
  check<Output>(
    schema: GenericSchema<unknown, Output>,
    given: unknown,
    node: string,
    document: YamlDocument,
    path: ConfigPath,
  ): Output | undefined {
    const { errors, output } = readOptions(schema, given, {
      node,
      place: (inside, options) => document.place([...path, ...inside], options),
    })
    this.errors.push(...errors)
    return output
  }

  /** Throws everything gathered so far, in the order of the text. */
  throw(): void {
    const line = (error: ClinkerError): number => error.place?.line ?? 0
    throwAll(this.errors.toSorted((a, b) => line(a) - line(b)))
  }
}
