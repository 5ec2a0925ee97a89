import type { Type } from '../record/type.ts'
import type { Value } from '../record/value.ts'
import type { UserFunctions } from './user-function.ts'

/** A value known while planning (`$vars`, `$config`) with its declared type. */
export interface Constant {
  readonly type: Type
  readonly value: Value
}

/** A declared `$pipeline`, `$source` or `$record` variable. */
export interface Variable {
  readonly type: Type
  /** What reads see before the first write. Default: null. */
  readonly default?: Value
}

/** The declared scoped variables in reach, by namespace. */
export interface Variables {
  readonly vars?: ReadonlyMap<string, Constant>
  readonly config?: ReadonlyMap<string, Constant>
  readonly pipeline?: ReadonlyMap<string, Variable>
  readonly source?: ReadonlyMap<string, Variable>
  readonly record?: ReadonlyMap<string, Variable>
  /** Names for `$source.<input>.<declared>`. */
  readonly inputs?: Iterable<string>
  /** Variables that this program may write, as `$record.grade`. */
  readonly writable?: ReadonlySet<string>
}

/** Finds the text of a module by its dotted name, `shared.dates`; undefined when there is none. */
export interface ModuleResolver {
  find(name: string): { readonly text: string; readonly file: string } | undefined
}

/** What the names of a program may refer to, and their types. */
export interface Scope {
  /** Fields by name. Absent: every bare name is a field of any type, null where a record lacks it. */
  readonly columns?: ReadonlyMap<string, Type>
  /** Inputs of a combine: `orders.amount`. Their records are given to `evaluate` by name. */
  readonly qualifiers?: ReadonlyMap<string, ReadonlyMap<string, Type>>
  readonly variables?: Variables
  /** Whether `$meta.*` can be read (behind a Reshape). Default true. */
  readonly meta?: boolean
  /** Types of `$doc.<section>.<field>`. Absent: any section and field may be named, of any type. `false`: `$doc` is refused. */
  readonly doc?: ReadonlyMap<string, ReadonlyMap<string, Type>> | false
  readonly modules?: ModuleResolver
  /** Functions of the user's, which {@link userFunctions} has checked. */
  readonly functions?: UserFunctions
  /**
   * What becomes of `$window` calls, which need the rows of a partition: refused while planning (default), or checked and left to
   * fail when they are evaluated.
   */
  readonly window?: 'refused' | 'fails'
  /** How the messages call the records the fields are of: `"plans"`. */
  readonly source?: string
}
