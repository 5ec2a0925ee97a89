/**
 * The back end that makes JavaScript of a checked tree. Static types choose the code: an int column plus an int literal is a guarded
 * `+`. Every shortcut is behind a test of what the value really is, for other code may have changed a record; where the test fails,
 * the operator itself runs (`operators.ts`), so that both back ends always agree.
 */
import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { compareText } from '../record/compare.ts'
import { Decimal } from '../record/decimal.ts'
import { Code, widestLiteral } from '../record/generate.ts'
import { isIntNumber } from '../record/kind.ts'
import type { Shape } from '../record/shape.ts'
import { rowOf, stamped } from '../record/stamp.ts'
import { Type, type TypeName } from '../record/type.ts'
import type { Row, Value } from '../record/value.ts'
import { type Builtin, type BuiltinCode, dispatched } from './builtins/index.ts'
import type { Checked, CheckedClosure, CheckedStatement, Instance, Local, Site } from './checked.ts'
import type { Environment } from './environment.ts'
import { evaluationError, placed } from './evaluation-error.ts'
import { Failure } from './failure.ts'
import type { Leaf } from './layout.ts'
import * as operators from './operators.ts'
import { filtered, passed, repeated } from './outcome.ts'
import type { Binding, RowFunction } from './program.ts'
import * as runtime from './runtime.ts'

/** A piece of code that gives a value. */
interface Piece {
  readonly code: string
  /** How the value is represented. */
  readonly form: Type
  /** May be written several times: a variable or a literal, free of effects. */
  readonly atom: boolean
  /**
   * What is certain whatever other code did to the record. `exact`: of the form, and null only where the form says so; `nullable`: of
   * the form or null.
   */
  readonly sure: 'exact' | 'nullable' | 'no'
}

/** Where generated code finds a column. */
export type Columns = (name: string) => Piece | undefined

const any = Type.of('any')
const bool = Type.of('bool')

/** Writes expressions into one function: its temporaries, its places, its constants. */
export class Generator {
  readonly code: Code
  /** Expressions that can fail, with the field they are computed for; generated code notes an index into it. */
  readonly sites: { site: Site; field: string | undefined }[] = []
  field: string | undefined
  /** Whether the code reads `$record`, for which it needs the name `variables`. */
  usesVariables = false
  readonly #columns: Columns
  readonly #prefix: string
  readonly #notesSites: boolean
  /** Names of the temporaries of the function that is being written. */
  #temporaries: string[] = []
  #count = 0
  readonly #instances = new Map<Instance, string>()

  constructor(code: Code, columns: Columns, prefix = '', notesSites = true) {
    this.code = code
    this.#columns = columns
    this.#prefix = prefix
    this.#notesSites = notesSites
  }

  /** Declares the temporaries used so far. */
  declarations(): string {
    return this.#temporaries.length > 0 ? `let ${this.#temporaries.join(', ')}\n` : ''
  }

  variable(local: Local): string {
    return `${this.#prefix}v${local.id}`
  }

