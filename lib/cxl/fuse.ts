import { Code } from '../record/generate.ts'
import type { Shape, ShapeTable } from '../record/shape.ts'
import type { Type } from '../record/type.ts'
import type { CheckedStatement } from './checked.ts'
import { buildRecord, Generator, rowColumns } from './generator.ts'
import { filtered, passed } from './outcome.ts'
import { columnType, type RowFunction, type TransformProgram } from './program.ts'
import * as runtime from './runtime.ts'

/** One transform of a chain. */
export interface Stage {
  readonly program: TransformProgram
  /** Name of its node. */
  readonly node: string
}

/**
 * One function for a chain of transforms: emitted columns are variables, and the last one's record is the only one that is built.
 * Undefined where the chain has to run stage by stage: a stage makes several records of one, remembers records or is noticed
 * outside, so that a second run would show.
 *
 * What it throws does not say which stage failed: run the stages one by one to find out.
 */
export function fuse(stages: readonly Stage[], shape: Shape, shapes: ShapeTable): RowFunction | undefined {
  if (stages.length === 0 || stages.some(({ program }) => !isFusible(program))) return undefined
  const code = new Code()
  const lines: string[] = []
  const generators: Generator[] = []
  // A carried column cannot be seen by any stage; an emitted one of its name can, by later ones.
  const columns = rowColumns(code, (name) => columnType(shape, name))
  let behind = shape
  const emitted = new Map<string, { code: string; form: Type }>()
  for (const [index, { program }] of stages.entries()) {
    const visible = new Map(emitted)
    const generator = new Generator(
      code,
      (name) => {
        const own = visible.get(name)
        return own ? { ...own, atom: true, sure: 'no' } : columns.find(name)
      },
      `s${index}`,
      false,
    )
    generators.push(generator)
    for (const statement of program.checked.statements) {
      if (statement.kind === 'filter') lines.push(`if (!${generator.test(statement.condition)}) return ${filtered}`)
      else if (statement.kind === 'expression') lines.push(`;${generator.piece(statement.value).code}`)
      else if (statement.kind === 'emit' || statement.kind === 'let') {
        const { local } = statement
        const variable = generator.variable(local)
        lines.push(`const ${variable} = ${generator.in(local.form, generator.piece(statement.value))}`)
        if (statement.kind === 'emit') emitted.set(statement.name, { code: variable, form: local.form })
      }
    }
    behind = program.shapeBehind(behind, shapes)
  }
  const last = generators.at(-1) as Generator
  const cell = (name: string, type: Type): string => {
    const own = emitted.get(name)
    if (own) return last.in(type, { ...own, atom: true, sure: 'no' })
    const form = shape.columns[shape.indexOf(name)]?.type ?? type
    return last.in(type, { code: columns.code(name), form, atom: true, sure: 'no' })
  }
  const origin = `${code.bind(runtime.originOfRow)}(row)`
  const record = buildRecord(code, behind, cell, (name) => emitted.has(name), origin)
  const variables = generators.some((generator) => generator.usesVariables)
    ? [`const variables = ${code.bind(runtime.recordVariables)}(row)`]
    : []
  const declarations = generators.map((generator) => generator.declarations())
  return code.compile(
    ['row', 'environment', 'out'],
    [...declarations, ...variables, ...columns.lines, ...lines, `out.push(${record})`, `return ${passed}`].join('\n'),
  )
}

/** Whether running it again for a record is unnoticed, and gives one record or none. */
function isFusible({ checked, backend }: TransformProgram): boolean {
  const kinds: readonly CheckedStatement['kind'][] = ['emit', 'let', 'filter', 'expression']
  return backend === 'generated' && !checked.noticed && checked.statements.every(({ kind }) => kinds.includes(kind))
}
