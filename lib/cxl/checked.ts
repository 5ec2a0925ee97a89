import type { Type } from '../record/type.ts'
import type { Value } from '../record/value.ts'
import type { ArithmeticOperator, ComparisonOperator } from './ast.ts'
import type { Builtin, BuiltinCode } from './builtins/index.ts'
import type { SourceText } from './problem.ts'
import type { Constant, Variable } from './scope.ts'

/** Where an expression stands: in the program itself or in a module. */
export interface Site {
  readonly source: SourceText
  readonly start: number
  readonly end: number
}

/** A name with a value of its own: a `let`, an emitted column, the element of an `emit each`, `it`, a parameter. */
export interface Local {
  readonly id: number
  readonly name: string
  readonly type: Type
  /** How its values are represented; see {@link Checked}. */
  readonly form: Type
}

/** A function of a module for one list of argument types. */
export interface Instance {
  readonly id: number
  readonly name: string
  readonly parameters: readonly Local[]
  readonly body: Checked
}

export interface CheckedClosure {
  readonly kind: 'closure'
  readonly it: Local
  readonly body: Checked
}

/**
 * An expression whose names are resolved and whose types are known. Both back ends run this tree and nothing else. `type` is that of
 * the language; `form` tells how the value is represented: it is `float` only where all numbers are plain floats.
 */
export type Checked = {
  readonly type: Type
  readonly form: Type
  readonly site: Site
} & (
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'column'; readonly name: string }
  /**
   * A name in an open scope that was emitted before: the field where the record has one, else what was emitted.
   */
  | { readonly kind: 'column_or_local'; readonly name: string; readonly local: Local }
  /** A field of an input of a combine. */
  | { readonly kind: 'qualified'; readonly qualifier: string; readonly name: string }
  | { readonly kind: 'local'; readonly local: Local }
  | { readonly kind: 'now' }
  /** `$pipeline.name`, `$source.row` …; `variable` where it is a declared one. */
  | {
      readonly kind: 'system'
      readonly namespace: 'pipeline' | 'source' | 'record' | 'meta'
      readonly name: string
      readonly variable: Variable | undefined
    }
  | { readonly kind: 'input_variable'; readonly input: string; readonly name: string; readonly variable: Variable }
  | { readonly kind: 'document'; readonly section: string; readonly field: string }
  | { readonly kind: 'field'; readonly object: Checked; readonly name: string }
  | { readonly kind: 'index'; readonly object: Checked; readonly index: Checked }
  | { readonly kind: 'negate'; readonly operand: Checked }
  | { readonly kind: 'not'; readonly operand: Checked }
  | {
      readonly kind: 'arithmetic'
      readonly operator: ArithmeticOperator
      readonly left: Checked
      readonly right: Checked
    }
  | {
      readonly kind: 'comparison'
      readonly operator: ComparisonOperator
      readonly left: Checked
      readonly right: Checked
    }
  | { readonly kind: 'logic'; readonly operator: 'and' | 'or'; readonly left: Checked; readonly right: Checked }
  | { readonly kind: 'coalesce'; readonly left: Checked; readonly right: Checked }
  | { readonly kind: 'if'; readonly condition: Checked; readonly then: Checked; readonly else: Checked | undefined }
  | {
      readonly kind: 'match'
      /** Bound to the subject; absent in a `match` of conditions. */
      readonly subject: { readonly local: Local; readonly value: Checked } | undefined
      readonly arms: readonly { readonly pattern: Checked; readonly result: Checked }[]
      readonly otherwise: Checked
    }
  | {
      readonly kind: 'method'
      readonly name: string
      readonly overloads: readonly Builtin[]
      readonly receiver: Checked
      readonly args: readonly (Checked | CheckedClosure)[]
    }
  /** A free function; its code takes the arguments in the form of untyped values. */
  | { readonly kind: 'function'; readonly name: string; readonly run: BuiltinCode; readonly args: readonly Checked[] }
  | { readonly kind: 'instance'; readonly instance: Instance; readonly args: readonly Checked[] }
  /** Fails whenever it is evaluated. */
  | { readonly kind: 'failure'; readonly message: string }
)

export type CheckedStatement = { readonly site: Site } & (
  | { readonly kind: 'emit'; readonly name: string; readonly local: Local; readonly value: Checked }
  | {
      readonly kind: 'write'
      readonly namespace: 'pipeline' | 'source' | 'record'
      readonly name: string
      readonly value: Checked
      readonly variable: Variable
    }
  | { readonly kind: 'let'; readonly local: Local; readonly value: Checked }
  | { readonly kind: 'filter'; readonly condition: Checked }
  /** Without `by`: the whole output record as it is at this point. */
  | { readonly kind: 'distinct'; readonly by: Checked | undefined; readonly name: string; readonly id: number }
  | {
      readonly kind: 'each'
      readonly local: Local
      readonly over: Checked
      readonly outer: boolean
      readonly body: readonly CheckedStatement[]
    }
  | {
      readonly kind: 'trace'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly guard: Checked | undefined
      readonly message: Checked
    }
  | { readonly kind: 'expression'; readonly value: Checked }
)

export interface CheckedProgram {
  readonly statements: readonly CheckedStatement[]
  readonly instances: readonly Instance[]
  /** Fields read, in order of first use. */
  readonly columns: readonly string[]
  /** Whether evaluating it is noticed outside: it logs, or calls functions of the user's. */
  readonly noticed: boolean
}

/** A constant as a node. */
export function constantNode(constant: Constant, site: Site): Checked {
  return { kind: 'constant', value: constant.value, type: constant.type, form: constant.type, site }
}
