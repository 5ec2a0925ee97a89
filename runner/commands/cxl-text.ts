import { readFileSync } from 'node:fs'
import { ClinkerError, ClinkerErrors } from '../../lib/diagnostics/index.ts'
import { formatProblem } from '../../lib/cxl/engine.ts'
import { reasonOf } from '../run/publication.ts'
import { Exit } from './program.ts'

/** Status of a `cxl` command that could not read what it was given; 1 is for programs that are wrong. */
export const badInput = 2

/** The text of a program file. */
export function readProgram(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Exit(badInput, `cannot read "${file}": ${reasonOf(error)}`)
  }
}

/** Runs what compiles or evaluates a program; its errors are printed the way the language shows them. */
export function attempt<T>(compute: () => T): T {
  try {
    return compute()
  } catch (error) {
    if (!(error instanceof ClinkerError)) throw error
    const errors = error instanceof ClinkerErrors ? error.errors : [error]
    throw new Exit(1, errors.map((each) => formatProblem(phaseOf(each), each.reason, each.place, each.help)).join('\n'))
  }
}

/** `parse`, `resolve`, `typecheck` or `eval`. */
function phaseOf(error: ClinkerError): string {
  return 'phase' in error ? String(error.phase) : 'eval'
}
