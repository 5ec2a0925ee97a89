import { Type } from '../record/type.ts'
import type { Argument, Arm, BinaryOperator, Expr, Program, Span, Statement } from './ast.ts'
import { cureIn, foreignClauses, foreignKeywords, foreignOperators } from './habit.ts'
import { longestModule, longestProgram, type Token, tokenize } from './lexer.ts'
import type { Problem, SourceText } from './problem.ts'
import { precedence, type TokenInfo, tokenInfo, type Word } from './token.ts'
import { partsOf } from './window.ts'

/** How deep expressions nest, and `emit each` blocks. */
const deepestExpression = 256
const deepestEach = 32
/** How tall a tree may grow, chains such as `a + b + c …` included: what walks trees needs that much stack. */
const tallestTree = 1280

const namespaces: readonly string[] = ['pipeline', 'source', 'record', 'vars', 'config', 'doc', 'meta', 'window']
const writable: readonly string[] = ['record', 'source', 'pipeline']
const levels: readonly string[] = ['debug', 'info', 'warn', 'error']
const greatestInt = 2n ** 63n - 1n
const statementWords: ReadonlySet<string> = new Set(['emit', 'let', 'filter', 'distinct', 'trace', 'use', 'fn'])

/** What stands in a text: a program, one expression, or a module of constants and functions. */
export type Grammar = 'program' | 'expression' | 'module'

/** Thrown to leave a statement that has an error; caught by the loop over statements. */
class Abandoned extends Error {}

/** Parses a program. Reports every statement that has an error to `problems`; the others are in the result. */
export function parseProgram(source: SourceText, problems: Problem[], grammar: Grammar = 'program'): Program {
  return new Parser(source, problems, grammar).program()
}

class Parser {
  readonly #source: SourceText
  readonly #problems: Problem[]
  readonly #grammar: Grammar
  readonly #tokens: readonly Token[]
  readonly #comments: Program['comments']
  #at = 0
  /** Above 0 inside `( )` and `[ ]`, where a newline means nothing. */
  #enclosed = 0
  #depth = 0
  #eachDepth = 0

  constructor(source: SourceText, problems: Problem[], grammar: Grammar) {
    this.#source = source
    this.#problems = problems
    this.#grammar = grammar
    const { tokens, comments } = tokenize(source, problems, grammar === 'module' ? longestModule : longestProgram)
    this.#tokens = tokens
    this.#comments = comments
  }

  program(): Program {
    const statements: Statement[] = []
    while (this.#token.kind !== 'end') {
      const first = this.#at
      try {
        statements.push(this.#topStatement(statements))
      } catch (error) {
        if (!(error instanceof Abandoned)) throw error
        this.#recover(first)
      }
    }
    this.#problems.sort((a, b) => a.start - b.start)
    return { statements, comments: this.#comments }
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token
  }

  get #previous(): Token {
    return this.#tokens[Math.max(0, this.#at - 1)] as Token
  }

  #peek(ahead: number): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token
  }

