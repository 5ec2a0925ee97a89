import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { compareForSort, compareText, compareValues, equalValues, sortComparator } from '../../../lib/record/compare.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { makeMap } from '../../../lib/record/map.ts'
import type { Row, Value } from '../../../lib/record/value.ts'

const date = (text: string): CivilDate => CivilDate.parse(text) as CivilDate
const time = (text: string): CivilDateTime => CivilDateTime.parse(text) as CivilDateTime
const decimal = (text: string): Decimal => Decimal.parse(text) as Decimal

const anyNumber = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.double().map((value) => (Number.isInteger(value) ? new Float(value) : value)),
  fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 20 })).map(([n, scale]) => Decimal.of(BigInt(n), scale)),
)
const anyValue: fc.Arbitrary<Value> = fc.oneof(
  anyNumber,
  fc.boolean(),
  fc.string({ unit: 'binary' }),
  fc.integer({ min: -1000, max: 1000 }).map((days) => CivilDate.fromDays(days)),
  fc.integer({ min: -1000, max: 1000 }).map((seconds) => CivilDateTime.fromEpoch(seconds)),
  fc.array(anyNumber, { maxLength: 3 }),
)

describe('text', () => {
  test('is ordered by code point, not by UTF-16 unit', () => {
    expect(compareText('a', 'b')).toBe(-1)
    expect(compareText('b', 'a')).toBe(1)
    expect(compareText('a', 'ab')).toBe(-1)
    expect(compareText('ab', 'a')).toBe(1)
    expect(compareText('', '')).toBe(0)
    expect(compareText('Z', 'a')).toBe(-1)
    expect(compareText('\u{1F600}', '\uFF5E')).toBe(1)
    expect(compareText('\uFF5E', '\u{1F600}')).toBe(-1)
    expect(compareText('\uFB01', '\u{10000}')).toBe(-1)
    expect(compareText('\u{1F600}', '\u{1F601}')).toBe(-1)
    expect(compareText('\u{1F600}', '\u{1F5FF}')).toBe(1)
    expect(compareText('é', '\u{1F600}')).toBe(-1)
  })

  test('agrees with the code points one by one', () => {
    const points = (text: string): number[] => [...text].map((character) => character.codePointAt(0) as number)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const left = points(a)
        const right = points(b)
        const at = left.findIndex((point, index) => point !== right[index])
        const expected =
          at < 0
            ? Math.sign(left.length - right.length)
            : at >= right.length
              ? 1
              : Math.sign((left[at] ?? 0) - (right[at] ?? 0))
        expect(compareText(a, b)).toBe(expected)
      }),
    )
  })
})

describe('equality', () => {
  test.each<[left: Value, right: Value, equal: boolean]>([
    [null, null, true],
    [null, 0, false],
    [2, new Float(2), true],
    [0, new Float(-0), true],
    [2, decimal('2.00'), true],
    [2.5, decimal('2.5'), false],
    [9007199254740993n, 9007199254740993n, true],
    [9007199254740993n, new Float(9007199254740992), true],
    [9007199254740993n, decimal('9007199254740993.0'), true],
    [9007199254740993n, decimal('9007199254740992'), false],
    [decimal('2.50'), decimal('2.5'), true],
    [Number.NaN, Number.NaN, false],
    [1, '1', false],
    [1, true, false],
    ['a', 'a', true],
    [true, true, true],
    [true, false, false],
    [date('2024-01-01'), date('2024-01-01'), true],
    [date('2024-01-01'), time('2024-01-01T00:00:00'), false],
    [time('2024-01-01T00:00:00'), time('2024-01-01T00:00:00'), true],
    [time('2024-01-01T00:00:00'), new Date('2024-01-01T00:00:00Z') as unknown as Value, true],
    [[1, [2, null]], [new Float(1), [2, null]], true],
    [[1, 2], [1], false],
    [[Number.NaN], [Number.NaN], false],
    [
      makeMap([
        ['a', 1],
        ['b', 2],
      ]),
      { b: 2, a: 1 },
      true,
    ],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: null }, { b: null }, false],
    [[], {}, false],
  ])('%s == %s is %s', (left, right, equal) => {
    expect(equalValues(left, right)).toBe(equal)
    expect(equalValues(right, left)).toBe(equal)
  })
})

describe('order in the language', () => {
  test.each<[left: Value, right: Value, order: -1 | 0 | 1 | undefined]>([
    [1, 2, -1],
    [1, new Float(1), 0],
    [1.5, 1, 1],
    [9007199254740993n, 9007199254740992n, 1],
    [decimal('4.99'), 5, -1],
    [5, decimal('5.0'), 0],
    [decimal('-0.1'), decimal('0.0'), -1],
    [1.5, decimal('1.6'), undefined],
    ['a', 'B', 1],
    ['10', '9', -1],
    ['1', 1, undefined],
    [date('2024-01-02'), date('2024-01-01'), 1],
    [time('2024-01-01T00:00:00'), time('2024-01-01T00:00:01'), -1],
    [date('2024-01-01'), time('2024-01-01T00:00:00'), undefined],
    [true, false, undefined],
    [null, 1, undefined],
    [Number.NaN, 1, undefined],
    [[1], [2], undefined],
    [{}, {}, undefined],
  ])('%s against %s is %s', (left, right, order) => {
    expect(compareValues(left, right)).toBe(order)
  })
})

