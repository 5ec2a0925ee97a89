import { ClinkerError, closestMatch, preview } from '../../lib/diagnostics/index.ts'
import { type Column, type Shape, ShapeTable } from '../../lib/record/shape.ts'
import { Type } from '../../lib/record/type.ts'
import type { Value } from '../../lib/record/value.ts'
import { columnType, type FromText, type SchemaColumn } from '../../lib/schema/index.ts'

/** What a reader must do to a cell; all but `other` have code of their own in a generated reader. */
export type CellKind = 'text' | 'int' | 'float' | 'date' | 'other'

/** A column of the record and how it comes from its cell. */
export interface CellColumn {
  /** Its place in the shape. */
  readonly index: number
  readonly name: string
  readonly type: Type
  readonly format: string | undefined
  readonly kind: CellKind
  readonly read: FromText
}

/** How the cells of a file become the columns of its records. */
export interface Layout {
  /** The names of the cells, as the file has them. */
  readonly header: readonly string[]
  /** Declared columns in the order of the schema, then the carried ones in the order of the file. */
  readonly shape: Shape
  /** By cell: the columns it gives. None: it is not looked into. */
  readonly cells: readonly (readonly CellColumn[])[]
  /** A declared column that may not be null and is not in the file: every row is refused. */
  readonly missing: MissingColumn | undefined
  /** The first cell nobody declared, where that is refused. */
  readonly unmapped: string | undefined
  /** A row as it was read: every cell, as text. */
  readonly asRead: Shape
}

export interface MissingColumn {
  readonly column: SchemaColumn
  /** What the file has instead. */
  readonly help: string
}

export interface LayoutOptions {
  /** As messages name the reader. */
  readonly node: string
  /** Declared columns. Absent: every cell is one, a text. */
  readonly columns: readonly SchemaColumn[] | undefined
  /** The file's columns stand in the order of the schema, without names. */
  readonly byPosition: boolean
  readonly mode: 'auto_widen' | 'drop' | 'reject'
  /** Columns somebody reads. The other ones are not cut out of the text: carried ones are left out, texts are null. */
  readonly needed: ReadonlySet<string> | undefined
  readonly shapes: ShapeTable
  read(column: SchemaColumn): FromText
}

const text = (cell: string): Value => cell

/** Binds the columns of a schema to the cells of a file, by name. Throws what cannot be bound. */
export function layoutOf(header: readonly string[], options: LayoutOptions): Layout {
  const { node, columns, needed, shapes } = options
  const places = new Map(header.map((name, place) => [name, place]))
  const cells: CellColumn[][] = header.map(() => [])
  const declared = columns ?? header.map((name): SchemaColumn => ({ name, type: Type.of('string') }))
  const all: Column[] = []
  const sources = new Set<string>()
  let missing: MissingColumn | undefined
  for (const [index, column] of declared.entries()) {
    const source = options.byPosition ? column.name : (column.source_name ?? column.name)
    sources.add(source)
    const type = columnType(column)
    all.push({ name: column.name, type })
    const place = options.byPosition ? index : places.get(source)
    if (place === undefined) {
      if (!type.nullable) missing ??= { column, help: insteadOf(source, type, header) }
    } else if (!needed || needed.has(column.name) || !isText(column)) {
      const { name, format } = column
      cells[place]?.push({ index, name, type: column.type, format, kind: kindOf(column), read: options.read(column) })
    }
  }
  for (const { name, source_name } of options.byPosition ? [] : declared) {
    if (source_name !== undefined && source_name !== name && places.has(name) && !sources.has(name)) {
      throw hiddenField(node, name, source_name)
    }
  }
  const unmapped = header.filter((name) => !sources.has(name))
  if (options.mode === 'auto_widen') {
    for (const name of unmapped) {
      if (needed && !needed.has(name)) continue
      const type = Type.of('string')
      cells[places.get(name) as number]?.push({
        index: all.length,
        name,
        type,
        format: undefined,
        kind: 'text',
        read: text,
      })
      all.push({ name, type })
    }
  }
  return {
    header,
    shape: shapes.of(all, declared.length),
    cells,
    missing,
    unmapped: options.mode === 'reject' ? unmapped[0] : undefined,
    asRead: shapes.of(header.map((name) => ({ name, type: Type.of('string') }))),
  }
}

/** What to do about a column that the header does not name. */
function insteadOf(name: string, type: Type, header: readonly string[]): string {
  const first = header.slice(0, namesShown).map((cell) => preview(cell))
  const has = `the file has ${first.join(', ')}${header.length > namesShown ? ' …' : ''}`
  const [only] = header
  const delimiter = header.length === 1 ? /[;\t|]/.exec(only as string)?.[0] : undefined
  if (delimiter !== undefined) return `${has}: set delimiter to ${preview(delimiter)}`
  const same = header.find((cell) => cell.trim().toLowerCase() === name.trim().toLowerCase())
  const near =
    same ??
    closestMatch(
      name,
      header.filter((cell) => cell.startsWith(name.charAt(0))),
    )
  return near === undefined
    ? `${has}; declare it nullable(${type}) if a file may lack it`
    : `${has}: correct the name, or read it by \`source_name: ${preview(near)}\``
}

const namesShown = 12

function isText({ type, multiple }: SchemaColumn): boolean {
  return !multiple && (type.name === 'string' || type.name === 'any')
}

function kindOf(column: SchemaColumn): CellKind {
  if (isText(column)) return 'text'
  const { type, format, multiple } = column
  if (multiple || format !== undefined) return 'other'
  return type.name === 'int' || type.name === 'float' || type.name === 'date' ? type.name : 'other'
}

function hiddenField(node: string, name: string, source: string): ClinkerError {
  return new ClinkerError('E236', {
    node,
    message: `column ${preview(name)} reads the field ${preview(source)}, but the file also has a field ${preview(name)}`,
    help: `give the column another name, or declare one that reads ${preview(name)}`,
    exit: 4,
  })
}