  /** Notes the place in `at`; an expression without a value of interest. */
  note(site: Site): string {
    if (!this.#notesSites) return ''
    return `at = ${this.sites.push({ site, field: this.field }) - 1}, `
  }

  /** The value in the form of untyped ones. */
  boxed(piece: Piece): string {
    if (piece.form.name !== 'float') return piece.code
    return `${this.code.bind(operators.box)}(${piece.code})`
  }

  /** The value in another form. */
  in(form: Type, piece: Piece): string {
    if (form.name === piece.form.name) return piece.code
    if (piece.form.name === 'float') return this.boxed(piece)
    if (form.name !== 'float' || piece.code === 'null') return piece.code
    return `${this.code.bind(operators.unbox)}(${piece.code})`
  }

  /** True exactly where the value is true. */
  test(node: Checked): string {
    if (node.kind === 'logic') {
      const { left, right, operator } = node
      // The right side may be left out where the left side decides, provided that nobody can tell.
      if (isCalm(right)) {
        if (operator === 'and') return `(${this.test(left)} && ${this.test(right)})`
        if (this.#isTruth(left)) return `(${this.test(left)} || ${this.test(right)})`
      }
    }
    if (node.kind === 'not') return `(${this.piece(node.operand).code} === false)`
    const piece = this.piece(node)
    if (piece.form === bool && piece.sure === 'exact') return piece.code
    return `(${piece.code} === true)`
  }

  /** Whether the value is certainly a bool or null. */
  #isTruth(node: Checked): boolean {
    return node.kind === 'comparison' || node.kind === 'logic' || node.kind === 'not'
  }

  piece(node: Checked): Piece {
    switch (node.kind) {
      case 'constant':
        return this.#constant(node.value, node.form)
      case 'column': {
        const column = this.#columns(node.name)
        if (!column) return nothing
        return column.form === node.form ? column : this.#as(node.form, column)
      }
      case 'column_or_local': {
        const column = this.#columns(node.name)
        if (column) return { ...column, code: this.boxed(column), form: any, sure: 'no', atom: false }
        const { local } = node
        return { code: this.boxed(this.#local(local)), form: any, sure: 'no', atom: local.form.name !== 'float' }
      }
      case 'qualified': {
        const read = this.#call(runtime.qualified, 'inputs', this.#data(node.qualifier), this.#data(node.name))
        return { code: read, form: node.form, atom: false, sure: 'no' }
      }
      case 'local':
        return this.#local(node.local)
      case 'now':
        return { code: 'environment.now()', form: node.form, atom: false, sure: 'exact' }
      case 'system': {
        if (node.namespace === 'record') {
          this.usesVariables = true
          const read = this.#call(runtime.recordVariable, 'variables', this.#data(node.name), this.#data(node.variable))
          return this.#as(node.form, untyped(read))
        }
        const read = this.#call(runtime.systemReader(node), 'row', 'environment')
        return node.variable
          ? this.#as(node.form, untyped(read))
          : { code: read, form: node.form, atom: false, sure: 'no' }
      }
      case 'input_variable': {
        const { input, name, variable } = node
        const names = [this.#data(input), this.#data(name), this.#data(variable)]
        return this.#as(node.form, untyped(this.#call(runtime.inputVariable, 'environment', 'row', ...names)))
      }
      case 'document': {
        const names = [this.#data(node.section), this.#data(node.field)]
        return this.#as(node.form, untyped(this.#call(runtime.document, 'environment', 'row', ...names)))
      }
      case 'field':
        return untyped(this.#call(operators.member, this.piece(node.object).code, this.#data(node.name)))
      case 'index': {
        const setup: string[] = []
        const object = this.#held(this.piece(node.object), setup)
        // A null receiver gives null and leaves its index alone.
        const read = this.#call(operators.element, object.code, this.boxed(this.piece(node.index)))
        return untyped(sequence(setup, `${object.code} == null ? null : ${read}`))
      }
      case 'negate':
        return this.#negate(node)
      case 'not': {
        const operand = this.piece(node.operand)
        if (operand.form === bool && operand.sure === 'exact') return exact(`!${operand.code}`)
        return { code: this.#call(operators.not, operand.code), form: node.form, atom: false, sure: 'nullable' }
      }
      case 'arithmetic':
        return this.#arithmetic(node)
      case 'comparison':
        return this.#comparison(node)
      case 'logic':
        return this.#logic(node)
      case 'coalesce': {
        const left = this.in(node.form, this.piece(node.left))
        const right = this.in(node.form, this.piece(node.right))
        return { code: `(${left} ?? ${right})`, form: node.form, atom: false, sure: 'no' }
      }
      case 'if': {
        const then = this.in(node.form, this.piece(node.then))
        const otherwise = node.else ? this.in(node.form, this.piece(node.else)) : 'null'
        const code = `(${this.test(node.condition)} ? ${then} : ${otherwise})`
        return { code, form: node.form, atom: false, sure: 'no' }
      }
      case 'match':
        return this.#match(node)
      case 'method':
        return this.#method(node)
      case 'function': {
        const setup: string[] = []
        const args = node.args.map((arg) => this.boxed(this.#held(this.piece(arg), setup)))
        const call = `${this.note(node.site)}${this.code.bind(node.run)}(${args.join(', ')})`
        return { code: sequence(setup, call), form: node.form, atom: false, sure: 'no' }
      }
      case 'instance': {
        const setup: string[] = []
        const args = node.args.map((arg, index) => {
          const { form } = node.instance.parameters[index] as Local
          return this.in(form, this.#held(this.piece(arg), setup))
        })
        const call = `${this.note(node.site)}${this.#instance(node.instance)}(${['environment', ...args].join(', ')})`
        const { form } = node.instance.body
        return this.#as(node.form, { code: sequence(setup, call), form, atom: false, sure: 'no' })
      }
      case 'failure':
        return untyped(`(${this.note(node.site)}${this.#call(fail, this.#data(node.message))})`)
    }
  }

  /** A temporary of the function that is being written. */
  temporary(): string {
    const name = `${this.#prefix}t${this.#count++}`
    this.#temporaries.push(name)
    return name
  }

  #data(value: unknown): string {
    return this.code.bind(value)
  }

  #call(run: (...given: never[]) => unknown, ...args: string[]): string {
    return `${this.code.bind(run)}(${args.join(', ')})`
  }

  #as(form: Type, piece: Piece): Piece {
    const code = this.in(form, piece)
    return { code, form, atom: piece.atom && code === piece.code, sure: 'no' }
  }

  #local(local: Local): Piece {
    return { code: this.variable(local), form: local.form, atom: true, sure: 'no' }
  }

  #constant(value: Value, form: Type): Piece {
    const sure = 'exact'
    if (value === null) return { code: 'null', form: form.name === 'any' ? form : Type.of('null'), atom: true, sure }
    if (typeof value === 'boolean') return { code: `${value}`, form, atom: true, sure }
    // Digits, a sign and a point are all that a finite number is written with; anything else is passed as data.
    if (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0)) {
      return { code: value < 0 ? `(${value})` : `${value}`, form, atom: true, sure }
    }
    return { code: this.#data(value), form, atom: true, sure: form.name === 'any' ? 'no' : sure }
  }

  /** The piece as an atom: what is none is computed into a temporary first. */
  #held(piece: Piece, setup: string[]): Piece {
    if (piece.atom) return piece
    const name = this.temporary()
    setup.push(`${name} = ${piece.code}`)
    return { ...piece, code: name, atom: true }
  }

  #negate(node: Extract<Checked, { kind: 'negate' }>): Piece {
    const setup: string[] = []
    const operand = this.#held(this.piece(node.operand), setup)
    const slow = `(${this.note(node.site)}${this.#call(operators.negate, this.boxed(operand))})`
    const { name } = operand.form
    if (name !== 'int' && name !== 'float') return this.#as(node.form, untyped(sequence(setup, slow)))
    const fast = name === 'float' ? `-${operand.code}` : `0 - ${operand.code}`
    const back = name === 'float' ? `${this.code.bind(operators.unbox)}(${slow})` : slow
    const code = sequence(setup, `typeof ${operand.code} === 'number' ? ${fast} : ${back}`)
    return { code, form: node.form, atom: false, sure: 'no' }
  }

  #arithmetic(node: Extract<Checked, { kind: 'arithmetic' }>): Piece {
    const { operator, form } = node
    const setup: string[] = []
    const left = this.#held(this.piece(node.left), setup)
    const right = this.#held(this.piece(node.right), setup)
    const slow = this.#call(operators.arithmetic[operator], this.boxed(left), this.boxed(right))
    const noted = `(${this.note(node.site)}${slow})`
    const result = (code: string): Piece => ({ code: sequence(setup, code), form, atom: false, sure: 'no' })
    switch (form.name) {
      case 'string': {
        const guard = [left, right]
          .filter((piece) => piece.sure !== 'exact')
          .map(({ code }) => `typeof ${code} === 'string'`)
        const fast = `${left.code} + ${right.code}`
        return result(guard.length > 0 ? `${guard.join(' && ')} ? ${fast} : ${noted}` : fast)
      }
      case 'int': {
        const sum = this.temporary()
        const guard = [...this.#numbers(left, right)]
        // `+ 0` makes 0 of -0; a quotient of safe ints is never so near a whole number that it rounds to it.
        if (operator === '/')
          guard.push(`${right.code} !== 0`, `isInt(${sum} = Math.trunc(${left.code} / ${right.code}) + 0)`)
        else if (operator === '%') guard.push(`${right.code} !== 0`, `isInt(${sum} = ${left.code} % ${right.code} + 0)`)
        else if (operator === '*') guard.push(`isInt(${sum} = ${left.code} * ${right.code} + 0)`)
        else guard.push(`isInt(${sum} = ${left.code} ${operator} ${right.code})`)
        const test = guard.join(' && ').replaceAll('isInt(', `${this.code.bind(Number.isSafeInteger)}(`)
        return result(`${test} ? ${sum} : ${noted}`)
      }
      case 'float': {
        const guard = [...this.#numbers(left, right)]
        if (operator === '/' || operator === '%') guard.push(`${right.code} !== 0`)
        const fast = `${left.code} ${operator} ${right.code}`
        const back = `${this.code.bind(operators.unbox)}(${noted})`
        return result(guard.length > 0 ? `${guard.join(' && ')} ? ${fast} : ${back}` : fast)
      }
      default:
        return this.#as(form, untyped(sequence(setup, noted)))
    }
  }

  /** Tests that make sure of plain numbers; literals need none. */
  *#numbers(...pieces: readonly Piece[]): Iterable<string> {
    for (const { code, sure } of pieces) {
      if (sure !== 'exact' || !/^\(?-?[0-9.]+\)?$/.test(code)) yield `typeof ${code} === 'number'`
    }
  }

  #comparison(node: Extract<Checked, { kind: 'comparison' }>): Piece {
    const { operator } = node
    const setup: string[] = []
    const left = this.#held(this.piece(node.left), setup)
    const right = this.#held(this.piece(node.right), setup)
    const slow = this.#call(operators.comparisons[operator], this.boxed(left), this.boxed(right))
    const equality = operator === '==' || operator === '!='
    const result = (code: string): Piece => {
      return {
        code: sequence(setup, code),
        form: equality ? bool : node.form,
        atom: false,
        sure: equality ? 'exact' : 'nullable',
      }
    }
    const forms = [left.form.name, right.form.name]
    if (equality) {
      if (left.code === 'null' || right.code === 'null') return result(`${left.code} ${operator} ${right.code}`)
      // A text or a bool equals nothing of another kind.
      const plain = [left, right].some(
        ({ form, sure }) => sure === 'exact' && (form.name === 'string' || form === bool),
      )
      if (plain) return result(`${left.code} ${operator}= ${right.code}`)
    }
    if (forms.every((name) => name === 'string')) {
      const guard = `typeof ${left.code} === 'string' && typeof ${right.code} === 'string'`
      const fast = equality
        ? `${left.code} ${operator}= ${right.code}`
        : `${this.#call(compareText, left.code, right.code)} ${operator} 0`
      return result(`${guard} ? ${fast} : ${slow}`)
    }
    // Two plain numbers compare alike whether they are ints or floats.
    if (forms.every((name) => name === 'int' || name === 'float')) {
      const guard = [...this.#numbers(left, right)]
      const fast = `${left.code} ${equality ? `${operator}=` : operator} ${right.code}`
      return result(guard.length > 0 ? `${guard.join(' && ')} ? ${fast} : ${slow}` : fast)
    }
    return result(slow)
  }

  #logic(node: Extract<Checked, { kind: 'logic' }>): Piece {
    const left = this.piece(node.left)
    const right = this.piece(node.right)
    const isAnd = node.operator === 'and'
    if (left.form === bool && left.sure === 'exact' && right.form.name === 'bool' && right.sure !== 'no') {
      const code = `(${left.code} ${isAnd ? '&&' : '||'} ${right.code})`
      return { code, form: right.form, atom: false, sure: right.sure }
    }
    const setup: string[] = []
    const held = this.#held(left, setup)
    const both = this.#call(isAnd ? operators.and : operators.or, held.code, this.boxed(right))
    const code = `${held.code} === ${!isAnd} ? ${!isAnd} : ${both}`
    return { code: sequence(setup, code), form: bool.orNull, atom: false, sure: 'nullable' }
  }

  #match(node: Extract<Checked, { kind: 'match' }>): Piece {
    const { subject, arms, otherwise, form } = node
    const setup: string[] = []
    if (subject) {
      const name = this.variable(subject.local)
      this.#temporaries.push(name)
      setup.push(`${name} = ${this.in(subject.local.form, this.piece(subject.value))}`)
    }
    const parts = arms.map(({ pattern, result }) => {
      const test = subject ? this.piece(equality(subject.local, pattern)).code : this.test(pattern)
      return `${test} ? ${this.in(form, this.piece(result))} : `
    })
    const code = sequence(setup, `${parts.join('')}${this.in(form, this.piece(otherwise))}`)
    return { code, form, atom: false, sure: 'no' }
  }

  #method(node: Extract<Checked, { kind: 'method' }>): Piece {
    const { overloads, site, form } = node
    const setup: string[] = []
    const receiver = this.#held(this.piece(node.receiver), setup)
    const args = node.args.map((arg) => {
      if (arg.kind !== 'closure') return this.#held(this.piece(arg), setup)
      return this.#held({ code: this.#closure(arg), form: any, atom: false, sure: 'exact' }, setup)
    })
    const contextual = overloads.some((builtin) => builtin.entry.needsContext)
    const context = contextual ? [this.#call(runtime.builtinContext, 'environment', 'row')] : []
    const values = [receiver, ...args].map((piece) => this.boxed(piece))
    const slow = `(${this.note(site)}${this.#call(dispatched(overloads), ...context, ...values)})`
    const fast = contextual ? undefined : this.#direct(overloads, node, receiver, args)
    // Code for known types gives plain floats; the general one boxes them.
    const back = form.name === 'float' ? `${this.code.bind(operators.unbox)}(${slow})` : slow
    return { code: sequence(setup, fast ? fast(back) : back), form, atom: false, sure: 'no' }
  }

  /** A call of the code for exactly these types, behind the tests that make sure of them. */
  #direct(
    overloads: readonly Builtin[],
    { args, site, form }: Extract<Checked, { kind: 'method' }>,
    receiver: Piece,
    given: readonly Piece[],
  ): ((otherwise: string) => string) | undefined {
    const [builtin] = overloads
    if (!builtin || overloads.length > 1) return undefined
    const forms = args.map((arg, index) => (arg.kind === 'closure' ? arg.kind : (given[index] as Piece).form))
    const run = builtin.direct(receiver.form, forms)
    if (!run || (builtin.result.name === 'float') !== (form.name === 'float')) return undefined
    const guards: string[] = []
    const typed = builtin.entry.typed?.[receiver.form.name] === run
    if (!typed && builtin.receivers.includes('any')) {
      if (!builtin.entry.seesNull) guards.push(`${receiver.code} != null`)
    } else if (receiver.sure !== 'exact') {
      const guard = this.#guard(receiver)
      if (guard === undefined) return undefined
      guards.push(guard)
    }
    for (const [index, piece] of given.entries()) {
      const types = builtin.parameterAt(index)?.types ?? []
      if (types.includes('any') || types.includes('closure') || piece.sure === 'exact') continue
      const guard = this.#guard(piece)
      if (guard === undefined) return undefined
      guards.push(guard)
    }
    const taken = [receiver, ...given].map((piece, index) => {
      const parameter = index === 0 ? undefined : builtin.parameterAt(index - 1)
      return parameter?.types.includes('any') ? this.boxed(piece) : piece.code
    })
    const call = `(${this.note(site)}${this.code.bind(run as BuiltinCode)}(${taken.join(', ')}))`
    return (otherwise) => (guards.length > 0 ? `${guards.join(' && ')} ? ${call} : ${otherwise}` : call)
  }

