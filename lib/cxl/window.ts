import type { Expr } from './ast.ts'

/** What a window function takes: a field, a predicate over the fields of a row, a count of rows, or nothing. */
export type WindowArgument = 'field' | 'predicate' | 'offset' | 'none'

/** The window functions and what each takes. */
export const windowFunctions: ReadonlyMap<string, WindowArgument> = new Map<string, WindowArgument>([
  ['sum', 'field'],
  ['avg', 'field'],
  ['min', 'field'],
  ['max', 'field'],
  ['count', 'none'],
  ['first_value', 'field'],
  ['last_value', 'field'],
  ['cumulative_sum', 'field'],
  ['row_number', 'none'],
  ['rank', 'none'],
  ['dense_rank', 'none'],
  ['first', 'none'],
  ['last', 'none'],
  ['lag', 'offset'],
  ['lead', 'offset'],
  ['any', 'predicate'],
  ['exists', 'predicate'],
  ['every', 'predicate'],
  ['not_exists', 'predicate'],
  ['collect', 'field'],
  ['distinct', 'field'],
])

/** Names that are aggregate functions when they are called. */
export const aggregateFunctions: ReadonlySet<string> = new Set([
  'sum',
  'count',
  'avg',
  'min',
  'max',
  'collect',
  'weighted_avg',
])

/** The first window call inside an expression, itself included. */
export function windowCallIn(expression: Expr): Extract<Expr, { kind: 'window' }> | undefined {
  if (expression.kind === 'window') return expression
  for (const part of partsOf(expression)) {
    const found = windowCallIn(part)
    if (found) return found
  }
  return undefined
}

/** The expressions an expression is made of, in order. */
export function partsOf(expression: Expr): readonly Expr[] {
  switch (expression.kind) {
    case 'field':
      return [expression.object]
    case 'index':
      return [expression.object, expression.index]
    case 'method':
      return [expression.receiver, ...expression.args.map((arg) => (arg.kind === 'closure' ? arg.body : arg))]
    case 'call':
    case 'window':
      return expression.args.map((arg) => (arg.kind === 'closure' ? arg.body : arg))
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'if':
      return [expression.condition, expression.then, ...(expression.else ? [expression.else] : [])]
    case 'match':
      return [
        ...(expression.subject ? [expression.subject] : []),
        ...expression.arms.flatMap(({ pattern, result }) => (pattern ? [pattern, result] : [result])),
      ]
    default:
      return []
  }
}
