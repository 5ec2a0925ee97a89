/**
 * What a builtin method is: one entry with its signature, its documentation, examples that run as tests, and its code. The
 * checker, both back ends, the suggestions and the reference page read nothing else.
 *
 * A signature is text: `(width: int, fill?: string) -> string`.
 * - Types are those of columns; `a|b` allows either. `numeric` takes int, float and decimal. Besides: `pattern` is a string
 *   holding a regular expression, `text` a string for the checker and any value at run time, `closure` an `it => …`.
 * - `name?:` may be left out, `...name:` may be repeated (once at least), `type?` takes null as if it were left out. A null for
 *   any other parameter makes the result null; `any` and `text` take nulls as they are.
 * - `-> type?` may be null although nothing given to it was. A result `numeric` has the type of receiver and arguments
 *   where they agree.
 */
import { Decimal } from '../../record/decimal.ts'
import { boxFloat, Float } from '../../record/float.ts'
import { kindOf } from '../../record/kind.ts'
import { Type, type TypeName } from '../../record/type.ts'
import type { Value } from '../../record/value.ts'
import { Failure } from '../failure.ts'

/** An int as code gets it. */
export type Int = number | bigint

/** A closure argument, compiled: gets the element, in the form untyped values have. */
export type Closure = (it: Value) => Value

/** A type a signature can name. */
export type TypeWord = TypeName | 'pattern' | 'text' | 'closure'

/** What a method that does more than compute is given: it comes before the receiver. */
export interface BuiltinContext {
  log(level: 'trace' | 'debug' | 'info' | 'warn' | 'error', message: string): void
}

/** The code of an entry; the entry's signature says what it takes. */
export type BuiltinCode = (...given: any[]) => Value

/** An entry as the tables write it. */
export interface BuiltinEntry {
  readonly signature: string
  /** One or two sentences, nulls and errors included. */
  readonly doc: string
  /** Program → result, for the record of all examples. A date or a decimal stands here as its text, a text that begins with `error: ` is an evaluation error. */
  readonly examples: Readonly<Record<string, unknown>>
  /**
   * The code. Gets a receiver and arguments of the kinds the signature names, never null unless the entry says so; a float
   * parameter or receiver is a plain number, as is a float result; `numeric` and `any` values have the form of untyped ones.
   */
  readonly run: BuiltinCode
  /** Null is a receiver like any other. Default: a null receiver gives null and the code is not called. */
  readonly seesNull?: true
  /** The code gets a {@link BuiltinContext} before the receiver. */
  readonly needsContext?: true
  /**
   * Faster code for a receiver of exactly this type, in its plain form; all `numeric` arguments have that type too, and so has the
   * result where the signature says `numeric` or `any`.
   */
  readonly typed?: Readonly<Partial<Record<TypeName, BuiltinCode>>>
}

export interface Parameter {
  readonly name: string
  readonly types: readonly TypeWord[]
  /** May be left out. */
  readonly optional: boolean
  /** May be repeated; the last one only. */
  readonly rest: boolean
  /** Takes null, as if it were left out. */
  readonly nullable: boolean
}

export interface Signature {
  readonly parameters: readonly Parameter[]
  readonly result: Type
}

/** A method for the receivers of one table: {@link BuiltinEntry} with its signature read. */
export class Builtin {
  readonly name: string
  /** Types of receiver, `['any']` for all; none for a free function. */
  readonly receivers: readonly TypeName[]
  readonly entry: BuiltinEntry
  readonly parameters: readonly Parameter[]
  /** The result's type as declared; {@link resultOf} gives that of a call. */
  readonly result: Type
  /** Fewest arguments a call may have. */
  readonly least: number
  /** Most arguments a call may have. */
  readonly most: number
  /**
   * The code behind a check of kinds: takes untyped values and gives null for what does not fit. `(receiver, ...arguments)`, with a
   * context in front where the entry needs one. An argument left out is left out or undefined.
   */
  readonly call: BuiltinCode
  /** Whether an untyped value, not null, is of one of the {@link receivers}. */
  readonly hasReceiver: (value: Value) => boolean