  /** A test that a value has its form and is not null; undefined where no short one exists. */
  #guard({ code, form }: Piece): string | undefined {
    switch (form.name) {
      case 'string':
        return `typeof ${code} === 'string'`
      case 'int':
        return `${this.code.bind(isIntNumber)}(${code})`
      case 'float':
        return `typeof ${code} === 'number'`
      case 'bool':
        return `typeof ${code} === 'boolean'`
      case 'array':
        return `${this.code.bind(Array.isArray)}(${code})`
      case 'decimal':
        return `${code} instanceof ${this.code.bind(Decimal)}`
      case 'date':
        return `${code} instanceof ${this.code.bind(CivilDate)}`
      case 'date_time':
        return `${code} instanceof ${this.code.bind(CivilDateTime)}`
      default:
        return undefined
    }
  }

  #closure({ it, body }: CheckedClosure): string {
    const outer = this.#temporaries
    this.#temporaries = []
    const value = this.boxed(this.piece(body))
    const name = this.variable(it)
    const text = `(${name}) => {\n${this.declarations()}${name} = ${this.#call(operators.load, name)}\nreturn ${value}\n}`
    this.#temporaries = outer
    return text
  }

  /** The function of a module, compiled on its own; what fails in it carries its place. */
  #instance(instance: Instance): string {
    let name = this.#instances.get(instance)
    if (name === undefined) {
      const run = generateInstance(instance)
      name = this.code.bind(run)
      this.#instances.set(instance, name)
    }
    return name
  }
}

