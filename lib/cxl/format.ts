import type { Argument, Expr, Span, Statement } from './ast.ts'
import type { Comment } from './lexer.ts'
import { parseProgram } from './parser.ts'
import { type Problem, refuse, type SourceText } from './problem.ts'
import { precedence, tokenInfo } from './token.ts'

const indent = '  '

/**
 * Writes a program in the one layout: a statement a line, single blanks, needed parentheses only. Comments and single empty lines
 * stay; a statement with a comment inside stays as it is. Formatting twice changes nothing. Throws the faults of a text that does not parse.
 * @example formatProgram('emit  r=(a+b)  # sum') // 'emit r = a + b # sum\n'
 */
export function formatProgram(text: string, file?: string): string {
  const source: SourceText = file === undefined ? { text } : { text, file }
  const problems: Problem[] = []
  const { statements, comments } = parseProgram(source, problems)
  refuse(problems)
  const lines = new Formatter(text, comments).block(statements, 0, text.length, '')
  return lines.length > 0 ? `${lines.join('\n')}\n` : ''
}

/** An expression in one way of writing, on one line: equal trees give equal texts. */
export function printExpression(expr: Expr): string {
  return new Printer(undefined).print(expr, '')
}

/** A statement other than a block, on one line. */
export function printStatement(statement: Statement): string {
  return new Printer(undefined).statement(statement, '')
}

class Formatter {
  readonly #text: string
  readonly #comments: readonly Comment[]
  readonly #printer: Printer

  constructor(text: string, comments: readonly Comment[]) {
    this.#text = text
    this.#comments = comments
    this.#printer = new Printer(text)
  }

  /** The lines of the statements and comments between two offsets. */
  block(statements: readonly Statement[], from: number, to: number, margin: string): string[] {
    const lines: string[] = []
    let last = from
    const gap = (start: number): void => {
      if (lines.length > 0 && /\n[ \t]*\n/.test(this.#text.slice(last, start).replace(/\r\n?/g, '\n'))) lines.push('')
    }
    for (const [index, statement] of statements.entries()) {
      for (const comment of this.#between(last, statement.start)) {
        gap(comment.start)
        this.#addComment(lines, comment, margin)
        last = comment.end
      }
      gap(statement.start)
      lines.push(...this.#statement(statement, margin))
      last = statement.end
      const next = statements[index + 1]?.start ?? to
      for (const comment of this.#between(last, next)) {
        if (comment.alone) break
        lines[lines.length - 1] += ` ${comment.text.trimEnd()}`
        last = comment.end
      }
    }
    for (const comment of this.#between(last, to)) {
      gap(comment.start)
      this.#addComment(lines, comment, margin)
      last = comment.end
    }
    return lines
  }

  #addComment(lines: string[], comment: Comment, margin: string): void {
    lines.push(`${margin}${comment.text.trimEnd()}`)
  }

  #between(from: number, to: number): readonly Comment[] {
    return this.#comments.filter(({ start }) => start >= from && start < to)
  }

  #statement(statement: Statement, margin: string): string[] {
    if (statement.kind === 'each') {
      const open = this.#openBrace(statement)
      const head = `emit each ${statement.name} in ${this.#printer.print(statement.over, margin)}${statement.outer ? ' outer' : ''} {`
      if (this.#between(statement.start, open).length > 0) return this.#asWritten(statement)
      const body = this.block(statement.body, open + 1, statement.end - 1, margin + indent)
      // A comment behind the brace is the first line of the body.
      return [margin + head, ...body, `${margin}}`]
    }
    if (this.#between(statement.start, statement.end).length > 0) {
      const [first = '', ...rest] = this.#asWritten(statement)
      return [margin + first, ...rest]
    }
    return `${margin}${this.#printer.statement(statement, margin)}`.split('\n')
  }

  /** The brace that opens the body of an `emit each`: nothing but comments and `outer` stand between it and the array. */
  #openBrace(statement: Extract<Statement, { kind: 'each' }>): number {
    let at = statement.over.end
    for (;;) {
      const comment = this.#comments.find(({ start }) => start === at)
      if (comment) at = comment.end
      else if (this.#text[at] === '{') return at
      else at++
    }
  }

  #asWritten({ start, end }: Span): string[] {
    return this.#text
      .slice(start, end)
      .split(/\r\n|\r|\n/)
      .map((line) => line.trimEnd())
  }
}

