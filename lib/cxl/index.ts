/**
 * The expression language on plain objects. Runs wherever JavaScript does: nothing of Node is needed.
 * @example
 * import { compile } from 'clinker-streams/cxl'
 * const program = compile('emit total = price * qty', { columns: { price: 'decimal', qty: 'int' } })
 * program.run({ price: '19.90', qty: 3 })
 */
export { ClinkerError, ClinkerErrors, type Place } from '../diagnostics/index.ts'
export { CivilDate, CivilDateTime } from '../record/civil.ts'
export { Decimal } from '../record/decimal.ts'
export { Float } from '../record/float.ts'
export { makeMap, mapEntries, mapKeys } from '../record/map.ts'
export type { Row, Value, ValueMap } from '../record/value.ts'
export { type BuiltinDescription, describeBuiltins } from './builtins/index.ts'
export {
  compile,
  evaluate,
  type Formula,
  formula,
  type Program,
  type ProgramOptions,
  type TypedColumn,
  type WrittenType,
} from './compile.ts'
export type { LogLevel } from './environment.ts'
export { EvaluationError } from './evaluation-error.ts'
export { formatProgram } from './format.ts'
export { formatProblem, ProgramError } from './problem.ts'
export type { UserFunction } from './user-function.ts'
