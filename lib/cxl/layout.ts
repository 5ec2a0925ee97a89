import type { Column, Shape, ShapeTable } from '../record/shape.ts'
import { Type } from '../record/type.ts'
import type { CheckedStatement, Local } from './checked.ts'
import { joinForms } from './types.ts'

type Each = Extract<CheckedStatement, { kind: 'each' }>

/**
 * Where a program makes records: at its end, or at the end of each innermost `emit each` block. `columns` are the emitted ones a
 * record of this place has, in the order of their first emit.
 */
export interface Leaf {
  /** The block; undefined for the program itself. */
  readonly block: Each | undefined
  readonly columns: ReadonlyMap<string, Local>
}

/** The places of a program that make records, in order. */
export function leavesOf(statements: readonly CheckedStatement[]): readonly Leaf[] {
  const leaves: Leaf[] = []
  visit(statements, undefined, new Map(), leaves)
  return leaves
}

function visit(
  statements: readonly CheckedStatement[],
  block: Each | undefined,
  inherited: ReadonlyMap<string, Local>,
  leaves: Leaf[],
): void {
  const columns = new Map(inherited)
  let nested = false
  for (const statement of statements) {
    if (statement.kind === 'emit') columns.set(statement.name, statement.local)
    else if (statement.kind === 'each') {
      nested = true
      visit(statement.body, statement, columns, leaves)
    }
  }
  if (!nested) leaves.push({ block, columns })
}

/** The names a program emits into records, by first emit. */
export function emittedNames(leaves: readonly Leaf[]): readonly string[] {
  return [...new Set(leaves.flatMap(({ columns }) => [...columns.keys()]))]
}

/** The declared columns behind a program: those of the input in order, with replaced types, then the new ones. */
export function outputColumns(input: readonly Column[], leaves: readonly Leaf[]): Column[] {
  const columns = input.map(({ name, type }) => ({ name, type: typeBehind(name, type, leaves) }))
  const known = new Set(input.map((column) => column.name))
  for (const name of emittedNames(leaves)) {
    if (!known.has(name)) columns.push({ name, type: typeBehind(name, undefined, leaves) })
  }
  return columns
}

function typeBehind(name: string, input: Type | undefined, leaves: readonly Leaf[]): Type {
  let type: Type | undefined
  for (const { columns } of leaves) {
    const own = columns.get(name)?.form ?? input ?? Type.of('null')
    type = type ? joinForms(type, own) : own
  }
  return type ?? Type.of('null')
}

/** The shape of the records a program makes of those of `shape`. */
export function outputShape(shape: Shape, leaves: readonly Leaf[], shapes: ShapeTable): Shape {
  const declared = outputColumns(shape.columns.slice(0, shape.declared), leaves)
  const names = new Set(declared.map((column) => column.name))
  const carried = shape.columns.slice(shape.declared).filter((column) => !names.has(column.name))
  return shapes.of([...declared, ...carried], declared.length)
}

/** The shape of a record that holds only what was emitted. */
export function emittedShape(leaf: Leaf, shapes: ShapeTable): Shape {
  return shapes.of([...leaf.columns].map(([name, local]) => ({ name, type: local.form })))
}
