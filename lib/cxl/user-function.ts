import { ClinkerError, preview } from '../diagnostics/index.ts'
import { kindOf } from '../record/kind.ts'
import type { Type } from '../record/type.ts'
import type { Value } from '../record/value.ts'
import { argumentTaker, Builtin, type BuiltinCode } from './builtins/builtin.ts'
import { functions } from './builtins/index.ts'
import { convertForeign } from './convert.ts'
import { Failure } from './failure.ts'
import { isReserved } from './token.ts'
import { aggregateFunctions } from './window.ts'

/**
 * A function that programs call by its name, `geo_hash(lat, lon)`. Its calls are checked as those of builtins are.
 * @example
 * const functions = {
 *   geo_hash: { signature: '(lat: float, lon: float) -> string', run: (lat: number, lon: number) => encode(lat, lon) },
 * }
 */
export interface UserFunction {
  /**
   * Parameters and result with their types: `(amount: decimal, country?: string) -> string`. `name?:` may be left out, `...name:` may
   * be repeated, a type with `?` takes null (or, of the result, may be null). A null for any other parameter makes the result null
   * without a call.
   */
  signature: string
  /**
   * The code. Gets texts, numbers, booleans, arrays and objects as JavaScript has them; decimals, dates and date-times as the classes of
   * this package; an int beyond 2^53 as a BigInt; a whole float of a parameter that is `any` or `numeric` as a `Float`. What it
   * throws is an evaluation error of the record. It must not be async, nor change what it is given.
   */
  run(...values: Value[]): unknown
}

/** Functions by name, checked. */
export type UserFunctions = ReadonlyMap<string, CheckedFunction>

/** A function of the user's, described as builtins are. */
class CheckedFunction extends Builtin {
  /** The code behind its checks: takes untyped values; a float that it gives is a plain number. */
  readonly guarded: BuiltinCode

  constructor(name: string, { signature, run }: UserFunction) {
    super(name, [], { signature: spaced(signature), doc: '', examples: {}, run: run as BuiltinCode })
    if (this.parameters.some(({ types }) => types.includes('closure'))) throw new Error('a function takes no closure')
    const take = argumentTaker(this)
    const { result } = this
    this.guarded = (...values: Value[]): Value => {
      const taken = take(values)
      return taken ? checkedResult(name, result, called(name, run, taken as Value[])) : null
    }
  }

  /** An int is taken where a float is asked for. */
  override takesArgument(index: number, type: Type | 'closure'): boolean {
    if (super.takesArgument(index, type)) return true
    return type !== 'closure' && type.name === 'int' && this.parameterAt(index)?.types.includes('float') === true
  }

  /** The type of a call with arguments of these types: nullable where a null or a wrong kind can come in. */
  resultFor(given: readonly Type[]): Type {
    const open = given.some((type, index) => {
      const parameter = this.parameterAt(index)
      if (!parameter || parameter.types.includes('any')) return false
      return type.name === 'any' || (type.nullable && !parameter.nullable)
    })
    return open ? this.result.orNull : this.result
  }
}

/**
 * Checks functions by name, as the option `functions` gives them. `subject` is what messages call that option. Throws the first
 * fault.
 */
export function userFunctions(given: unknown, subject = 'functions'): UserFunctions {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ClinkerError('E000', {
      message: `${subject} must be a map from names to { signature, run }, got ${described(given)}`,
      actual: given,
    })
  }
  const checked = new Map<string, CheckedFunction>()
  for (const [name, entry] of Object.entries(given)) checked.set(name, callable(name, entry, `${subject}.${name}`))
  return checked
}

function callable(name: string, entry: unknown, subject: string): CheckedFunction {
  const refuse = (message: string, help?: string): never => {
    throw new ClinkerError('E000', { message, actual: entry, ...(help === undefined ? {} : { help }) })
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) refuse(`${subject}: a name has letters, digits and _ only`)
  if (isReserved(name) || functions.has(name) || aggregateFunctions.has(name)) {
    refuse(`${subject}: \`${name}\` means something else in the language`, 'give it another name')
  }
  const { signature, run } = (entry ?? {}) as Partial<UserFunction>
  if (typeof signature !== 'string' || typeof run !== 'function') {
    refuse(
      `${subject} must be { signature, run }, got ${described(entry)}`,
      `write { signature: '(amount: decimal) -> string', run: (amount) => … }`,
    )
  }
  try {
    return new CheckedFunction(name, entry as UserFunction)
  } catch (error) {
    return refuse(
      `${subject}: ${(error as Error).message}`,
      "a signature is written as '(lat: float, note?: string) -> string'",
    )
  }
}

/** The signature with the spaces that the tables have. */
function spaced(signature: string): string {
  return signature
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/ ?([:,]) ?/g, '$1 ')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
    .replace(/ ?-> ?/g, ' -> ')
}

function called(name: string, run: UserFunction['run'], values: Value[]): unknown {
  try {
    return run(...values)
  } catch (error) {
    throw new Failure(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function checkedResult(name: string, type: Type, given: unknown): Value {
  const value = convertForeign(given, type)
  if (value !== undefined && (value !== null || type.nullable)) return value
  const help = value === null ? `write '-> ${type}?' in its signature if it may give null` : undefined
  throw new Failure(`${name} must give ${type.notNull}, got ${described(given)}`, help === undefined ? {} : { help })
}

/** A value of any kind as messages show it. */
function described(given: unknown): string {
  if (given === null || given === undefined) return given === null ? 'null' : 'nothing'
  if (typeof given === 'function') return 'a function'
  if (typeof given === 'symbol') return 'a symbol'
  if (typeof given !== 'object') return `${kindOf(given as Value)} ${preview(given, shownBytes)}`
  const { constructor } = given
  if (constructor && constructor !== Object && !Array.isArray(given)) {
    return `${/^[AEIOU]/.test(constructor.name) ? 'an' : 'a'} ${constructor.name}`
  }
  return preview(given, shownBytes)
}

const shownBytes = 80
