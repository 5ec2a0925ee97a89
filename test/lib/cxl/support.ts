import {
  bareEnvironment,
  compileTransform,
  type Environment,
  formatProblem,
  type ModuleResolver,
  ProgramError,
  type Scope,
} from '../../../lib/cxl/engine.ts'
import type { BindOptions, TransformOptions } from '../../../lib/cxl/engine.ts'
import { type ClinkerError, ClinkerErrors } from '../../../lib/diagnostics/error.ts'
import { Origin, SourceFile } from '../../../lib/record/origin.ts'
import { type Shape, ShapeTable } from '../../../lib/record/shape.ts'
import { shapeOf } from '../../../lib/record/stamp.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Row, Value } from '../../../lib/record/value.ts'
import { parseTypeName } from '../../../lib/schema/index.ts'

export const backends = ['generated', 'closures'] as const

/** A type as schemas write it. */
export function type(written: string): Type {
  const parsed = parseTypeName(written)
  if (!parsed) throw new RangeError(`no type: ${written}`)
  return parsed
}

/** A scope over columns with types as schemas write them. */
export function scopeOf(columns: Record<string, string>): Scope {
  return { columns: new Map(Object.entries(columns).map(([name, written]) => [name, type(written)])) }
}

/** The faults of a program as the `cxl` command shows them. */
export function faults(compile: () => unknown): string {
  try {
    compile()
  } catch (error) {
    const all = error instanceof ClinkerErrors ? error.errors : [error as ClinkerError]
    return all.map(textOf).join('\n')
  }
  return ''
}

function textOf(error: ClinkerError): string {
  if (!(error instanceof ProgramError)) throw error
  return formatProblem(error.phase, error.reason, error.place, error.help)
}

/** Only what is wrong and where: `1:5 message`. */
export function shortFaults(compile: () => unknown): string[] {
  try {
    compile()
  } catch (error) {
    const all = error instanceof ClinkerErrors ? error.errors : [error as ClinkerError]
    return all.map(({ place, reason }) => `${place?.line}:${place?.column} ${reason}`)
  }
  return []
}

export const testOrigin: Origin = new Origin(new SourceFile('orders', 'in/orders.csv'))

export interface RunOptions extends TransformOptions, BindOptions {
  readonly carried?: readonly string[]
  readonly environment?: Environment
  readonly scope?: Scope
  readonly origin?: Origin
}

/** Compiles a program over typed columns and runs it for rows of values; rows come out as `[shape names, values]` objects. */
export function run(
  program: string,
  columns: Record<string, string>,
  rows: readonly (readonly Value[])[],
  options: RunOptions = {},
): Row[] {
  const { carried = [], environment = bareEnvironment(), scope, origin = testOrigin } = options
  const compiled = compileTransform(program, { ...scopeOf(columns), ...scope }, options)
  const shapes = new ShapeTable()
  const declared = Object.entries(columns).map(([name, written]) => ({ name, type: type(written) }))
  const shape = shapes.of([...declared, ...carried.map((name) => ({ name, type: Type.of('string') }))], declared.length)
  const bound = compiled.bind(shape, shapes, options)
  const out: Row[] = []
  for (const [index, values] of rows.entries()) bound(shape.make(values, origin, index + 1), environment, out)
  return out
}

/** The columns of a record in order, with their values. */
export function entries(record: Row | undefined): [string, Value][] {
  if (!record) return []
  return (shapeOf(record) as Shape).names.map((name) => [name, record[name] as Value])
}

export function modules(texts: Record<string, string>): ModuleResolver {
  return {
    find: (name) => {
      const text = texts[name]
      return text === undefined ? undefined : { text, file: `rules/${name.replaceAll('.', '/')}.cxl` }
    },
  }
}