const nothing: Piece = { code: 'null', form: Type.of('null'), atom: true, sure: 'exact' }

function untyped(code: string): Piece {
  return { code, form: any, atom: false, sure: 'no' }
}

function exact(code: string): Piece {
  return { code, form: bool, atom: false, sure: 'exact' }
}

function sequence(setup: readonly string[], value: string): string {
  return `(${[...setup, value].join(', ')})`
}

function fail(message: string): never {
  throw new Failure(message)
}

/** `subject == pattern`, of which a `match` is made. */
function equality(local: Local, pattern: Checked): Checked {
  const { site } = pattern
  const left: Checked = { kind: 'local', local, type: local.type, form: local.form, site }
  return { kind: 'comparison', operator: '==', left, right: pattern, type: bool, form: bool, site }
}

/** Whether evaluating it can neither fail nor be noticed. */
function isCalm(node: Checked): boolean {
  switch (node.kind) {
    case 'constant':
    case 'column':
    case 'local':
      return true
    case 'comparison':
    case 'logic':
      return isCalm(node.left) && isCalm(node.right)
    case 'not':
      return isCalm(node.operand)
    default:
      return false
  }
}

const instances = new WeakMap<Instance, unknown>()

function generateInstance(instance: Instance): (environment: Environment, ...args: Value[]) => Value {
  const known = instances.get(instance)
  if (known) return known as (environment: Environment, ...args: Value[]) => Value
  const code = new Code()
  const generator = new Generator(code, () => undefined)
  const value = generator.piece(instance.body).code
  const { sites } = generator
  const failed = (error: unknown, at: number): unknown => placed(error, sites[at]?.site)
  const body = [
    'let at = -1, row',
    generator.declarations(),
    `try { return ${value} } catch (error) { throw ${code.bind(failed)}(error, at) }`,
  ]
  const parameters = ['environment', ...instance.parameters.map((local) => generator.variable(local))]
  const run = code.compile<(environment: Environment, ...args: Value[]) => Value>(parameters, body.join('\n'))
  instances.set(instance, run)
  return run
}

