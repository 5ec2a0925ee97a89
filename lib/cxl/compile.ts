/** The language on plain objects, for people's own code: what the streams use is underneath. */
import { ClinkerError, type ErrorDetails, preview, suggestion } from '../diagnostics/index.ts'
import type { CivilDateTime } from '../record/civil.ts'
import { Float } from '../record/float.ts'
import { fromForeign } from '../record/foreign.ts'
import { kindOf } from '../record/kind.ts'
import { unknownOrigin } from '../record/origin.ts'
import { type Column, setColumn, type Shape, ShapeTable, shapeOfKeys } from '../record/shape.ts'
import { shapeOf } from '../record/stamp.ts'
import { Type, type TypeName } from '../record/type.ts'
import type { Row, Value } from '../record/value.ts'
import { convertForeign } from './convert.ts'
import { bareEnvironment, type Environment, type LogLevel } from './environment.ts'
import { compileExpression } from './expression.ts'
import { box, unbox } from './operators.ts'
import { compileTransform, type RowFunction } from './program.ts'
import type { Constant, ModuleResolver, Scope } from './scope.ts'
import { type UserFunction, userFunctions } from './user-function.ts'

/** A type as schemas write it: `int`, `nullable(decimal)`. */
export type WrittenType = SimpleType | `nullable(${SimpleType})`
type SimpleType = Exclude<TypeName, 'null' | 'numeric'>

/** A column with its type. */
export interface TypedColumn {
  readonly name: string
  readonly type: WrittenType | (string & {})
}

/** What the names of a program may mean, and how it runs. */
export interface ProgramOptions {
  /**
   * The fields of the records: names with types, or a list of `{ name, type }`. A field that a record has besides passes through, out
   * of the program's sight. Default: any field of any type may be named, and is null where a record lacks it.
   */
  columns?: Readonly<Record<string, WrittenType>> | readonly TypedColumn[]
  /** Values of `$vars.name`: a value, or `{ type, default }` as in a pipeline. */
  vars?: Readonly<Record<string, unknown>>
  /** Functions of yours, by the name that programs call. */
  functions?: Readonly<Record<string, UserFunction>>
  /** Texts of modules for `use a.b`, by dotted name, or what finds them. */
  modules?: Readonly<Record<string, string>> | ((name: string) => string | undefined)
  /** What runs the program. Default: generated code, and closures where this process allows no code generation. */
  backend?: 'generated' | 'closures'
  /** Name of the file the text is from, for messages. */
  file?: string
  /** What `now` gives. Default: the clock. */
  now?: () => Date | CivilDateTime
  /** Takes what `trace` and `debug` say. Default: nobody does. */
  log?: (level: LogLevel, message: string) => void
  /** What records hold behind the program: their fields and what was emitted (default), or the latter alone. */
  keep?: 'all' | 'emitted'
  /** Records that `emit each` may make of one; one more is an error. Default: 10000. */
  max_expansion?: number
}

/** A compiled program. */
export interface Program<In extends object = object, Out extends object = Row> {
  /**
   * The records that one record becomes, new objects: none where a `filter` or a `distinct` drops it, several by `emit each`. A
   * `distinct` remembers what it saw in earlier calls. Throws an EvaluationError. May be passed on as it is:
   * `records.flatMap(program.run)`.
   */
  readonly run: (record: In) => Out[]
  /** Columns of those records in order, with their types; without `columns` only the emitted ones are known. */
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** Fields that the program reads, in order of first use. */
  readonly reads: readonly string[]
  /** What is suspicious, but allowed. */
  readonly warnings: readonly ErrorDetails[]
}

/** A compiled expression, which is a function of a record. */
export interface Formula<In extends object = object> {
  /** The value for a record. Throws an EvaluationError. */
  (record: In): Value
  /** Type of the value: `int`, `nullable(string)`. */
  readonly type: string
  /** Fields that the expression reads, in order of first use. */
  readonly reads: readonly string[]
}

/**
 * Compiles a program to run on plain objects. A program at fault throws a ProgramError with line, column and a cure, or ClinkerErrors
 * when there are several; `error.format()` is the whole text with the marked line.
 *
 * A column declared `decimal` takes a text, a number or a `Decimal`; `date` and `date_time` take an ISO text, a `Date` or a class of
 * this package. A field that does not convert throws a ClinkerError (E126). In open programs whole floats come out as plain numbers.
 * @example
 * const program = compile('emit total = price * qty', { columns: { price: 'decimal', qty: 'int' } })
 * program.run({ price: '19.90', qty: 3 })   // [{ price: Decimal 19.90, qty: 3, total: Decimal 59.70 }]
 * program.columns                           // … { name: 'total', type: 'decimal' }
 */