  constructor(name: string, receivers: readonly TypeName[], entry: BuiltinEntry) {
    const { parameters, result } = parseSignature(entry.signature)
    this.name = name
    this.receivers = receivers
    this.entry = entry
    this.parameters = parameters
    this.result = result
    this.least = parameters.filter((parameter) => !parameter.optional).length
    this.most = parameters.some((parameter) => parameter.rest) ? Number.POSITIVE_INFINITY : parameters.length
    this.hasReceiver = kindTest(receivers)
    this.call = checkedCode(this)
  }

  /** The parameter that takes the argument at `index` (from 0). */
  parameterAt(index: number): Parameter | undefined {
    return this.parameters[index] ?? (this.parameters.at(-1)?.rest ? this.parameters.at(-1) : undefined)
  }

  /** Whether a receiver of this static type is allowed; null and any are, everywhere. */
  takesReceiver(type: Type): boolean {
    return isOpen(type) || this.receivers.some((word) => accepts(word, type))
  }

  /**
   * Whether an argument of this static type (or a closure) is allowed at `index`. A value where a closure belongs passes and fails when it is
   * evaluated; not so a text or a value of unknown type, which may be meant for another method of that name.
   */
  takesArgument(index: number, type: Type | 'closure'): boolean {
    const types = this.parameterAt(index)?.types
    if (!types) return false
    if (type === 'closure') return types.includes('closure')
    if (types.includes('closure')) return !isOpen(type) && type.name !== 'string'
    return isOpen(type) || types.some((word) => accepts(word, type))
  }

  /**
   * Code for a call whose static types are known: no kinds are checked, floats are plain numbers. The caller keeps null receivers
   * away (unless the entry sees them). Undefined: these types need {@link call}.
   */
  direct(receiver: Type, given: readonly (Type | 'closure')[]): BuiltinCode | undefined {
    const typed = this.entry.typed?.[receiver.name]
    const fits = given.every((type, index) => {
      const parameter = this.parameterAt(index)
      if (!parameter) return false
      if (type === 'closure' || parameter.types.includes('any')) return true
      if (parameter.types.includes('text')) return type.name === 'string'
      if (type.nullable) return false
      if (parameter.types.includes('numeric')) return typed !== undefined && type.name === receiver.name
      return parameter.types.some((word) => nameOf(word) === type.name)
    })
    if (!fits) return undefined
    if (typed) return typed
    const numeric = this.parameters.some((parameter) => parameter.types.includes('numeric'))
    if (numeric) return undefined
    // Only a table of floats takes them unboxed; all other types have one form.
    const { receivers } = this
    const taken =
      receiver.name === 'float'
        ? receivers.length === 1 && receivers[0] === 'float'
        : receivers.includes(receiver.name) || receivers.includes('any')
    return taken ? this.entry.run : undefined
  }
}

/** Entries of one receiver (`'string'`, `'date|date_time'`, `'any'`, `''` for free functions) as builtins. */
export function builtinsOf(receiver: string, entries: Readonly<Record<string, BuiltinEntry>>): Builtin[] {
  const receivers = receiver === '' ? [] : (receiver.split('|') as TypeName[])
  return Object.entries(entries).map(([name, entry]) => new Builtin(name, receivers, entry))
}

/** Static type of a call that was accepted: of the overloads that fit, with null where a null or a wrong kind can come of it. */
export function resultOf(overloads: readonly Builtin[], receiver: Type, given: readonly (Type | 'closure')[]): Type {
  let result: Type | undefined
  for (const builtin of overloads) {
    if (!builtin.takesReceiver(receiver)) continue
    const own = resultOfOne(builtin, receiver, given)
    result = result ? joined(result, own) : own
  }
  return result ?? Type.of('any')
}

/** Code for a receiver of unknown type: the overload its kind calls for; null when there is none. */
export function dispatched(overloads: readonly Builtin[]): BuiltinCode {
  const [first] = overloads
  if (first && overloads.length === 1) return first.call
  // No method that exists for several receivers takes more than one argument.
  return (receiver, argument) => {
    for (const builtin of overloads) if (builtin.hasReceiver(receiver)) return builtin.call(receiver, argument)
    return null
  }
}

/** Reads a signature. The tables are ours: a malformed one is a defect and throws. */
export function parseSignature(text: string): Signature {
  const match = /^\((.*)\) -> (\w+)(\??)$/.exec(text)
  if (!match) throw new Error(`malformed signature: ${text}`)
  const [, inside = '', result = '', nullable] = match
  const parameters = inside === '' ? [] : inside.split(', ').map(parseParameter)
  return { parameters, result: Type.of(typeWord(result) as TypeName, nullable === '?') }
}

