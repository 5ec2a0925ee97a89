import { type Origin, unknownOrigin } from './origin.ts'
import { type Column, type Shape, ShapeTable } from './shape.ts'
import { originOf, rowOf, shapeOf, stamp } from './stamp.ts'
import { Type } from './type.ts'
import type { Row } from './value.ts'

/**
 * Receives records from code that is not ours: stamps plain objects, and corrects the shape of records whose columns were
 * changed since they were stamped, so that no column is lost and none is made up.
 */
export class Intake {
  readonly #shapes: ShapeTable
  #last: Shape | undefined

  constructor(shapes: ShapeTable = new ShapeTable()) {
    this.#shapes = shapes
  }

  /** Gives the record a shape that fits it, and returns that shape. A new column counts as declared, of any type. */
  take(record: object): Shape {
    const known = shapeOf(record)
    if (known?.fits(record)) return known
    // Records of one kind follow each other: the last shape mostly fits.
    const shape = !known && this.#last?.fits(record) ? this.#last : this.#shapeFor(known, Object.keys(record))
    stamp(record as Row, shape, originOf(record) ?? unknownOrigin, rowOf(record))
    this.#last = shape
    return shape
  }

  #shapeFor(known: Shape | undefined, keys: string[]): Shape {
    if (!known) return this.#shapes.of(keys.map(anyColumn))
    const present = new Set(keys)
    const keeps = (column: Column): boolean => present.has(column.name)
    const declared = known.columns.slice(0, known.declared).filter(keeps)
    const added = keys.filter((name) => !known.has(name)).map(anyColumn)
    const carried = known.columns.slice(known.declared).filter(keeps)
    return this.#shapes.of([...declared, ...added, ...carried], declared.length + added.length)
  }
}

/**
 * Gives a new object the origin and row number of the record it was made from, so that dead letters, `$source` and audit stamps
 * go on working. Its columns are what it has.
 */
export function carry<R extends object>(from: object, to: R): R {
  const origin: Origin = originOf(from) ?? unknownOrigin
  new Intake().take(to)
  stamp(to as unknown as Row, shapeOf(to) as Shape, origin, rowOf(from))
  return to
}

function anyColumn(name: string): Column {
  return { name, type: Type.of('any') }
}
