import type { ErrorDetails } from '../diagnostics/error.ts'
import { canGenerate } from '../record/generate.ts'
import type { Key } from '../record/key.ts'
import type { Column, Shape, ShapeTable } from '../record/shape.ts'
import type { Type } from '../record/type.ts'
import type { Row } from '../record/value.ts'
import type { CheckedProgram, CheckedStatement, Local } from './checked.ts'
import { Checker } from './checker.ts'
import { closureProgram } from './closures.ts'
import type { Environment } from './environment.ts'
import { generateProgram } from './generator.ts'
import { emittedNames, emittedShape, type Leaf, leavesOf, outputColumns, outputShape } from './layout.ts'
import type { Outcome } from './outcome.ts'
import { parseProgram } from './parser.ts'
import { placeIn, type Problem, refuse, type SourceText } from './problem.ts'
import type { Inputs } from './runtime.ts'
import type { Scope } from './scope.ts'

export interface CompileOptions {
  /** What runs the program. Default: generated code where this process allows it. */
  readonly backend?: 'generated' | 'closures'
  /** Name of the file the text stands in, for messages. */
  readonly file?: string
  /** The column an expression is computed for, for messages. */
  readonly field?: string
}

export interface TransformOptions extends CompileOptions {
  /** What records hold behind the program: the input and what was emitted (default), or the latter alone. */
  readonly keep?: 'all' | 'emitted'
}

export interface BindOptions {
  /** Most records that `emit each` may make of one. Default 10 000. */
  readonly max_expansion?: number
}

/**
 * Runs a program for one record and pushes its 0 to n results, stamped with the record's origin and row number. `inputs` are the
 * records behind the qualifiers of the scope. Throws an EvaluationError, and pushes nothing then.
 */
export type RowFunction = (row: Row, environment: Environment, out: Row[], inputs?: Inputs) => Outcome

/** A checked transform. */
export interface TransformProgram {
  /** Declared columns behind the transform: those of the input in order, with replaced types, then new ones by first emit. */
  readonly output: readonly Column[]
  /** Names of the emitted columns, by first emit. */
  readonly emitted: readonly string[]
  /** Fields read, in order of first use. */
  readonly columns: readonly string[]
  /** What is suspicious, but allowed. */
  readonly warnings: readonly ErrorDetails[]
  /** Whether a record may give more or fewer than one: `filter`, `distinct`, `emit each`. */
  readonly one: boolean
  /**
   * Specialises the program to records of one shape, whose declared columns are those of the scope; carried ones ride behind. What
   * `distinct` has seen is kept per table of shapes, that is, per run.
   */
  bind(shape: Shape, shapes: ShapeTable, options?: BindOptions): RowFunction
  /** The shape of the records that the program makes of those of `shape`. */
  shapeBehind(shape: Shape, shapes: ShapeTable): Shape
  /** @internal */
  readonly checked: CheckedProgram
  /** @internal */
  readonly leaves: readonly Leaf[]
  /** @internal */
  readonly backend: 'generated' | 'closures'
}

/** A program met with a shape: what a back end needs to make a {@link RowFunction}. */
export interface Binding {
  readonly statements: readonly CheckedStatement[]
  readonly leaves: readonly Leaf[]
  readonly shape: Shape
  readonly maxExpansion: number
  /** How a field the program reads is represented; undefined when records have none of this name. */
  columnType(name: string): Type | undefined
  /** As {@link columnType}, for carried columns too. */
  inputType(name: string): Type | undefined
  /** The shape of the records a leaf makes. */
  shapeOf(leaf: Leaf): Shape
  /** Keys that a `distinct` has seen. */
  seen(id: number): Set<Key>
  /** The record as it is at a `distinct`: columns in order, how many of them are declared, and which are emitted. */
  recordAt(statement: CheckedStatement): {
    readonly names: readonly string[]
    readonly declared: number
    readonly locals: ReadonlyMap<string, Local>
  }
}

const defaultExpansion = 10_000

/**
 * Compiles the program of a transform. Throws its faults as one error.
 * @example
 * const program = compileTransform('emit total = price * qty', { columns })
 * const run = program.bind(shape, shapes)
 * run(record, environment, results)
 */