function parseParameter(text: string): Parameter {
  const match = /^(\.\.\.)?(\w+)(\?)?: ([\w|]+)(\?)?$/.exec(text)
  if (!match) throw new Error(`malformed parameter: ${text}`)
  const [, rest, name = '', optional, types = '', nullable] = match
  return {
    name,
    types: types.split('|').map(typeWord),
    optional: optional !== undefined,
    rest: rest !== undefined,
    nullable: nullable !== undefined || optional !== undefined,
  }
}

const typeWords = new Set<string>(
  'null bool int float decimal string date date_time array map numeric any pattern text closure'.split(' '),
)

function typeWord(text: string): TypeWord {
  if (!typeWords.has(text)) throw new Error(`unknown type in a signature: ${text}`)
  return text as TypeWord
}

/** Null and any fit everywhere; what they hold is known at run time. */
function isOpen(type: Type): boolean {
  return type.name === 'any' || type.name === 'null'
}

function nameOf(word: TypeWord): TypeWord {
  return word === 'pattern' || word === 'text' ? 'string' : word
}

/** Whether a static type passes where `word` is asked for: floats pass as ints (and are truncated), decimals as numeric. */
function accepts(word: TypeWord, { name }: Type): boolean {
  switch (word) {
    case 'any':
      return true
    case 'numeric':
      return name === 'int' || name === 'float' || name === 'decimal' || name === 'numeric'
    case 'int':
      return name === 'int' || name === 'float' || name === 'numeric'
    case 'float':
      return name === 'float' || name === 'numeric'
    default:
      return nameOf(word) === name
  }
}

function resultOfOne(builtin: Builtin, receiver: Type, given: readonly (Type | 'closure')[]): Type {
  const { result, entry } = builtin
  let nullable = result.nullable
  if (!entry.seesNull) nullable ||= receiver.nullable
  // Where the kind is not known it may be a wrong one, which gives null.
  if (receiver.name === 'any' && !builtin.receivers.includes('any')) nullable = true
  const numeric: Type[] = [receiver]
  given.forEach((type, index) => {
    const parameter = builtin.parameterAt(index)
    if (type === 'closure' || !parameter) return
    if (parameter.types.includes('numeric')) numeric.push(type)
    if (parameter.types.includes('any') || parameter.types.includes('text')) return
    if (isOpen(type) || (type.nullable && !parameter.nullable)) nullable = true
  })
  const type = result.name === 'numeric' ? numeric.map((one) => one.notNull).reduce(joined) : result
  return nullable ? type.orNull : type
}

/** The type of a value that has one of two types, as it is represented: ints and floats join to numeric, others to any. */
function joined(a: Type, b: Type): Type {
  const nullable = a.nullable || b.nullable
  if (a.name === b.name) return Type.of(a.name, nullable)
  const isNumber = (type: Type): boolean => type.name === 'int' || type.name === 'float' || type.name === 'numeric'
  return Type.of(isNumber(a) && isNumber(b) ? 'numeric' : 'any', nullable)
}

/** Tests whether an untyped value has one of the kinds a receiver or parameter asks for. */
function kindTest(words: readonly TypeWord[]): (value: unknown) => boolean {
  const [word] = words
  if (words.length !== 1) {
    const tests = words.map((one) => kindTest([one]))
    return (value) => tests.some((test) => test(value))
  }
  switch (word) {
    case 'any':
    case 'text':
      return () => true
    case 'string':
    case 'pattern':
      return (value) => typeof value === 'string'
    case 'array':
      return Array.isArray
    case 'numeric':
      return (value) =>
        typeof value === 'number' || typeof value === 'bigint' || value instanceof Float || value instanceof Decimal
    default:
      return (value) => kindOf(value as Value) === word
  }
}

/** Marks an argument of a wrong kind; no value equals it. */
const wrong = Symbol('wrong kind')

type Taken = Value | undefined | Closure | typeof wrong