describe('order of sorting', () => {
  test('kinds stand apart, numbers by exact value with NaN behind them', () => {
    const sorted: Value[] = [
      false,
      true,
      Number.NEGATIVE_INFINITY,
      -1,
      decimal('-0.5'),
      0,
      decimal('0.1'),
      0.1,
      1,
      new Float(9007199254740992),
      9007199254740993n,
      decimal('9007199254740993.5'),
      1e300,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      '',
      'a',
      'b',
      date('2024-01-01'),
      date('2024-01-02'),
      time('2024-01-01T00:00:00'),
      [],
      [1],
      [1, 0],
      [2],
      {},
    ]
    expect(sorted.toReversed().toSorted(compareForSort)).toEqual(sorted)
    expect(sorted.toSorted(compareForSort)).toEqual(sorted)
  })

  test('is a total order', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        expect(compareForSort(a, b)).toBe(0 - compareForSort(b, a))
        expect(compareForSort(a, a)).toBe(0)
        if (compareForSort(a, b) <= 0 && compareForSort(b, c) <= 0) expect(compareForSort(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

describe('sorting records', () => {
  const rows: Row[] = [{ n: 2, s: 'b' }, { n: null, s: 'a' }, { n: 10, s: 'a' }, { n: 2, s: 'a' }, { s: 'c' }]

  test('by several columns, nulls and absent cells last in both directions', () => {
    expect(rows.toSorted(sortComparator([{ column: 'n' }, { column: 's' }]))).toEqual([
      { n: 2, s: 'a' },
      { n: 2, s: 'b' },
      { n: 10, s: 'a' },
      { n: null, s: 'a' },
      { s: 'c' },
    ])
    expect(rows.toSorted(sortComparator([{ column: 'n', descending: true, nulls: 'last' }]))).toEqual([
      { n: 10, s: 'a' },
      { n: 2, s: 'b' },
      { n: 2, s: 'a' },
      { n: null, s: 'a' },
      { s: 'c' },
    ])
  })

  test('nulls first when asked for', () => {
    const order = sortComparator([{ column: 'n', nulls: 'first' }])
    expect(rows.toSorted(order).map((row) => row['n'])).toEqual([null, undefined, 2, 2, 10])
  })

  test('columns may have any name', () => {
    const column = '__proto__'
    const make = (value: Value): Row => makeMap([[column, value]])
    const order = sortComparator([{ column }, { column: 'a"]; b' }])
    expect(order(make(1), make(2))).toBe(-1)
    expect(order(make('x'), make('x'))).toBe(0)
  })

  test('nothing to sort by leaves everything as it came', () => {
    expect(sortComparator([])({ a: 1 }, { a: 2 })).toBe(0)
  })

  test('orders cells of every kind as their values, descending the other way round', () => {
    const near = fc.integer({ min: 1, max: 3 })
    const dates = fc.tuple(near, near, near).map(([y, month, day]) => CivilDate.of(2000 + y, month, day) as CivilDate)
    const cell = fc.oneof(anyValue, dates, fc.integer({ min: -1, max: 1 }), fc.constantFrom(-0, Number.NaN, '', 'a'))
    const [up, down] = [false, true].map((descending) => sortComparator([{ column: 'v', descending }]))
    fc.assert(
      fc.property(cell, cell, (a, b) => {
        const sign = (order: typeof up): number | undefined => order && Math.sign(order({ v: a }, { v: b })) + 0
        expect(sign(up)).toBe(compareForSort(a, b))
        expect(sign(down)).toBe(0 - compareForSort(a, b))
      }),
    )
  })

  test('gives the same order where no code may be generated', async () => {
    const generated = sortComparator([{ column: 'v', descending: true, nulls: 'first' }, { column: 'w' }])
    vi.resetModules()
    vi.stubGlobal('Function', () => {
      throw new EvalError('Code generation from strings disallowed for this context')
    })
    const { sortComparator: again } = await import('../../../lib/record/compare.ts')
    const plain = again([{ column: 'v', descending: true, nulls: 'first' }, { column: 'w' }])
    vi.unstubAllGlobals()
    const cell = fc.option(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.double(), fc.string()))
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const left = { v: a, w: b }
        const right = { v: c, w: d }
        expect(plain(left, right)).toBe(generated(left, right))
      }),
    )
  })
})