  #is(word: Word): boolean {
    const { kind, text } = this.#token
    return text === word && (kind === 'symbol' || kind === 'word')
  }

  /** Whether the current token is a plain name with this text. */
  #isName(text: string): boolean {
    return this.#token.kind === 'name' && this.#token.text === text
  }

  #next(): Token {
    const token = this.#token
    if (token.kind !== 'end') this.#at++
    return token
  }

  #accept(word: Word): boolean {
    const found = this.#is(word)
    if (found) this.#at++
    return found
  }

  #expect(word: Word, after: string, help?: string): Token {
    if (this.#is(word)) return this.#next()
    return this.#fail(this.#token, `expected '${word}' ${after}, found ${shown(this.#token)}`, help)
  }

  /** Whether the current token stands on the line of the one before, or where lines do not count. */
  get #sameLine(): boolean {
    return this.#enclosed > 0 || !this.#token.newline
  }

  #fail(where: Span, message: string, help?: string): never {
    // The lexer has told of a bad token already.
    const { kind } = this.#token
    const atToken = where === this.#token
    if (!(kind === 'bad' && atToken)) {
      const { start, end } = where
      const cure = help ?? (atToken ? this.#habitHelp() : undefined)
      this.#problems.push({
        phase: 'parse',
        message,
        start,
        end,
        source: this.#source,
        ...(cure === undefined ? {} : { help: cure }),
      })
    }
    throw new Abandoned()
  }

  /** How to mend a token that stands where none of its kind can, when it is one that other languages have there. */
  #habitHelp(): string | undefined {
    const { kind, text } = this.#token
    if (kind === 'name') return cureIn(foreignOperators, text) ?? cureIn(foreignKeywords, text)
    if (kind === 'word') {
      return statementWords.has(text) ? `'${text}' begins a statement and cannot stand inside an expression` : undefined
    }
    if (text === '=') return "use '==' to compare"
    if (text === '=>') return "use '>=' to compare; '=>' stands in closures and arms only"
    if (text === '+' && this.#previous.text === '+') return "there is no '++'; write 'let name = name + 1'"
    if (text === '.' && this.#peek(1).kind === 'int') return 'a number has digits on both sides of its dot: 0.5'
    if (text === '*' && this.#previous.text === '*') return 'there are no powers; multiply'
    return text === ',' ? "write an 'emit' or 'let' for each name, on a line of its own" : undefined
  }

  /** Refuses what cannot open a statement: a sign, or what stands between values in other languages. */
  #refuseOperator(): void {
    const { kind, text, newline } = this.#token
    if (kind === 'symbol' && text !== '(' && text !== '-') {
      this.#fail(this.#token, `unexpected '${text}'`, operandHelp(this.#token))
    }
    if (newline) return
    if (text === 'not' && this.#peek(1).text === 'in') this.#at++
    if (cureIn(foreignOperators, this.#token.text) !== undefined && this.#isBeforeOperand()) {
      this.#fail(this.#token, `there is no operator '${this.#token.text}'`)
    }
  }

  /** Refuses a word that opens a statement or a value in other languages; as a field it would be followed by an operator. */
  #refuseKeyword(): void {
    const { kind, text } = this.#token
    const after = this.#peek(1)
    if (kind !== 'name' || after.newline) return
    const clause = after.text === 'by' ? cureIn(foreignClauses, text) : undefined
    if (clause !== undefined) this.#fail(this.#token, `there is no '${text} by'`, clause)
    const mayBeField = after.text === '(' || after.text === 'outer'
    if (!mayBeField && this.#isBeforeOperand() && cureIn(foreignKeywords, text) !== undefined) {
      this.#fail(this.#token, `there is no '${text}'`)
    }
  }

  #isBeforeOperand(): boolean {
    const after = this.#peek(1)
    return !after.newline && startsOperand(after)
  }

  /** Skips to what looks like the next statement. */
  #recover(first: number): void {
    this.#enclosed = 0
    this.#depth = 0
    this.#eachDepth = 0
    if (this.#at === first) this.#next()
    while (this.#token.kind !== 'end') {
      const { kind, text, newline } = this.#token
      const opens = kind === 'word' && ['let', 'emit', 'distinct', 'trace', 'use', 'fn'].includes(text)
      if (opens && this.#previous.text !== '.') return
      if (newline && (kind === 'name' || (kind === 'word' && text === 'filter'))) return
      this.#next()
    }
  }

  // --- statements ---------------------------------------------------------------------------------------------------

  #topStatement(before: readonly Statement[]): Statement {
    // A bracket that is left over from a statement at fault is no fault of its own.
    if (this.#is('}') && this.#problems.length > 0) throw new Abandoned()
    if (this.#grammar === 'expression' && !this.#is('use')) {
      const after = before.some(({ kind }) => kind === 'expression')
      if (after) this.#fail(this.#token, `unexpected ${shown(this.#token)} after the expression`)
      const { start } = this.#token
      const value = this.#expression()
      return { kind: 'expression', value, start, end: this.#previous.end }
    }
    const statement = this.#statement()
    if (statement.kind === 'use' && before.some(({ kind }) => kind !== 'use')) {
      this.#fail(statement, "'use' must stand before all other statements")
    }
    if (this.#grammar === 'module') {
      if (statement.kind !== 'use' && statement.kind !== 'let' && statement.kind !== 'fn') {
        const what = statement.kind === 'each' ? 'emit each' : statement.kind
        this.#fail(statement, `a module holds only 'use', 'let' and 'fn', found ${what}`)
      }
    } else if (statement.kind === 'fn') {
      this.#fail(statement, "'fn' stands only in a module", "move it to a module and import that with 'use'")
    }
    return statement
  }

  #statement(): Statement {
    const token = this.#token
    if (token.kind === 'word') {
      switch (token.text) {
        case 'emit':
          return this.#emit()
        case 'let':
          return this.#let()
        case 'filter':
          return this.#filter()
        case 'distinct':
          return this.#distinct()
        case 'trace':
          return this.#trace()
        case 'use':
          return this.#use()
        case 'fn':
          return this.#function()
      }
    }
    this.#refuseOperator()
    this.#refuseKeyword()
    const { start } = token
    const value = this.#expression()
    if (this.#is('=')) this.#fail(this.#token, "unexpected '='", "use 'let name = …' or 'emit name = …'")
    return { kind: 'expression', value, start, end: this.#previous.end }
  }

  #name(what: string, help?: string): Token {
    const token = this.#token
    if (token.kind === 'name' && this.#sameLine) return this.#next()
    const reserved = token.kind === 'word' ? `: '${token.text}' is a reserved word` : ''
    const cure = reserved === '' ? help : 'choose another name'
    return this.#fail(token, `expected ${what}, found ${shown(token)}${reserved}`, cure)
  }

  /** The expression a statement needs, which must begin on its line unless an `=` stands before it. */
  #value(keyword: string): Expr {
    if (!this.#sameLine && this.#previous.text !== '=') {
      this.#fail(this.#token, `'${keyword}' needs an expression on its line`)
    }
    if (this.#token.kind === 'end') this.#fail(this.#token, `'${keyword}' needs an expression, found the end`)
    this.#refuseKeyword()
    return this.#expression()
  }

  #emit(): Statement {
    const { start } = this.#next()
    if (this.#isName('each') && this.#peek(1).text !== '=') return this.#each(start)
    let namespace: string | undefined
    if (this.#token.kind === 'namespace') {
      const token = this.#next()
      namespace = token.value as string
      if (!writable.includes(namespace)) {
        this.#fail(token, `$${namespace} cannot be written`, 'only $record, $source and $pipeline variables can')
      }
      this.#expect('.', `after $${namespace}`, `name a variable: $${namespace}.name`)
    }
    const form = "write 'emit name = …'"
    const name = this.#name("a column name after 'emit'", form)
    const alias = this.#is('as') && this.#peek(1).kind === 'name' ? this.#peek(1).text : undefined
    const cure = alias === undefined ? form : `write 'emit ${alias} = ${name.text}'`
    this.#expect('=', `after 'emit ${name.text}'`, cure)
    const value = this.#value('emit')
    return { kind: 'emit', namespace, name: name.text, nameSpan: span(name), value, start, end: this.#previous.end }
  }

  #each(start: number): Statement {
    this.#next()
    if (++this.#eachDepth > deepestEach) this.#fail(this.#token, `'emit each' nests at most ${deepestEach} deep`)
    const name = this.#is('it') ? this.#next() : this.#name("a name after 'emit each'")
    if (!this.#isName('in')) {
      const form = "write 'emit each x in list { … }'"
      this.#fail(this.#token, `expected 'in' after '${name.text}', found ${shown(this.#token)}`, form)
    }
    this.#next()
    const over = this.#value('in')
    const outer = this.#isName('outer')
    if (outer) this.#next()
    const open = this.#expect('{', "before the body of 'emit each'")
    const body: Statement[] = []
    while (!this.#is('}')) {
      if (this.#token.kind === 'end') this.#fail(open, "this '{' has no matching '}'", "close it with '}'")
      const statement = this.#statement()
      if (statement.kind === 'use' || statement.kind === 'fn') {
        this.#fail(statement, `'${statement.kind}' cannot stand inside 'emit each'`)
      }
      body.push(statement)
    }
    const { end } = this.#next()
    this.#eachDepth--
    return { kind: 'each', name: name.text, nameSpan: span(name), over, outer, body, start, end }
  }

  #let(): Statement {
    const { start } = this.#next()
    const form = "write 'let name = …'"
    const name = this.#name("a name after 'let'", form)
    this.#expect('=', `after 'let ${name.text}'`, form)
    const value = this.#value('let')
    return { kind: 'let', name: name.text, nameSpan: span(name), value, start, end: this.#previous.end }
  }

  #filter(): Statement {
    const { start } = this.#next()
    const condition = this.#value('filter')
    return { kind: 'filter', condition, start, end: this.#previous.end }
  }

  #distinct(): Statement {
    const word = this.#next()
    if (this.#is('by') && this.#sameLine) {
      this.#next()
      const name = this.#name("a name after 'distinct by'")
      return { kind: 'distinct', by: name.text, nameSpan: span(name), start: word.start, end: name.end }
    }
    const { kind } = this.#token
    if (this.#sameLine && (kind === 'name' || kind === 'string' || kind === 'namespace')) {
      this.#fail(this.#token, `expected 'by' after 'distinct', found ${shown(this.#token)}`)
    }
    return { kind: 'distinct', by: undefined, nameSpan: span(word), start: word.start, end: word.end }
  }

  #trace(): Statement {
    const { start } = this.#next()
    let level: string | undefined
    const after = this.#peek(1)
    const message = !after.newline && (startsOperand(after) || after.text === 'if')
    if (this.#token.kind === 'name' && levels.includes(this.#token.text) && this.#sameLine && message) {
      level = this.#next().text
    }
    let guard: Expr | undefined
    if (this.#is('if')) {
      this.#next()
      guard = this.#value('if')
      this.#accept('then')
    }
    const value = this.#value('trace')
    return { kind: 'trace', level, guard, message: value, start, end: this.#previous.end }
  }

  #use(): Statement {
    const { start } = this.#next()
    const path = [this.#name("a module after 'use'").text]
    for (;;) {
      if (this.#is('::')) this.#fail(this.#token, "the parts of a module's name are joined by '.', not '::'")
      if (!this.#accept('.')) break
      if (this.#is('*'))
        this.#fail(this.#token, "'.*' imports are not allowed", 'import the module and name its members')
      const part = this.#token
      if (part.kind !== 'name') this.#fail(part, `expected a name after '.', found ${shown(part)}`)
      path.push(this.#next().text)
    }
    const aliased = this.#is('as') && this.#sameLine
    if (aliased) this.#next()
    const alias = aliased ? this.#name("a name after 'as'").text : (path.at(-1) as string)
    return { kind: 'use', path, alias, aliased, start, end: this.#previous.end }
  }

  #function(): Statement {
    const { start } = this.#next()
    const name = this.#name("a name after 'fn'")
    this.#expect('(', `after 'fn ${name.text}'`)
    this.#enclosed++
    const parameters: string[] = []
    while (!this.#is(')')) {
      if (parameters.length > 0) this.#expect(',', 'between parameters')
      const parameter = this.#name('a parameter')
      if (parameters.includes(parameter.text)) this.#fail(parameter, `the parameter '${parameter.text}' is there twice`)
      parameters.push(parameter.text)
    }
    this.#next()
    this.#enclosed--
    this.#expect('=', `after the parameters of '${name.text}'`)
    const body = this.#value('fn')
    return { kind: 'fn', name: name.text, nameSpan: span(name), parameters, body, start, end: this.#previous.end }
  }

  // --- expressions --------------------------------------------------------------------------------------------------

  #expression(): Expr {
    return this.#binary(0)
  }

  /** An operand and the operators behind it that bind more tightly than `floor`. */
  #binary(floor: number): Expr {
    if (++this.#depth > deepestExpression) {
      this.#fail(this.#token, `expressions nest at most ${deepestExpression} deep`)
    }
    const { start } = this.#token
    let left = this.#unary()
    for (;;) {
      const operator = this.#token
      const info: TokenInfo | undefined =
        operator.kind === 'symbol' || operator.kind === 'word' ? tokenInfo(operator.text) : undefined
      const own = info?.precedence
      if (own === undefined || own <= floor) break
      if (own === precedence.comparison && this.#isBareComparison(left)) {
        this.#fail(operator, 'comparisons do not chain', "join two comparisons with 'and', or use parentheses")
      }
      this.#next()
      const right = this.#binary(info?.rightAssociative ? own - 1 : own)
      left = this.#node({
        kind: 'binary',
        operator: operator.text as BinaryOperator,
        left,
        right,
        start,
        end: this.#previous.end,
      })
      if (own === precedence.comparison) this.#bare = left
    }
    this.#depth--
    return left
  }

  /** The comparison parsed last, without parentheses around it. */
  #bare: Expr | undefined

  #isBareComparison(left: Expr): boolean {
    return left === this.#bare
  }

  #unary(): Expr {
    const token = this.#token
    if (this.#is('-')) {
      this.#next()
      const digits = this.#token
      // The smallest int has no positive twin: its digits are an int only with the minus before them.
      if (digits.kind === 'int' && digits.value === greatestInt + 1n && !['.', '['].includes(this.#peek(1).text)) {
        this.#next()
        const { start } = token
        const { end } = digits
        return {
          kind: 'literal',
          value: -(greatestInt + 1n),
          type: Type.of('int'),
          text: `-${digits.text}`,
          start,
          end,
        }
      }
      const operand = this.#nested(() => this.#unary())
      return this.#node({ kind: 'unary', operator: '-', operand, start: token.start, end: this.#previous.end })
    }
    if (this.#is('not')) {
      this.#next()
      const operand = this.#binary(precedence.not - 1)
      return this.#node({ kind: 'unary', operator: 'not', operand, start: token.start, end: this.#previous.end })
    }
    return this.#postfix(token.start, this.#primary())
  }

  readonly #heights = new WeakMap<Expr, number>()

  /** A node of the tree, which must not grow too tall. */
  #node(expr: Expr): Expr {
    const height = 1 + Math.max(0, ...partsOf(expr).map((part) => this.#heights.get(part) ?? 0))
    if (height > tallestTree) this.#fail(this.#token, `an expression has at most ${tallestTree} steps in a row`)
    this.#heights.set(expr, height)
    return expr
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > deepestExpression) {
      this.#fail(this.#token, `expressions nest at most ${deepestExpression} deep`)
    }
    const result = parse()
    this.#depth--
    return result
  }

  #postfix(start: number, first: Expr): Expr {
    let left = first
    for (;;) {
      if (this.#is('.')) {
        this.#next()
        const name = this.#member()
        if (this.#is('(') && this.#sameLine) {
          const args = this.#arguments(name.text)
          const { end } = this.#previous
          left = this.#node({ kind: 'method', receiver: left, name: name.text, nameSpan: span(name), args, start, end })
        } else {
          left = this.#node({
            kind: 'field',
            object: left,
            name: name.text,
            nameSpan: span(name),
            start,
            end: name.end,
          })
        }
      } else if (this.#is('[') && this.#sameLine) {
        const open = this.#next()
        const index = this.#inside(open, ']')
        left = this.#node({ kind: 'index', object: left, index, start, end: this.#previous.end })
      } else return left
    }
  }

  /** The name after a dot: any word will do. */
  #member(): Token {
    const token = this.#token
    if ((token.kind === 'name' || token.kind === 'word') && this.#sameLine) return this.#next()
    return this.#fail(token, `expected a name after '.', found ${shown(token)}`)
  }

  /** An expression and the bracket that closes it. */
  #inside(open: Token, close: ')' | ']'): Expr {
    this.#enclosed++
    if (this.#is(close)) this.#fail(this.#token, `expected an expression between '${open.text}' and '${close}'`)
    const inner = this.#expression()
    this.#close(open, close)
    return inner
  }

  #close(open: Token, close: ')' | ']'): void {
    if (!this.#is(close)) {
      if (this.#token.kind === 'end')
        this.#fail(open, `this '${open.text}' has no matching '${close}'`, `close it with '${close}'`)
      this.#fail(this.#token, `expected '${close}', found ${shown(this.#token)}`)
    }
    this.#next()
    this.#enclosed--
  }

  #arguments(name: string): Argument[] {
    const open = this.#next()
    this.#enclosed++
    const args: Argument[] = []
    while (!this.#is(')')) {
      if (args.length > 0) {
        if (this.#token.kind === 'end') this.#fail(open, "this '(' has no matching ')'", "close it with ')'")
        this.#expect(',', `or ')' after an argument of '${name}'`)
        if (this.#is(')')) this.#fail(this.#token, "unexpected ')' after ','", 'leave the last comma out')
      }
      args.push(this.#argument())
    }
    this.#close(open, ')')
    return args
  }

  #argument(): Argument {
    const token = this.#token
    if (this.#peek(1).text === '=>' && (token.kind === 'name' || this.#is('it'))) {
      if (token.kind === 'name') {
        this.#fail(token, `the parameter of a closure is always 'it', found '${token.text}'`, "write 'it => …'")
      }
      this.#next()
      this.#next()
      const body = this.#expression()
      return { kind: 'closure', body, start: token.start, end: this.#previous.end }
    }
    return this.#expression()
  }

  #primary(): Expr {
    const token = this.#token
    const { start, end, text } = token
    switch (token.kind) {
      case 'int': {
        const value = token.value as bigint
        if (value > greatestInt) {
          this.#fail(
            token,
            `the integer ${text} does not fit into 64 bits`,
            'use .to_decimal() on a text for larger numbers',
          )
        }
        this.#next()
        const small = value <= BigInt(Number.MAX_SAFE_INTEGER)
        return { kind: 'literal', value: small ? Number(value) : value, type: Type.of('int'), text, start, end }
      }
      case 'float':
        this.#next()
        return { kind: 'literal', value: token.value as number, type: Type.of('float'), text, start, end }
      case 'string':
        this.#next()
        return { kind: 'literal', value: token.value as string, type: Type.of('string'), text, start, end }
      case 'date':
        this.#next()
        return { kind: 'literal', value: token.value as never, type: Type.of('date'), text, start, end }
      case 'name':
        this.#next()
        if (this.#is('(') && this.#sameLine) return this.#call(token)
        return { kind: 'name', name: text, start, end }
      case 'namespace':
        return this.#variable()
      case 'word':
        return this.#keyword()
    }
    if (this.#is('(')) {
      const inner = this.#inside(this.#next(), ')')
      // Parentheses end a chain of comparisons.
      this.#bare = undefined
      return inner
    }
    return this.#fail(
      token,
      `expected an expression, found ${shown(token)}`,
      operandHelp(token) ?? this.#operatorHelp(),
    )
  }

  /** For an operator without its right side. */
  #operatorHelp(): string | undefined {
    const { text } = this.#previous
    if (this.#token.kind !== 'end' || tokenInfo(text)?.precedence === undefined) return undefined
    return `'${text}' needs a value on its right`
  }

  #keyword(): Expr {
    const token = this.#token
    const { start, end, text } = token
    switch (text) {
      case 'true':
      case 'false':
        this.#next()
        return { kind: 'literal', value: text === 'true', type: Type.of('bool'), text, start, end }
      case 'null':
        this.#next()
        return { kind: 'literal', value: null, type: Type.of('null'), text, start, end }
      case 'now':
        this.#next()
        if (this.#is('(') && this.#sameLine)
          this.#fail(this.#token, "'now' is not a call", "write 'now' without parentheses")
        return { kind: 'now', start, end }
      case 'it':
        this.#next()
        if (this.#is('=>'))
          this.#fail(token, 'a closure can only be the direct argument of a method such as filter or map')
        return { kind: 'name', name: 'it', start, end }
      case 'if':
        return this.#if()
      case 'match':
        return this.#match()
    }
    return this.#fail(token, `expected an expression, found the word '${text}'`)
  }

  #call(name: Token): Expr {
    const star = this.#peek(1).text === '*' && this.#peek(2).text === ')'
    let args: Argument[] = []
    if (star) {
      this.#next()
      this.#next()
      this.#next()
    } else args = this.#arguments(name.text)
    const { start } = name
    return this.#node({
      kind: 'call',
      name: name.text,
      nameSpan: span(name),
      args,
      star,
      start,
      end: this.#previous.end,
    })
  }

  #variable(): Expr {
    const token = this.#next()
    const namespace = token.value as string
    if (!namespaces.includes(namespace)) {
      this.#fail(
        token,
        `there is no namespace $${namespace}`,
        `known are ${namespaces.map((name) => `$${name}`).join(', ')}; a field is written by its name alone`,
      )
    }
    this.#expect('.', `after $${namespace}`, `name a member: $${namespace}.name`)
    const first = this.#member()
    const { start } = token
    if (namespace === 'window') {
      if (!this.#is('('))
        this.#fail(this.#token, `expected '(' after $window.${first.text}, found ${shown(this.#token)}`)
      const args = this.#arguments(first.text)
      return this.#node({
        kind: 'window',
        name: first.text,
        nameSpan: span(first),
        args,
        start,
        end: this.#previous.end,
      })
    }
    const path = [first.text]
    if (namespace === 'doc') {
      this.#expect('.', `after $doc.${first.text}`, 'a document value is $doc.section.field')
      path.push(this.#member().text)
    } else if (namespace === 'source' && this.#is('.') && !this.#isMethodAhead()) {
      this.#next()
      path.push(this.#member().text)
    }
    return { kind: 'variable', namespace, path, start, end: this.#previous.end }
  }

  /** Whether `.name(` comes next: a name followed by a parenthesis is a method. */
  #isMethodAhead(): boolean {
    const open = this.#peek(2)
    return open.text === '(' && (this.#enclosed > 0 || !open.newline)
  }

  #if(): Expr {
    const { start } = this.#next()
    const condition = this.#expression()
    this.#expect('then', "after the condition of 'if'", this.#habitHelp() ?? "write 'if … then … else …'")
    const then = this.#expression()
    const otherwise = this.#accept('else') ? this.#expression() : undefined
    return this.#node({ kind: 'if', condition, then, else: otherwise, start, end: this.#previous.end })
  }

  #match(): Expr {
    const { start } = this.#next()
    const subject = this.#is('{') ? undefined : this.#expression()
    const open = this.#expect('{', "before the arms of 'match'")
    // Lines count again between the braces.
    const enclosed = this.#enclosed
    this.#enclosed = 0
    const arms: Arm[] = []
    while (!this.#is('}')) {
      if (this.#token.kind === 'end') this.#fail(open, "this '{' has no matching '}'", "close it with '}'")
      const first = this.#token
      const wildcard = this.#isName('_') && this.#peek(1).text === '=>'
      if (wildcard) this.#next()
      const pattern = wildcard ? undefined : this.#expression()
      this.#expect('=>', 'after the pattern of an arm')
      const result = this.#expression()
      arms.push({ pattern, result, start: first.start, end: this.#previous.end })
      this.#accept(',')
    }
    const { end } = this.#next()
    this.#enclosed = enclosed
    return this.#node({ kind: 'match', subject, arms, start, end })
  }
}

function span({ start, end }: Span): Span {
  return { start, end }
}

function shown(token: Token): string {
  if (token.kind === 'end') return 'the end'
  return token.kind === 'string' ? `the text ${token.text}` : `'${token.text}'`
}

function operandHelp({ text }: Token): string | undefined {
  if (text === '[') return 'there are no array literals; split a text to make an array'
  return text === '{' ? 'there are no map literals; use .set() to build a map' : undefined
}

/** Whether an expression can begin with this token, a sign aside. */
function startsOperand({ kind, text }: Token): boolean {
  if (kind === 'symbol') return text === '('
  if (kind === 'word') return ['true', 'false', 'null', 'now', 'it', 'if', 'match', 'not'].includes(text)
  return kind !== 'end' && kind !== 'bad'
}