const levels = /^(?:debug|info|warn|error)\b\s*\(/

class Printer {
  /** The text the trees were parsed from, for literals and line breaks as written; undefined for the canonical form. */
  readonly #text: string | undefined

  constructor(text: string | undefined) {
    this.#text = text
  }

  statement(statement: Statement, margin: string): string {
    switch (statement.kind) {
      case 'emit': {
        const { namespace, name } = statement
        return `emit ${namespace === undefined ? '' : `$${namespace}.`}${name} = ${this.#value(statement.value, margin)}`
      }
      case 'let':
        return `let ${statement.name} = ${this.#value(statement.value, margin)}`
      case 'fn':
        return `fn ${statement.name}(${statement.parameters.join(', ')}) = ${this.#value(statement.body, margin)}`
      case 'filter':
        return `filter ${this.#value(statement.condition, margin)}`
      case 'distinct':
        return statement.by === undefined ? 'distinct' : `distinct by ${statement.by}`
      case 'use':
        return `use ${statement.path.join('.')}${statement.aliased ? ` as ${statement.alias}` : ''}`
      case 'trace':
        return this.#trace(statement, margin)
      case 'expression': {
        const text = this.#value(statement.value, margin)
        // A line that opens with a minus continues the one before.
        return text.startsWith('-') ? `(${text})` : text
      }
      case 'each':
        throw new TypeError('a block is printed by its formatter')
    }
  }

  #trace({ level, guard, message }: Extract<Statement, { kind: 'trace' }>, margin: string): string {
    const start = `trace${level === undefined ? '' : ` ${level}`}`
    if (guard) return `${start} if ${this.#inCondition(guard, margin)} then ${this.print(message, margin)}`
    const text = this.print(message, margin)
    // What would read as a level, a guard or an operator behind the level needs parentheses.
    const unclear = message.kind === 'if' || text.startsWith('-') || levels.test(text)
    return `${start} ${unclear ? `(${text})` : text}`
  }

  /** The expression of a statement, on several lines where it was and has places to break. */
  #value(expr: Expr, margin: string): string {
    const broken = this.#text !== undefined && /[\r\n]/.test(this.#text.slice(expr.start, expr.end))
    if (!broken) return this.print(expr, margin)
    const inner = margin + indent
    if (expr.kind === 'binary') {
      const operands = chain(expr)
      return operands
        .map((operand, index) => {
          const text = this.#operand(operand, expr, index === 0 ? 'left' : 'right', inner)
          return index === 0 ? text : `${inner}${expr.operator} ${text}`
        })
        .join('\n')
    }
    if (expr.kind === 'if') {
      const { then, condition } = expr
      const head = `if ${this.#inCondition(condition, margin)} then ${this.#thenBranch(expr, then, margin)}`
      return expr.else ? `${head}\n${inner}else ${this.#elseBranch(expr.else, margin)}` : head
    }
    return this.print(expr, margin)
  }

  #elseBranch(expr: Expr, margin: string): string {
    return expr.kind === 'if' ? this.#value(expr, margin) : this.print(expr, margin)
  }

  print(expr: Expr, margin: string): string {
    switch (expr.kind) {
      case 'literal':
        return this.#literal(expr)
      case 'name':
        return expr.name
      case 'now':
        return 'now'
      case 'variable':
        return `$${expr.namespace}.${expr.path.join('.')}`
      case 'field':
        return `${this.#receiver(expr.object, margin)}.${expr.name}`
      case 'index':
        return `${this.#receiver(expr.object, margin)}[${this.print(expr.index, margin)}]`
      case 'method':
        return `${this.#receiver(expr.receiver, margin)}.${expr.name}(${this.#arguments(expr.args, margin)})`
      case 'call':
        return `${expr.name}(${expr.star ? '*' : this.#arguments(expr.args, margin)})`
      case 'window':
        return `$window.${expr.name}(${this.#arguments(expr.args, margin)})`
      case 'unary': {
        const own = expr.operator === '-' ? precedence.negation : precedence.not
        const { operand } = expr
        const text = this.print(operand, margin)
        const inner = binding(operand) < own ? `(${text})` : text
        return expr.operator === '-' ? `-${inner}` : `not ${inner}`
      }
      case 'binary': {
        const left = this.#operand(expr.left, expr, 'left', margin)
        return `${left} ${expr.operator} ${this.#operand(expr.right, expr, 'right', margin)}`
      }
      case 'if': {
        const head = `if ${this.#inCondition(expr.condition, margin)} then ${this.#thenBranch(expr, expr.then, margin)}`
        return expr.else ? `${head} else ${this.print(expr.else, margin)}` : head
      }
      case 'match':
        return this.#match(expr, margin)
    }
  }

  #match(expr: Extract<Expr, { kind: 'match' }>, margin: string): string {
    const subject = expr.subject ? `${this.print(expr.subject, margin)} ` : ''
    const broken = this.#text !== undefined && /[\r\n]/.test(this.#text.slice(expr.start, expr.end))
    const inner = broken ? margin + indent : margin
    const arms = expr.arms.map(({ pattern, result }) => {
      return `${pattern ? this.print(pattern, inner) : '_'} => ${this.print(result, inner)}`
    })
    if (arms.length === 0) return `match ${subject}{ }`
    if (!broken) return `match ${subject}{ ${arms.join(', ')} }`
    return `match ${subject}{\n${arms.map((arm) => `${inner}${arm}`).join(',\n')}\n${margin}}`
  }

  #arguments(args: readonly Argument[], margin: string): string {
    return args
      .map((arg) => (arg.kind === 'closure' ? `it => ${this.print(arg.body, margin)}` : this.print(arg, margin)))
      .join(', ')
  }

  #receiver(expr: Expr, margin: string): string {
    const text = this.print(expr, margin)
    return binding(expr) < precedence.postfix || expr.kind === 'match' ? `(${text})` : text
  }

  #operand(operand: Expr, parent: Extract<Expr, { kind: 'binary' }>, side: 'left' | 'right', margin: string): string {
    const text = this.print(operand, margin)
    const own = tokenInfo(parent.operator)
    const outer = own?.precedence ?? 0
    const inner = binding(operand)
    // Comparisons do not chain; other operators do on one side only.
    const same = outer === precedence.comparison || (own?.rightAssociative ? side === 'left' : side === 'right')
    return inner < outer || (inner === outer && same) ? `(${text})` : text
  }

  #inCondition(expr: Expr, margin: string): string {
    const text = this.print(expr, margin)
    return expr.kind === 'if' ? `(${text})` : text
  }

  /** An `if` without an else must not take the else of the one around it. */
  #thenBranch(parent: Extract<Expr, { kind: 'if' }>, then: Expr, margin: string): string {
    const text = this.print(then, margin)
    return parent.else && lacksElse(then) ? `(${text})` : text
  }

  #literal(expr: Extract<Expr, { kind: 'literal' }>): string {
    if (this.#text !== undefined) return expr.text
    if (typeof expr.value === 'string') return quoted(expr.value)
    if (expr.type.name === 'date') return `#${expr.value}#`
    return expr.type.name === 'float'
      ? expr.text.replace(/^0+(?=\d)/, '').replace(/(\.\d+?)0+$/, '$1')
      : `${expr.value}`
  }
}

