import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RowBlock } from '../../../lib/memory/row-block.ts'
import { packKeys, RowCodec, unpackKeys } from '../../../lib/memory/row-codec.ts'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import type { Key } from '../../../lib/record/key.ts'
import { makeMap, mapKeys } from '../../../lib/record/map.ts'
import { Origin, SourceFile, unknownOrigin } from '../../../lib/record/origin.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import { displayText } from '../../../lib/record/text.ts'
import type { Row, Value, ValueMap } from '../../../lib/record/value.ts'
import { rowOfValues, testOrigin, whole } from './rows.ts'
import { anyValue } from './values.ts'

/** Packs rows into a block, writes it, reads it, and unpacks them. */
function throughBytes(rows: readonly Row[], codec = new RowCodec()): Row[] {
  const block = new RowBlock()
  for (const [index, row] of rows.entries()) codec.pack(row, block, index)
  const read = RowBlock.from(Buffer.concat(block.parts()))
  return codec.unpack(read.slice(0, read.count))
}

const back = (value: Value): Value => throughBytes([rowOfValues({ a: value })])[0]?.a as Value

const date = (year: number, month: number, day: number): CivilDate => CivilDate.of(year, month, day) as CivilDate

describe('values', () => {
  test.each<[string, Value]>([
    ['null', null],
    ['true', true],
    ['0', 0],
    ['-0', -0],
    ['a small integer', -129],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER],
    ['the smallest safe integer', Number.MIN_SAFE_INTEGER],
    ['2^32', 2 ** 32],
    ['the first integer beyond', 2n ** 53n],
    ['the largest integer', 2n ** 63n - 1n],
    ['the smallest integer', -(2n ** 63n)],
    ['an integer beyond 64 bits', 2n ** 70n],
    ['a float', 0.1],
    ['the smallest float', 5e-324],
    ['a huge float', 1.7976931348623157e308],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['minus infinity', Number.NEGATIVE_INFINITY],
    ['a whole float', new Float(2)],
    ['a float -0', new Float(-0)],
    ['a large whole float', new Float(1e300)],
    ['a decimal with its scale', Decimal.of(150n, 2)],
    ['the largest decimal', Decimal.of(79228162514264337593543950335n, 28)],
    ['a negative decimal', Decimal.of(-5n, 0)],
    ['a date', date(2024, 2, 29)],
    ['a date before our era', date(-262142, 1, 1)],
    ['a date-time', CivilDateTime.of(date(2024, 2, 29), 23, 59, 59, 123456789) as CivilDateTime],
    ['a date-time before 1970', CivilDateTime.of(date(1969, 12, 31), 23, 59, 59, 1) as CivilDateTime],
    ['the empty text', ''],
    ['a text beyond the first plane', 'a😀é\0'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00b'],
    ['a long text', 'long '.repeat(20_000)],
    ['an empty array', []],
    ['an array of everything', [null, -0, 'x', new Float(3), [Decimal.of(0n, 5), [date(1, 1, 1)]], { a: [] }]],
    ['an empty map', {}],
    ['a map', { b: 1, a: { c: [null] } }],
  ])('%s comes back', (_, value) => {
    expect(back(value)).toStrictEqual(value)
  })

  test('an integer that is a BigInt although it is safe stays a BigInt', () => {
    expect(back(5n)).toBe(5n)
  })

  test('a map keeps the order of integer-like keys, and a key named __proto__', () => {
    const map = makeMap([
      ['b', 1],
      ['10', 2],
      ['__proto__', { x: 1 }],
      ['2', 3],
      ['constructor', 4],
      ['', 5],
    ])
    const same = back(map) as ValueMap
    expect(mapKeys(same)).toEqual(['b', '10', '__proto__', '2', 'constructor', ''])
    expect(Object.getPrototypeOf(same)).toBe(Object.prototype)
    expect(Object.entries(same)).toEqual(Object.entries(map))
  })

  test('undefined, from other code, becomes null; its Date stays one', () => {
    expect(back(undefined as unknown as Value)).toBeNull()
    expect(back(new Date(5) as unknown as Value)).toStrictEqual(new Date(5))
  })

  test('of every kind come back', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const same = back(value)
        // Not toStrictEqual, which stumbles over a key named `constructor`.
        expect(isDeepStrictEqual(same, value)).toBe(true)
        // With the keys of maps in their order.
        expect(displayText(same)).toBe(displayText(value))
      }),
    )
  })
})

