import { describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileTransform,
  filtered,
  fuse,
  passed,
  type TransformProgram,
} from '../../../lib/cxl/engine.ts'
import { ShapeTable } from '../../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Row, Value } from '../../../lib/record/value.ts'
import { testOrigin, type } from './support.ts'

function stagesOf(
  texts: readonly string[],
  columns: Record<string, string>,
): { program: TransformProgram; node: string }[] {
  let known = new Map(Object.entries(columns).map(([name, written]) => [name, type(written)]))
  return texts.map((text, index) => {
    const program = compileTransform(text, { columns: known })
    known = new Map(program.output.map((column) => [column.name, column.type]))
    return { program, node: `t${index}` }
  })
}

const columns = { price: 'float', qty: 'int', name: 'string' }

function shapeWith(shapes: ShapeTable, carried: readonly string[] = []) {
  const declared = Object.entries(columns).map(([name, written]) => ({ name, type: type(written) }))
  return shapes.of([...declared, ...carried.map((name) => ({ name, type: Type.of('string') }))], declared.length)
}

describe('a fused chain', () => {
  test('gives what its stages give, one after another', () => {
    const stages = stagesOf(
      [
        'emit total = price * qty\nfilter qty > 0',
        'let t = total * 1.19\nemit gross = t.round(2)\nemit name = name.upper()',
        'emit label = name + ":" + gross.to_string()\nemit qty = qty + 1\nfilter gross > 1.0',
      ],
      columns,
    )
    const shapes = new ShapeTable()
    const shape = shapeWith(shapes, ['k', 'label'])
    const fused = fuse(stages, shape, shapes)
    const rows: Value[][] = [
      [2.5, 4, 'a', 'k1', 'carried'],
      [2.5, 0, 'b', 'k2', 'carried'],
      [0.1, 1, 'c', 'k3', 'carried'],
    ]
    const out: Row[] = []
    const outcomes = rows.map((values, index) =>
      fused?.(shape.make(values, testOrigin, index + 1), bareEnvironment(), out),
    )
    expect(outcomes).toStrictEqual([passed, filtered, filtered])
    expect(out).toStrictEqual([{ price: 2.5, qty: 5, name: 'A', total: 10, gross: 11.9, label: 'A:11.9', k: 'k1' }])
    const [record] = out as [Row]
    expect(shapeOf(record)?.names).toStrictEqual(['price', 'qty', 'name', 'total', 'gross', 'label', 'k'])
    expect([shapeOf(record)?.declared, originOf(record), rowOf(record)]).toStrictEqual([6, testOrigin, 1])
  })

  test.each([
    ['distinct remembers', 'distinct'],
    ['emit each makes several', 'emit each x in "a,b".split(",") { emit y = x }'],
    ['trace is noticed', 'trace "x"'],
    ['debug is noticed', 'emit y = name.debug()'],
  ])('is not made where %s', (_, text) => {
    const shapes = new ShapeTable()
    expect(fuse(stagesOf(['emit a = 1', text], columns), shapeWith(shapes), shapes)).toBe(undefined)
  })

  test('throws when a stage fails, and leaves nothing', () => {
    const shapes = new ShapeTable()
    const shape = shapeWith(shapes)
    const fused = fuse(stagesOf(['emit a = 10 / qty', 'emit b = a + 1'], columns), shape, shapes)
    const out: Row[] = []
    expect(() => fused?.(shape.make([1, 0, 'x'], testOrigin, 1), bareEnvironment(), out)).toThrow('division by zero')
    expect(out).toStrictEqual([])
  })
})
