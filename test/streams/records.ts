import { Writable } from 'node:stream'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { Shape } from '../../lib/record/shape.ts'
import { parseTypeName } from '../../lib/schema/index.ts'
import type { Type } from '../../lib/record/type.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import type { DeadLetter } from '../../streams/node.ts'

/**
 * Typed records as a reader makes them: `records({ id: 'int' }, [[1], [2]])`. Rows may have values beyond the columns: those are
 * carried, under the names in `carried`.
 */
export function records(
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly Value[])[],
  options: { source?: string; file?: string; carried?: readonly string[] } = {},
): Row[] {
  const { source = 'rows', file = 'rows.csv', carried = [] } = options
  const declared = Object.entries(columns).map(([name, type]) => ({ name, type: typeOf(type) }))
  const shape = new Shape([...declared, ...carried.map((name) => ({ name, type: typeOf('any') }))], declared.length)
  const origin = new Origin(new SourceFile(source, file))
  return rows.map((values, index) => shape.make(values, origin, index + 1))
}

function typeOf(name: string): Type {
  const type = parseTypeName(name)
  if (!type) throw new TypeError(`no type: ${name}`)
  return type
}

/** A place for dead letters, and those that have come. */
export function letters(): { letters: DeadLetter[]; dead_letters: Writable } {
  const found: DeadLetter[] = []
  const dead_letters = new Writable({
    objectMode: true,
    write(letter, _, callback) {
      found.push(letter)
      callback()
    },
  })
  return { letters: found, dead_letters }
}
