/** What the streams and the runner build on; the public face of the language is `index.ts`. */
export { bareEnvironment, type Environment, type LogLevel, type PipelineValues } from './environment.ts'
export { type Evaluated, type EvaluateOptions, evaluateOnce, fieldValue } from './evaluate.ts'
export { EvaluationError } from './evaluation-error.ts'
export { type CompileOptions, compileExpression, type Expression } from './expression.ts'
export { describeBuiltins, type BuiltinDescription } from './builtins/index.ts'
export { formatProgram } from './format.ts'
export { fuse, type Stage } from './fuse.ts'
export { parseJson, printJson, printRecord } from './json.ts'
export { filtered, type Outcome, passed, repeated } from './outcome.ts'
export { formatProblem, type Phase, ProgramError } from './problem.ts'
export {
  type BindOptions,
  compileTransform,
  type RowFunction,
  type TransformOptions,
  type TransformProgram,
} from './program.ts'
export type { Inputs } from './runtime.ts'
export type { Constant, ModuleResolver, Scope, Variable, Variables } from './scope.ts'
export { type UserFunction, type UserFunctions, userFunctions } from './user-function.ts'
