import { deepStrictEqual } from 'node:assert'
import { describe, expect, test, vi } from 'vitest'
import { Intake, carry } from '../../../lib/record/intake.ts'
import { Origin, SourceFile, unknownOrigin } from '../../../lib/record/origin.ts'
import { type Column, Shape, shapeOfKeys, ShapeTable } from '../../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf, stamp, stamped, stampOf } from '../../../lib/record/stamp.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Row } from '../../../lib/record/value.ts'

const columns: Column[] = [
  { name: 'id', type: Type.of('int') },
  { name: '2024', type: Type.of('string', true) },
]
const origin = new Origin(new SourceFile('orders', 'orders.csv'))

describe('a stamp', () => {
  test('shows nowhere on the record', () => {
    const record = stamped({ id: 1 }, new Shape(columns.slice(0, 1)), origin, 7)
    deepStrictEqual(record, { id: 1 })
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
    expect(Reflect.ownKeys(record)).toEqual(['id'])
    expect(stampOf({ ...record })).toBeUndefined()
    expect(stampOf(structuredClone(record))).toBeUndefined()
  })

  test('tells shape, origin and row', () => {
    const shape = new Shape(columns.slice(0, 1))
    const record = stamped({ id: 1 }, shape, origin, 7)
    expect(stampOf(record)).toEqual({ shape, origin, row: 7 })
    expect([shapeOf(record), originOf(record), rowOf(record)]).toEqual([shape, origin, 7])
  })

  test('is absent from objects of other code, and can be replaced', () => {
    const record: Row = { id: 1 }
    expect([stampOf(record), shapeOf(record), originOf(record), rowOf(record)]).toEqual([
      undefined,
      undefined,
      undefined,
      0,
    ])
    const shape = new Shape(columns.slice(0, 1))
    stamp(record, shape, origin, 1)
    stamp(record, shape, unknownOrigin, 2)
    expect(stampOf(record)).toEqual({ shape, origin: unknownOrigin, row: 2 })
  })
})

describe('a shape', () => {
  test('keeps the order of its columns, whatever they are called', () => {
    const shape = new Shape(columns)
    const record = shape.make([1, 'a'], origin, 3)
    expect(shape.names).toEqual(['id', '2024'])
    expect(record).toEqual({ id: 1, 2024: 'a' })
    expect(stampOf(record)).toEqual({ shape, origin, row: 3 })
    expect([shape.indexOf('2024'), shape.indexOf('x'), shape.has('id')]).toEqual([1, -1, true])
    expect(shape.fits(record)).toBe(true)
  })

  test('builds columns of any name as own properties', () => {
    const names = ['__proto__', 'constructor', '', 'a"b', 'line\nbreak', 'toString', '0']
    const shape = new Shape(names.map((name) => ({ name, type: Type.of('any') })))
    const record = shape.make([1, 2, 3, 4, 5, 6, 7], origin, 1)
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
    expect(names.map((name) => Object.getOwnPropertyDescriptor(record, name)?.value)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('does the same where no code may be generated, and for very many columns', async () => {
    const wide = Array.from({ length: 300 }, (_, index) => ({ name: `c${index}`, type: Type.of('int') }))
    expect(
      Object.keys(
        new Shape(wide).make(
          wide.map((_, index) => index),
          origin,
          1,
        ),
      ),
    ).toHaveLength(300)
    vi.resetModules()
    vi.stubGlobal('Function', () => {
      throw new EvalError('Code generation from strings disallowed for this context')
    })
    const { Shape: Plain } = await import('../../../lib/record/shape.ts')
    const record = new Plain([...columns, { name: '__proto__', type: Type.of('any') }]).make([1, 'a'], origin, 3)
    vi.unstubAllGlobals()
    expect(Object.keys(record)).toEqual(['2024', 'id', '__proto__'])
    expect(Object.getOwnPropertyDescriptor(record, '__proto__')?.value).toBeNull()
  })

  test('is one object for the same columns of a table', () => {
    const table = new ShapeTable()
    expect(table.of(columns)).toBe(table.of([...columns]))
    expect(table.of(columns, 1)).not.toBe(table.of(columns))
    expect(table.of(columns, 1).declared).toBe(1)
    expect(shapeOfKeys(['a'], table)).toBe(table.of([{ name: 'a', type: Type.of('any') }]))
  })
})

describe('intake', () => {
  test('stamps plain objects, all columns declared and of any type', () => {
    const intake = new Intake()
    const record = { id: 1, name: 'a' }
    const shape = intake.take(record)
    expect(shape.columns).toEqual([
      { name: 'id', type: Type.of('any') },
      { name: 'name', type: Type.of('any') },
    ])
    expect(intake.take({ id: 2, name: 'b' })).toBe(shape)
    expect(originOf(record)).toBe(unknownOrigin)
  })

  test('corrects the shape of a record that other code has changed', () => {
    const shapes = new ShapeTable()
    const record = shapes.of(columns, 1).make([1, 'a'], origin, 3)
    record['added'] = true
    const shape = new Intake(shapes).take(record)
    expect(shape.names).toEqual(['id', 'added', '2024'])
    expect(shape.declared).toBe(2)
    expect([originOf(record), rowOf(record)]).toEqual([origin, 3])
    delete record['id']
    expect(new Intake(shapes).take(record).names).toEqual(['added', '2024'])
  })

  test('carries origin and row over to a new object', () => {
    const from = new Shape(columns).make([1, 'a'], origin, 3)
    const to = carry(from, { total: 5 })
    expect([shapeOf(to)?.names, originOf(to), rowOf(to)]).toEqual([['total'], origin, 3])
  })
})

describe('a type', () => {
  test('is one object for one name', () => {
    expect(Type.of('int').orNull).toBe(Type.of('int', true))
    expect(Type.of('int', true).notNull).toBe(Type.of('int'))
    expect(Type.of('any').notNull).toBe(Type.of('any'))
  })

  test('is written as schemas write it', () => {
    expect([Type.of('int'), Type.of('int', true), Type.of('any'), Type.of('null')].map(String)).toEqual([
      'int',
      'nullable(int)',
      'any',
      'null',
    ])
  })
})

describe('an origin', () => {
  test('changes by giving another one', () => {
    const audit = { synthetic: true, synthesizedBy: 'a:b', mutatedBy: '' }
    const changed = origin.withAudit(audit).withVariables({ rate: 1 })
    expect([origin.audit, changed.audit, changed.variables, changed.file]).toEqual([
      undefined,
      audit,
      { rate: 1 },
      origin.file,
    ])
  })
})
