import fc from 'fast-check'
import { compileTransform, type Scope } from '../../../../lib/cxl/engine.ts'
import { ClinkerError } from '../../../../lib/diagnostics/error.ts'
import { type Shape, ShapeTable } from '../../../../lib/record/shape.ts'
import type { Type } from '../../../../lib/record/type.ts'
import { columns, expressions } from '../programs.ts'

/** The columns of all generated programs, with their types. */
export const scope: Scope = { columns: new Map<string, Type>(columns.map(([name, type]) => [name, type])) }

/** A table of shapes, and the shape of the records that generated programs read. */
export function shapeAndTable(): { shapes: ShapeTable; shape: Shape } {
  const shapes = new ShapeTable()
  return { shapes, shape: shapes.of(columns.map(([name, type]) => ({ name, type }))) }
}

const names = fc.constantFrom('i', 's', 'q', 'r', '__proto__', 'constructor', 'xs', 'toString', '_')
const arrays = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('xs', '"a,b,,c".split(",")', 'xs.filter(it => not it.is_null())', 'null') },
  { weight: 1, arbitrary: expressions },
)
const levels = fc.constantFrom('', 'debug ', 'info ', 'warn ', 'error ')

const simple = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(names, expressions).map(([name, value]) => `emit ${name} = ${value}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('k', 'n', 'i'), expressions).map(([name, value]) => `let ${name} = ${value}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(levels, expressions, fc.option(expressions))
      .map(([level, message, guard]) => `trace ${level}${guard === null ? '' : `if ${guard} then `}${message}`),
  },
)

const block: fc.Arbitrary<string> = fc.letrec<{ block: string }>((tie) => ({
  block: fc
    .tuple(
      fc.constantFrom('e', 'i', 'it'),
      arrays,
      fc.boolean(),
      fc.array(simple, { maxLength: 2 }),
      fc.option(tie('block'), { maxDepth: 1 }),
    )
    .map(([name, over, outer, body, inner]) => {
      const lines = [...body, `emit e = ${name}`, ...(inner === null ? [] : [inner])].map((line) => `  ${line}`)
      return `emit each ${name} in ${over}${outer ? ' outer' : ''} {\n${lines.join('\n')}\n}`
    }),
})).block

/** Texts of single statements of every kind but `use`. */
export const statements: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: simple },
  { weight: 1, arbitrary: expressions.map((condition) => `filter (${condition}) != 1`) },
  { weight: 1, arbitrary: fc.constantFrom('distinct', 'distinct by i', 'distinct by s') },
  { weight: 1, arbitrary: expressions },
  { weight: 2, arbitrary: block },
)

/** Statements of a program over {@link scope} that the checker accepts. */
export const programs: fc.Arbitrary<string[]> = fc
  .array(fc.array(statements, { minLength: 1, maxLength: 5, size: 'max' }), { minLength: 1, maxLength: 6, size: 'max' })
  .map(accepted)

/** For every place in the program the first of some statements that does not make it a wrong one, if any. */
function accepted(places: readonly (readonly string[])[]): string[] {
  const kept: string[] = []
  for (const choices of places) {
    const fits = (statement: string): boolean => {
      return attempt(() => compileTransform([...kept, statement].join('\n'), scope)) !== undefined
    }
    const found = choices.find(fits)
    if (found !== undefined) kept.push(found)
  }
  return kept
}

/** What a function gives; undefined when it throws an error of ours. */
export function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute()
  } catch (error) {
    if (error instanceof ClinkerError) return undefined
    throw error
  }
}