/** Columns of `row` that generated code reads once each. */
export interface RowColumns {
  readonly find: Columns
  /** The code that reads them, a line each. */
  readonly lines: readonly string[]
  /** What gives the column: the variable, where it has been read. */
  code(name: string): string
}

/** `typeOf` tells how a column is represented; undefined where records have none of this name that may be read. */
export function rowColumns(code: Code, typeOf: (name: string) => Type | undefined): RowColumns {
  const known = new Map<string, Piece>()
  const lines: string[] = []
  const find: Columns = (name) => {
    const type = typeOf(name)
    if (!type) return undefined
    let piece = known.get(name)
    if (!piece) {
      const variable = `c${known.size}`
      const kind = primitives[type.name]
      if (kind === undefined || name in Object.prototype) lines.push(`const ${variable} = ${columnRead(code, name)}`)
      else {
        // Nearly always the value is what its type says, and needs no look at what other code might mean by it.
        lines.push(`let ${variable} = ${code.member('row', name)}`)
        lines.push(`if (typeof ${variable} !== '${kind}') ${variable} = ${code.bind(operators.load)}(${variable})`)
      }
      piece = { code: variable, form: type, atom: true, sure: 'no' }
      known.set(name, piece)
    }
    return piece
  }
  return { find, lines, code: (name) => known.get(name)?.code ?? columnRead(code, name) }
}

