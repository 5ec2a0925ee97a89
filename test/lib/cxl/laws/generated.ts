import fc from 'fast-check'
import { compileTransform, type Scope } from '../../../../lib/cxl/index.ts'
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
  fc.constantFrom('xs', 'u', '"a,b,,c".split(",")', 'xs.filter(it => not it.is_null())', 'null'),
  expressions,
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
  { weight: 1, arbitrary: expressions.map((condition) => `filter ${condition} ?? true`) },
  { weight: 1, arbitrary: fc.constantFrom('distinct', 'distinct by i', 'distinct by s') },
  { weight: 1, arbitrary: expressions },
  { weight: 2, arbitrary: block },
)

/** Statements of a program over {@link scope} that the checker accepts. */
export const programs: fc.Arbitrary<string[]> = fc.array(statements, { minLength: 1, maxLength: 6 }).map(accepted)

/** Leaves out the statements that make the program a wrong one. */
function accepted(all: readonly string[]): string[] {
  const kept: string[] = []
  for (const statement of all) {
    if (attempt(() => compileTransform([...kept, statement].join('\n'), scope))) kept.push(statement)
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