describe('records', () => {
  test('keep shape, origin and row number', () => {
    const other = new Origin(new SourceFile('orders', 'second.csv'), {
      synthetic: true,
      synthesizedBy: 'a:b',
      mutatedBy: '',
    })
    const rows = [
      rowOfValues({ a: 1, b: 'x' }, 7),
      rowOfValues({ a: 2, b: 'y' }, 8, other),
      rowOfValues({ a: 3 }, 2 ** 40),
      rowOfValues({ a: 4, b: 'z' }, 0),
    ]
    expect(throughBytes(rows).map(whole)).toEqual(rows.map(whole))
    for (const [index, row] of throughBytes(rows).entries()) expect(originOf(row)).toBe(originOf(rows[index] as Row))
  })

  test('with odd column names, without columns, and very wide ones come back', () => {
    const wide: Row = {}
    for (let index = 0; index < 1000; index++) wide[`c${index}`] = index % 2 === 0 ? index : `${index}`
    const odd: [string, Value][] = [
      ['__proto__', 1],
      ['2024', 2],
      ['a.b', 3],
      ['', 4],
      ['it\'s "x"\n', 5],
    ]
    const rows = [rowOfValues(odd), rowOfValues({}), rowOfValues(wide)]
    expect(throughBytes(rows).map(whole)).toEqual(rows.map(whole))
  })

  test('nobody stamped become stamped ones', () => {
    const [row] = throughBytes([{ a: 1, b: 'x' }])
    expect(row).toEqual({ a: 1, b: 'x' })
    expect([shapeOf(row as Row)?.names, originOf(row as Row), rowOf(row as Row)]).toEqual([
      ['a', 'b'],
      unknownOrigin,
      0,
    ])
  })

  test('keep what their origin says when there are too many origins to remember', () => {
    const { file } = testOrigin
    const rows: Row[] = []
    for (let index = 0; index < 4500; index++) {
      const audit = { synthetic: index % 2 === 0, synthesizedBy: 'plan:fix', mutatedBy: `m\ud800${index}` }
      const keys = index % 3 === 0 ? { id: `k${index}`, '7': 2n ** 60n } : undefined
      const time = index % 5 === 0 ? CivilDateTime.fromEpoch(index, 5) : null
      const origin = new Origin(file, index % 7 === 0 ? undefined : audit, keys, { n: index, when: time }, time)
      rows.push(rowOfValues({ a: index, b: [index] }, index, origin))
    }
    const read = throughBytes(rows)
    expect(read.map(whole)).toEqual(rows.map(whole))
    expect(originOf(read.at(-1) as Row)?.file).toBe(file)
  })

  test('can be unpacked in parts', () => {
    const codec = new RowCodec()
    const block = new RowBlock()
    for (let index = 0; index < 10; index++) codec.pack(rowOfValues({ a: index }), block, index)
    expect(codec.unpack(block.slice(3, 6))).toEqual([{ a: 3 }, { a: 4 }, { a: 5 }])
    expect(block.numberAt(9)).toBe(9)
  })
})

test('group keys come back', () => {
  const keys: Key[] = [
    null,
    true,
    0,
    1.5,
    2 ** 53 - 1,
    2n ** 53n,
    2n ** 1000n,
    '',
    'a',
    '\0D2024-01-01',
    '\ud800',
    'é😀',
  ]
  expect(unpackKeys(packKeys(keys))).toEqual(keys)
  expect(unpackKeys(packKeys(['a', 1]))).toEqual(['a', 1])
})