/** What `typeof` says of the values of a type. */
const primitives: Readonly<Partial<Record<TypeName, string>>> = {
  int: 'number',
  float: 'number',
  string: 'string',
  bool: 'boolean',
}

/** Code that reads a column whatever is in it. */
function columnRead(code: Code, name: string): string {
  // Where a record lacks a column of such a name, what it inherits from Object.prototype must not show.
  if (name in Object.prototype) return `${code.bind(operators.columnOf)}(row, ${code.bind(name)})`
  return `${code.bind(operators.load)}(${code.member('row', name)})`
}

/** A transform as one function. */
export function generateProgram(binding: Binding): RowFunction {
  return new ProgramWriter(binding).compile()
}

class ProgramWriter {
  readonly #binding: Binding
  readonly #code = new Code()
  readonly #columns: RowColumns
  readonly #generator: Generator
  #blocks = 0

  constructor(binding: Binding) {
    this.#binding = binding
    this.#columns = rowColumns(this.#code, (name) => binding.columnType(name))
    this.#generator = new Generator(this.#code, this.#columns.find)
  }

  compile(): RowFunction {
    const { statements } = this.#binding
    const generator = this.#generator
    const body = this.#block(statements, undefined)
    const { sites } = generator
    const failed = (error: unknown, at: number, row: Row): unknown => {
      const { site, field } = sites[at] ?? {}
      return evaluationError(error, site, row, field)
    }
    const writes = usesRecordVariables(statements)
    const lines = [
      'let at = -1',
      'const mark = out.length',
      `const origin = ${this.#code.bind(runtime.originOfRow)}(row)`,
      writes ? 'let variables = origin.variables' : 'const variables = origin.variables',
      generator.declarations(),
      'try {',
      ...this.#columns.lines,
      ...body,
      `return ${passed}`,
      `} catch (error) { out.length = mark; throw ${this.#code.bind(failed)}(error, at, row) }`,
    ]
    return this.#code.compile(['row', 'environment', 'out', 'inputs'], lines.join('\n'))
  }

