import type { Type } from '../record/type.ts'
import type { Value } from '../record/value.ts'
import type { Comment } from './lexer.ts'

/** Offsets into the text of the program: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>='
export type BinaryOperator = ArithmeticOperator | ComparisonOperator | 'and' | 'or' | '??'

export type Expr = Span &
  (
    | { readonly kind: 'literal'; readonly value: Value; readonly type: Type; readonly text: string }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'now' }
    /** `$source.file`, `$doc.head.batch`. */
    | { readonly kind: 'variable'; readonly namespace: string; readonly path: readonly string[] }
    /** `object.name`. */
    | { readonly kind: 'field'; readonly object: Expr; readonly name: string; readonly nameSpan: Span }
    | { readonly kind: 'index'; readonly object: Expr; readonly index: Expr }
    | {
        readonly kind: 'method'
        readonly receiver: Expr
        readonly name: string
        readonly nameSpan: Span
        readonly args: readonly Argument[]
      }
    /** `name(…)`; `star` for `count(*)`. */
    | {
        readonly kind: 'call'
        readonly name: string
        readonly nameSpan: Span
        readonly args: readonly Argument[]
        readonly star: boolean
      }
    /** `$window.name(…)`. */
    | { readonly kind: 'window'; readonly name: string; readonly nameSpan: Span; readonly args: readonly Argument[] }
    | { readonly kind: 'unary'; readonly operator: '-' | 'not'; readonly operand: Expr }
    | {
        readonly kind: 'binary'
        readonly operator: BinaryOperator
        readonly left: Expr
        readonly right: Expr
      }
    | { readonly kind: 'if'; readonly condition: Expr; readonly then: Expr; readonly else: Expr | undefined }
    | { readonly kind: 'match'; readonly subject: Expr | undefined; readonly arms: readonly Arm[] }
  )

/** An arm of a `match`; without a pattern it is the `_` arm. */
export interface Arm extends Span {
  readonly pattern: Expr | undefined
  readonly result: Expr
}

/** `it => body`, only ever an argument. */
export interface ClosureArgument extends Span {
  readonly kind: 'closure'
  readonly body: Expr
}

export type Argument = Expr | ClosureArgument

export type Statement = Span &
  (
    | {
        readonly kind: 'emit'
        /** `record`, `source` or `pipeline` for a scoped variable. */
        readonly namespace: string | undefined
        readonly name: string
        readonly nameSpan: Span
        readonly value: Expr
      }
    | { readonly kind: 'let'; readonly name: string; readonly nameSpan: Span; readonly value: Expr }
    | { readonly kind: 'filter'; readonly condition: Expr }
    | { readonly kind: 'distinct'; readonly by: string | undefined; readonly nameSpan: Span }
    | {
        readonly kind: 'each'
        readonly name: string
        readonly nameSpan: Span
        readonly over: Expr
        readonly outer: boolean
        readonly body: readonly Statement[]
      }
    | {
        readonly kind: 'trace'
        readonly level: string | undefined
        readonly guard: Expr | undefined
        readonly message: Expr
      }
    | { readonly kind: 'use'; readonly path: readonly string[]; readonly alias: string; readonly aliased: boolean }
    | {
        readonly kind: 'fn'
        readonly name: string
        readonly nameSpan: Span
        readonly parameters: readonly string[]
        readonly body: Expr
      }
    | { readonly kind: 'expression'; readonly value: Expr }
  )

export interface Program {
  readonly statements: readonly Statement[]
  readonly comments: readonly Comment[]
}