export function compile<In extends object = object, Out extends object = Row>(
  text: string,
  options: ProgramOptions = {},
): Program<In, Out> {
  const setup = new Setup(text, options, 'compile')
  const { keep = 'all', max_expansion } = options
  const program = compileTransform(text, setup.scope, { ...setup.compile, keep })
  const limits = max_expansion === undefined ? {} : { max_expansion }
  const functions = new Map<Shape, RowFunction>()
  const functionFor = (shape: Shape): RowFunction => {
    let found = functions.get(shape)
    if (!found) functions.set(shape, (found = program.bind(shape, setup.shapes, limits)))
    return found
  }
  return {
    run: (record) => {
      const { row, shape } = setup.take(record)
      const out: Row[] = []
      functionFor(shape)(row, setup.environment, out)
      for (const made of out) unboxFloats(made)
      return out as unknown[] as Out[]
    },
    columns: program.output.map(({ name, type }) => ({ name, type: `${type}` })),
    reads: program.columns,
    warnings: program.warnings,
  }
}

/**
 * Compiles one expression into a function of a record. Faults and conversions are those of {@link compile}.
 * @example
 * const net = formula('(amount / 1.19).round(2)', { columns: { amount: 'float' } })
 * net({ amount: 119 })   // 100
 * net.type               // 'float'
 */
export function formula<In extends object = object>(text: string, options: ProgramOptions = {}): Formula<In> {
  const setup = new Setup(text, options, 'formula')
  const expression = compileExpression(text, setup.scope, setup.compile)
  const value = (record: In): Value => {
    const { row } = setup.take(record)
    return unbox(expression.evaluate(row, setup.environment))
  }
  return Object.assign(value, { type: `${expression.type}`, reads: expression.columns })
}

/**
 * The value of one expression, compiled for this one call.
 * @example evaluate('a + 1', { a: 1 })   // 2
 */
export function evaluate(text: string, record: object = {}, options: ProgramOptions = {}): Value {
  return formula(text, options)(record)
}

/** What the options come to: names and types for the compiler, records for what it makes. */
class Setup {
  readonly scope: Scope
  readonly environment: Environment
  readonly compile: Pick<ProgramOptions, 'backend' | 'file'>
  readonly shapes: ShapeTable = new ShapeTable()
  /** Takes a plain object, which stays as it is. */
  readonly take: (record: object) => { row: Row; shape: Shape }

  constructor(text: string, options: ProgramOptions, subject: string) {
    if (typeof text !== 'string') throw fault(`${subject} takes a text, got ${preview(text)}`)
    for (const key of Object.keys(options)) {
      if (!optionNames.includes(key)) {
        throw fault(`${subject}: unknown option \`${key}\``, suggestion(key, optionNames, 'known options'))
      }
    }
    const { columns, functions, modules, now, log, backend, file } = options
    const declared = columns && declaredColumns(columns)
    this.scope = {
      ...(declared && { columns: new Map(declared.map(({ name, type }) => [name, type])) }),
      variables: { vars: constants(options.vars ?? {}) },
      ...(functions && { functions: userFunctions(functions) }),
      ...(modules && { modules: moduleResolver(modules) }),
    }
    const bare = bareEnvironment()
    this.environment = {
      ...bare,
      ...(now && { now: () => fromForeign(now()) as CivilDateTime }),
      ...(log && { log: (level, message) => log(level, message) }),
    }
    this.compile = { ...(backend && { backend }), ...(file !== undefined && { file }) }
    this.take = declared ? typedTaker(declared, this.shapes) : openTaker(this.shapes)
  }
}

const optionNames = [
  'columns',
  'vars',
  'functions',
  'modules',
  'backend',
  'file',
  'now',
  'log',
  'keep',
  'max_expansion',
] satisfies (keyof ProgramOptions)[] as string[]

/** Records of declared columns: each field becomes a value of its type; other fields are carried. */
function typedTaker(columns: readonly Column[], shapes: ShapeTable): Setup['take'] {
  const declared = new Set(columns.map(({ name }) => name))
  let others: readonly string[] = []
  let shape = shapes.of(columns)
  return (given) => {
    const record = checkedRecord(given)
    const more = Object.keys(record).filter((key) => !declared.has(key))
    if (more.length !== others.length || more.some((name, index) => name !== others[index])) {
      others = more
      shape = shapes.of([...columns, ...more.map((name) => ({ name, type: Type.of('any') }))], columns.length)
    }
    const values = columns.map(({ name, type }) => field(record, name, type))
    for (const name of more) values.push(fromForeign(record[name]))
    return { row: shape.make(values, unknownOrigin, 0), shape }
  }
}