  #block(statements: readonly CheckedStatement[], block: Leaf['block']): string[] {
    const lines = statements.flatMap((statement) => this.#statement(statement))
    const leaf = this.#binding.leaves.find((one) => one.block === block)
    return leaf ? [...lines, ...this.#push(leaf)] : lines
  }

  #statement(statement: CheckedStatement): string[] {
    const generator = this.#generator
    const code = this.#code
    generator.field = statement.kind === 'emit' ? statement.name : undefined
    switch (statement.kind) {
      case 'emit':
      case 'let': {
        const { local } = statement
        return [`const ${generator.variable(local)} = ${generator.in(local.form, generator.piece(statement.value))}`]
      }
      case 'write': {
        const { namespace, name } = statement
        const value = generator.boxed(generator.piece(statement.value))
        if (namespace === 'record') {
          return [`variables = ${code.bind(runtime.withVariable)}(variables, ${code.bind(name)}, ${value})`]
        }
        const args = ['environment', 'row', code.bind(namespace), code.bind(name), value]
        return [`${code.bind(runtime.writeVariable)}(${args.join(', ')})`]
      }
      case 'filter':
        return [`if (!${generator.test(statement.condition)}) { out.length = mark; return ${filtered} }`]
      case 'distinct': {
        const seen = code.bind(this.#binding.seen(statement.id))
        const key = statement.by ? this.#valueKey(statement) : this.#recordKey(statement)
        return [`if (!${code.bind(runtime.isNew)}(${seen}, ${key})) { out.length = mark; return ${repeated} }`]
      }
      case 'each':
        return this.#each(statement)
      case 'trace': {
        const message = generator.boxed(generator.piece(statement.message))
        const call = `${code.bind(runtime.log)}(environment, ${code.bind(statement.level)}, ${message}, row)`
        return [statement.guard ? `if (${generator.test(statement.guard)}) ${call}` : call]
      }
      case 'expression':
        return [`;${generator.piece(statement.value).code}`]
    }
  }

  #valueKey(statement: Extract<CheckedStatement, { kind: 'distinct' }>): string {
    const value = this.#generator.temporary()
    const by = this.#generator.boxed(this.#generator.piece(statement.by as Checked))
    const note = this.#generator.note(statement.site)
    const key = `${this.#code.bind(runtime.distinctKey)}(${value}, ${this.#code.bind(statement.name)})`
    return `(${value} = ${by}, ${note}${key})`
  }