export function compileTransform(text: string, scope: Scope, options: TransformOptions = {}): TransformProgram {
  const source = sourceText(text, options)
  const problems: Problem[] = []
  const { statements } = parseProgram(source, problems)
  refuse(problems)
  const checked = checkedProgram(problems, new Checker(source, scope, problems), statements)
  const leaves = leavesOf(checked.statements)
  const emitted = emittedNames(leaves)
  const input = [...(scope.columns ?? [])].map(([name, type]) => ({ name, type }))
  const keep = options.keep ?? 'all'
  const backend = options.backend ?? (canGenerate() ? 'generated' : 'closures')
  const seenByRun = new WeakMap<ShapeTable, Map<number, Set<Key>>>()

  const shapeBehind = (shape: Shape, shapes: ShapeTable): Shape => {
    const [leaf] = leaves
    return keep === 'emitted' && leaf ? emittedShape(leaf, shapes) : outputShape(shape, leaves, shapes)
  }
  return {
    checked,
    leaves,
    backend,
    emitted,
    columns: checked.columns,
    output: outputColumns(keep === 'all' ? input : [], leaves),
    warnings: emitsNothing(checked.statements)
      ? [{ message: 'the program emits nothing', place: placeIn(source, 0, 0), help: "add 'emit name = …'" }]
      : [],
    one: !checked.statements.some(({ kind }) => kind === 'filter' || kind === 'distinct' || kind === 'each'),
    shapeBehind,
    bind(shape, shapes, { max_expansion = defaultExpansion } = {}) {
      let seen = seenByRun.get(shapes)
      if (!seen) seenByRun.set(shapes, (seen = new Map()))
      const behind = keep === 'all' ? outputShape(shape, leaves, shapes) : undefined
      const binding: Binding = {
        statements: checked.statements,
        leaves,
        shape,
        maxExpansion: max_expansion,
        columnType: (name) => columnType(shape, name),
        inputType: (name) => shape.columns[shape.indexOf(name)]?.type,
        shapeOf: (leaf) => behind ?? emittedShape(leaf, shapes),
        seen: (id) => {
          let keys = seen.get(id)
          if (!keys) seen.set(id, (keys = new Set()))
          return keys
        },
        recordAt: (statement) => recordAt(statement, checked.statements, shape),
      }
      return backend === 'generated' ? generateProgram(binding) : closureProgram(binding)
    },
  }
}

/** Checks what was parsed. Unknown names are told alone: what they would be decides about types. */
export function checkedProgram(
  problems: Problem[],
  checker: Checker,
  statements: Parameters<Checker['program']>[0],
): CheckedProgram {
  const checked = checker.program(statements)
  const first = problems.filter(({ phase }) => phase === 'parse')
  const unresolved = problems.filter(({ phase }) => phase === 'resolve')
  refuse(first.length > 0 ? first : unresolved.length > 0 ? unresolved : problems)
  return checked
}

/** How a declared column of a shape is represented. */
export function columnType(shape: Shape, name: string): Type | undefined {
  const index = shape.indexOf(name)
  return index >= 0 && index < shape.declared ? shape.columns[index]?.type : undefined
}

export function sourceText(text: string, { file }: CompileOptions): SourceText {
  return file === undefined ? { text } : { text, file }
}

function emitsNothing(statements: readonly CheckedStatement[]): boolean {
  return !statements.some((statement) => {
    return (
      statement.kind === 'emit' ||
      statement.kind === 'write' ||
      (statement.kind === 'each' && !emitsNothing(statement.body))
    )
  })
}

function recordAt(
  statement: CheckedStatement,
  statements: readonly CheckedStatement[],
  shape: Shape,
): ReturnType<Binding['recordAt']> {
  const locals = new Map<string, Local>()
  for (const before of statements) {
    if (before === statement) break
    if (before.kind === 'emit') locals.set(before.name, before.local)
  }
  const declared = shape.names.slice(0, shape.declared)
  const own = [...declared, ...[...locals.keys()].filter((name) => !declared.includes(name))]
  const carried = shape.names.slice(shape.declared).filter((name) => !locals.has(name))
  return { names: [...own, ...carried], declared: own.length, locals }
}