function lacksElse(expr: Expr): boolean {
  return expr.kind === 'if' && (!expr.else || lacksElse(expr.else))
}

/** How tightly an expression holds together. */
function binding(expr: Expr): number {
  switch (expr.kind) {
    case 'binary':
      return tokenInfo(expr.operator)?.precedence ?? 0
    case 'unary':
      return expr.operator === '-' ? precedence.negation : precedence.not
    case 'if':
      return 0
    case 'literal':
      return expr.text.startsWith('-') ? precedence.negation : precedence.postfix
    default:
      return precedence.postfix
  }
}

/** The operands of a chain of one operator: `a + b + c`. */
function chain(expr: Extract<Expr, { kind: 'binary' }>): Expr[] {
  const { operator, left, right } = expr
  const same = (operand: Expr): operand is Extract<Expr, { kind: 'binary' }> => {
    return operand.kind === 'binary' && operand.operator === operator
  }
  if (operator === '??') return same(right) ? [left, ...chain(right)] : [left, right]
  return same(left) && operator !== '==' && tokenInfo(operator)?.precedence !== precedence.comparison
    ? [...chain(left), right]
    : [left, right]
}

function quoted(text: string): string {
  const escapes: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n', '\t': '\\t', '\r': '\\r' }
  return `"${text.replace(/[\\"\n\t\r]/g, (character) => escapes[character] as string)}"`
}