/** Puts the checks a signature asks for before the code of an entry. */
function checkedCode(builtin: Builtin): BuiltinCode {
  const { entry, parameters, receivers } = builtin
  const { run, seesNull, needsContext } = entry
  if (receivers.length === 0) return run
  const takeAll = argumentTaker(builtin)
  const unbox = receivers.length === 1 && receivers[0] === 'float'
  const box = builtin.result.name === 'float'
  const takers = parameters.map((parameter) => taker(builtin.name, parameter))
  const refuses = (receiver: Value): boolean =>
    receiver === null || receiver === undefined ? !seesNull : !builtin.hasReceiver(receiver)

  const finish = (receiver: Value, argument?: Taken): Value => {
    const result = run(unbox ? Number(receiver) : (receiver ?? null), argument)
    return box && result !== null ? boxFloat(result as number) : result
  }

  // The common cases without a list of arguments, which would cost as much as most methods do.
  if (!needsContext && parameters.length === 0) {
    return (receiver) => (refuses(receiver) ? null : finish(receiver))
  }
  if (!needsContext && parameters.length === 1 && parameters[0]?.rest === false) {
    const [take] = takers as [(value: Value | undefined) => Taken]
    return (receiver, argument) => {
      if (refuses(receiver)) return null
      const taken = take(argument)
      return taken === wrong ? null : finish(receiver, taken)
    }
  }
  if (!needsContext && parameters.length === 2 && parameters[1]?.rest === false) {
    const [takeFirst, takeSecond] = takers as [(value: Value | undefined) => Taken, (value: Value | undefined) => Taken]
    return (receiver, first, second) => {
      if (refuses(receiver)) return null
      const one = takeFirst(first)
      const two = takeSecond(second)
      if (one === wrong || two === wrong) return null
      const result = run(unbox ? Number(receiver) : (receiver ?? null), one, two)
      return box && result !== null ? boxFloat(result as number) : result
    }
  }
  const call = (context: readonly BuiltinContext[], receiver: Value, given: readonly Value[]): Value => {
    if (refuses(receiver)) return null
    const taken = takeAll(given)
    if (!taken) return null
    const result = run(...context, unbox ? Number(receiver) : (receiver ?? null), ...taken)
    return box && result !== null ? boxFloat(result as number) : result
  }
  return needsContext
    ? (context, receiver, ...given) => call([context], receiver, given)
    : (receiver, ...given) => call([], receiver, given)
}

/** Makes of untyped arguments what the code takes; undefined where one of them makes the result null. */
export function argumentTaker({
  name,
  parameters,
}: Pick<Builtin, 'name' | 'parameters'>): (given: readonly Value[]) => (Value | undefined | Closure)[] | undefined {
  const takers = parameters.map((parameter) => taker(name, parameter))
  return (given) => {
    const taken: (Value | undefined | Closure)[] = []
    for (let index = 0; index < given.length; index++) {
      const take = (takers[index] ?? takers.at(-1)) as (value: Value | undefined) => Taken
      const value = take(given[index])
      if (value === wrong) return undefined
      taken.push(value as Value)
    }
    return taken
  }
}

/** How an untyped argument becomes what the code takes: {@link wrong} where the result is to be null. */
function taker(method: string, parameter: Parameter): (value: Value | undefined) => Taken {
  const { types, nullable, optional } = parameter
  if (types.includes('any') || types.includes('text')) {
    return (value) => (value === undefined && !optional ? null : value)
  }
  if (types.includes('closure')) {
    return (value) => {
      if (typeof value === 'function') return value
      throw new Failure(`${method} takes a closure, it => …`)
    }
  }
  const absent = nullable ? undefined : wrong
  if (types.length === 1 && types[0] === 'int') {
    return (value) => (value === null || value === undefined ? absent : takenInt(value))
  }
  if (types.length === 1 && types[0] === 'float') {
    return (value) => (value === null || value === undefined ? absent : takenFloat(value))
  }
  const fits = kindTest(types)
  return (value) => (value === null || value === undefined ? absent : fits(value) ? value : wrong)
}

/** A float, or an int as one. */
function takenFloat(value: Value): number | typeof wrong {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' || value instanceof Float ? Number(value) : wrong
}

/** An int, or a float truncated to one; NaN counts as 0, what lies beyond 64 bits as the nearest int. */
function takenInt(value: Value): number | bigint | typeof wrong {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return value
  if (typeof value !== 'number' && !(value instanceof Float)) return wrong
  const whole = Math.trunc(Number(value))
  if (Number.isNaN(whole)) return 0
  if (Number.isSafeInteger(whole)) return whole + 0
  return whole < 0 ? -(2n ** 63n) : 2n ** 63n - 1n
}