function field(record: Row, name: string, type: Type): Value {
  const given = Object.hasOwn(record, name) ? record[name] : undefined
  const value = convertForeign(type.name === 'any' ? boxed(record, name) : given, type)
  if (value !== undefined && (value !== null || type.nullable)) return value
  const help = value === null ? { help: `declare it nullable(${type}) if it may be missing` } : {}
  throw new ClinkerError('E126', {
    message: `column ${preview(name)}: declared ${type}, got ${preview(given)}`,
    expected: `${type}`,
    actual: given,
    ...help,
  })
}

/** Records of which nothing is known. */
function openTaker(shapes: ShapeTable): Setup['take'] {
  let last: Shape | undefined
  return (given) => {
    let record = checkedRecord(given)
    if (!last?.fits(record)) last = shapeOfKeys(Object.keys(record), shapes)
    // In a record of ours a column of floats holds plain numbers, which would look like ints.
    if (shapeOf(record)?.columns.some(({ type }) => type.name === 'float')) {
      const copy: Row = {}
      for (const name of Object.keys(record)) setColumn(copy, name, boxed(record, name))
      record = copy
    }
    return { row: record, shape: last }
  }
}

/** A field in the form of untyped values. */
function boxed(record: Row, name: string): Value {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  const shape = shapeOf(record)
  const isFloat = shape?.columns[shape.indexOf(name)]?.type.name === 'float'
  return isFloat ? box(value as Value) : (value as Value)
}

function checkedRecord(given: object): Row {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw fault(`a record must be an object, got ${preview(given)}`)
  }
  return given as Row
}

/** Gives the whole floats of a record that nobody has seen yet as plain numbers. */
function unboxFloats(record: Row): void {
  for (const name in record) {
    const value = record[name]
    if (value instanceof Float) record[name] = value.value
  }
}

function declaredColumns(given: NonNullable<ProgramOptions['columns']>): Column[] {
  const list = Array.isArray(given)
    ? (given as readonly TypedColumn[])
    : Object.entries(given).map(([name, type]) => ({ name, type: type as string }))
  return list.map(({ name, type }) => ({ name, type: writtenType(type, `columns.${name}`) }))
}

/** Names that a declared type may have. */
const typeNames: readonly string[] = [
  'bool',
  'int',
  'float',
  'decimal',
  'string',
  'date',
  'date_time',
  'array',
  'map',
  'any',
] satisfies SimpleType[]

function writtenType(written: unknown, subject: string): Type {
  const [, wrapped, bare] = /^(nullable\()?(.*?)\)?$/s.exec(typeof written === 'string' ? written : '') ?? []
  const isKnown = written === bare || written === `nullable(${bare})`
  // Numeric is what expressions over ints and floats are: no declaration, but a column of a program may be of it.
  if (isKnown && bare !== undefined && (typeNames.includes(bare) || bare === 'numeric')) {
    return Type.of(bare as TypeName, wrapped !== undefined)
  }
  throw fault(
    `${subject} has the unknown type ${preview(written)}`,
    suggestion(bare ?? '', [...typeNames, 'nullable(type)'], 'known types'),
  )
}

function constants(given: Readonly<Record<string, unknown>>): Map<string, Constant> {
  return new Map(Object.entries(given).map(([name, value]) => [name, constant(value, `vars.${name}`)]))
}

function constant(given: unknown, subject: string): Constant {
  const { type: written, default: initial } = (given ?? {}) as { type?: unknown; default?: unknown }
  const declared = typeof written === 'string' ? writtenType(written, `${subject}.type`) : undefined
  const value = declared ? convertForeign(initial, declared) : convertForeign(given, Type.of('any'))
  if (value === undefined) {
    throw fault(`${subject} must be ${declared ?? 'a value or { type, default }'}, got ${preview(initial ?? given)}`)
  }
  return {
    type: declared ? Type.of(declared.name, declared.nullable || value === null) : Type.of(kindOf(value)),
    value,
  }
}

function moduleResolver(modules: NonNullable<ProgramOptions['modules']>): ModuleResolver {
  const textOf = (name: string): string | undefined => {
    if (typeof modules === 'function') return modules(name)
    return Object.hasOwn(modules, name) ? modules[name] : undefined
  }
  return {
    find: (name) => {
      const text = textOf(name)
      return text === undefined ? undefined : { text, file: `${name.replaceAll('.', '/')}.cxl` }
    },
  }
}

function fault(message: string, help?: string): ClinkerError {
  return new ClinkerError('E000', { message, ...(help === undefined ? {} : { help }) })
}
