import { canGenerate, Code } from '../record/generate.ts'
import { Type } from '../record/type.ts'
import type { Row, Value } from '../record/value.ts'
import type { Checked } from './checked.ts'
import type { Statement } from './ast.ts'
import { Checker } from './checker.ts'
import { Closures, newMachine } from './closures.ts'
import { bareEnvironment, type Environment } from './environment.ts'
import { evaluationError } from './evaluation-error.ts'
import { Generator, rowColumns } from './generator.ts'
import * as operators from './operators.ts'
import { parseProgram } from './parser.ts'
import { printExpression, printStatement } from './format.ts'
import { type CompileOptions, checkedProgram, sourceText } from './program.ts'
import { type Problem, refuse } from './problem.ts'
import { type Inputs, recordVariables } from './runtime.ts'
import type { Scope } from './scope.ts'

export type { CompileOptions } from './program.ts'

/** A checked expression. */
export interface Expression {
  /** Its type in the language. */
  readonly type: Type
  /** How its values are represented: the type of a column that takes them. Differs from `type` where ints and floats meet. */
  readonly form: Type
  /** Fields read, in order of first use. */
  readonly columns: readonly string[]
  /** The expression in one way of writing: equal texts are equal expressions. */
  readonly canonical: string
  /** Its value, where it depends on nothing; undefined otherwise. */
  readonly constant: Value | undefined
  /** The value for a record, in the representation of `form`. Throws an EvaluationError. */
  evaluate(row: Row, environment: Environment, inputs?: Inputs): Value
  /** Whether the value is true: null, false and what is no bool are not. Throws an EvaluationError. */
  test(row: Row, environment: Environment, inputs?: Inputs): boolean
}

/**
 * Compiles one expression. Throws its faults as one error.
 * @example compileExpression('amount > 100', { columns }).test(record, environment)
 */
export function compileExpression(text: string, scope: Scope, options: CompileOptions = {}): Expression {
  const source = sourceText(text, options)
  const problems: Problem[] = []
  const { statements } = parseProgram(source, problems, 'expression')
  const statement = statements.find(isExpression)
  if (problems.length === 0 && !statement) {
    const { length } = text
    problems.push({
      phase: 'parse',
      message: 'expected an expression, found the end',
      start: length,
      end: length,
      source,
    })
  }
  refuse(problems)
  const checked = checkedProgram(problems, new Checker(source, scope, problems), statements)
  const only = checked.statements.find(({ kind }) => kind === 'expression')
  if (only?.kind !== 'expression' || !statement) throw new TypeError('not an expression')
  const { value } = only
  const typeOf = (name: string): Type | undefined => (scope.columns ? scope.columns.get(name) : anyType)
  const backend = options.backend ?? (canGenerate() ? 'generated' : 'closures')
  const run = backend === 'generated' ? generated(value, typeOf, options.field) : closures(value, typeOf, options.field)
  return {
    type: value.type,
    form: value.form,
    columns: checked.columns,
    canonical: [
      ...statements.filter(({ kind }) => kind === 'use').map(printStatement),
      printExpression(statement.value),
    ].join(' '),
    constant: constantValue(value),
    ...run,
  }
}

function isExpression(statement: Statement): statement is Extract<Statement, { kind: 'expression' }> {
  return statement.kind === 'expression'
}

const anyType = Type.of('any')

type Run = Pick<Expression, 'evaluate' | 'test'>

function generated(node: Checked, typeOf: (name: string) => Type | undefined, field: string | undefined): Run {
  // Most expressions are only evaluated or only tested; each is compiled when it is first needed.
  let evaluate: Expression['evaluate'] | undefined
  let test: Expression['test'] | undefined
  return {
    evaluate(row, environment, inputs) {
      evaluate ??= compile(typeOf, field, (generator) => generator.piece(node).code)
      return evaluate(row, environment, inputs)
    },
    test(row, environment, inputs) {
      test ??= compile(typeOf, field, (generator) => generator.test(node))
      return test(row, environment, inputs)
    },
  }
}

function compile<F extends (row: Row, environment: Environment, inputs?: Inputs) => unknown>(
  typeOf: (name: string) => Type | undefined,
  field: string | undefined,
  write: (generator: Generator) => string,
): F {
  const code = new Code()
  const columns = rowColumns(code, typeOf)
  const generator = new Generator(code, columns.find)
  const value = write(generator)
  const { sites } = generator
  const failed = (error: unknown, at: number, row: Row): unknown => evaluationError(error, sites[at]?.site, row, field)
  const lines = [
    'let at = -1',
    generator.usesVariables ? `const variables = ${code.bind(recordVariables)}(row)` : '',
    generator.declarations(),
    'try {',
    ...columns.lines,
    `return ${value}`,
    `} catch (error) { throw ${code.bind(failed)}(error, at, row) }`,
  ]
  return code.compile(['row', 'environment', 'inputs'], lines.join('\n'))
}

function closures(node: Checked, typeOf: (name: string) => Type | undefined, field: string | undefined): Run {
  const step = new Closures(typeOf).step(node)
  const float = node.form.name === 'float'
  const evaluate = (row: Row, environment: Environment, inputs: Inputs = {}): Value => {
    const machine = newMachine(row, environment, inputs)
    try {
      const value = step(machine)
      return float ? operators.unbox(value) : value
    } catch (error) {
      throw evaluationError(error, machine.at, row, field)
    }
  }
  return { evaluate, test: (row, environment, inputs) => evaluate(row, environment, inputs) === true }
}

/** The value of an expression without names, if it has one. */
function constantValue(node: Checked): Value | undefined {
  if (!isConstant(node)) return undefined
  try {
    return closures(node, () => undefined, undefined).evaluate({}, bareEnvironment())
  } catch {
    return undefined
  }
}

/** Whether the value depends on nothing but the text. */
function isConstant(node: Checked): boolean {
  switch (node.kind) {
    case 'constant':
      return true
    case 'negate':
    case 'not':
      return isConstant(node.operand)
    case 'arithmetic':
    case 'comparison':
    case 'logic':
    case 'coalesce':
      return isConstant(node.left) && isConstant(node.right)
    case 'if':
      return isConstant(node.condition) && isConstant(node.then) && (!node.else || isConstant(node.else))
    case 'method':
      return (
        node.overloads.every((builtin) => !builtin.entry.needsContext) &&
        isConstant(node.receiver) &&
        node.args.every((arg) => arg.kind !== 'closure' && isConstant(arg))
      )
    default:
      return false
  }
}