  #recordKey(statement: Extract<CheckedStatement, { kind: 'distinct' }>): string {
    const { names, declared, locals } = this.#binding.recordAt(statement)
    const values = names.map((name) => {
      const local = locals.get(name)
      if (local)
        return this.#generator.boxed({
          code: this.#generator.variable(local),
          form: local.form,
          atom: true,
          sure: 'no',
        })
      const type = this.#binding.inputType(name) ?? any
      const read = columnRead(this.#code, name)
      return this.#generator.boxed({ code: read, form: type, atom: false, sure: 'no' })
    })
    const note = this.#generator.note(statement.site)
    const list = `[${values.join(', ')}]`
    return `(${note}${this.#code.bind(runtime.recordKey)}(${this.#code.bind(names)}, ${declared}, ${list}))`
  }

  #each(statement: Extract<CheckedStatement, { kind: 'each' }>): string[] {
    const generator = this.#generator
    const number = this.#blocks++
    const [array, at] = [`e${number}`, `i${number}`]
    const over = generator.temporary()
    const value = generator.boxed(generator.piece(statement.over))
    const elements = `${this.#code.bind(runtime.elementsOf)}(${over}, ${statement.outer})`
    const element = generator.variable(statement.local)
    return [
      `const ${array} = (${over} = ${value}, ${generator.note(statement.over.site)}${elements})`,
      `for (let ${at} = 0; ${at} < ${array}.length; ${at}++) {`,
      `const ${element} = ${this.#code.bind(operators.load)}(${array}[${at}])`,
      ...this.#block(statement.body, statement),
      '}',
    ]
  }

  #push(leaf: Leaf): string[] {
    const generator = this.#generator
    const shape = this.#binding.shapeOf(leaf)
    const lines: string[] = []
    if (leaf.block) {
      generator.field = undefined
      const { maxExpansion } = this.#binding
      const exceeded = `${this.#code.bind(runtime.expansionExceeded)}(${maxExpansion})`
      lines.push(`if (out.length - mark >= ${maxExpansion}) { ${generator.note(leaf.block.site)}${exceeded} }`)
    }
    const cell = (name: string, type: Type): string => {
      const local = leaf.columns.get(name)
      if (local)
        return generator.in(type, { code: generator.variable(local), form: local.form, atom: true, sure: 'no' })
      const input = this.#binding.inputType(name)
      if (!input) return 'null'
      const read = this.#columns.code(name)
      return generator.in(type, { code: read, form: input, atom: true, sure: 'no' })
    }
    const origin = usesRecordVariables(this.#binding.statements)
      ? '(variables === origin.variables ? origin : origin.withVariables(variables))'
      : 'origin'
    lines.push(`out.push(${buildRecord(this.#code, shape, cell, (name) => leaf.columns.has(name), origin)})`)
    return lines
  }
}

/** Code that builds a stamped record of a shape. */
export function buildRecord(
  code: Code,
  shape: Shape,
  cell: (name: string, type: Type) => string,
  isNew: (name: string) => boolean,
  origin: string,
): string {
  const number = `${code.bind(rowOf)}(row)`
  if (shape.columns.length <= widestLiteral) {
    const literal = code.literal(shape.columns.map(({ name, type }) => [name, cell(name, type)] as const))
    return `${code.bind(stamped)}(${literal}, ${code.bind(shape)}, ${origin}, ${number})`
  }
  const replaced = shape.columns.filter(({ name }) => isNew(name))
  const places = new Map(replaced.map(({ name }, index) => [name, index]))
  const values = `[${replaced.map(({ name, type }) => cell(name, type)).join(', ')}]`
  return `${code.bind(runtime.wideRecord)}(row, ${code.bind(shape)}, ${code.bind(places)}, ${values}, ${origin}, ${number})`
}

function usesRecordVariables(statements: readonly CheckedStatement[]): boolean {
  return statements.some((statement) => {
    return (
      (statement.kind === 'write' && statement.namespace === 'record') ||
      (statement.kind === 'each' && usesRecordVariables(statement.body))
    )
  })
}
