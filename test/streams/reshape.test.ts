import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { originOf, rowOf } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'
import type { ClinkerError } from '../../lib/diagnostics/index.ts'
import { MemoryBudget, type ReshapeOptions, reshape } from '../../streams/index.ts'
import { describeContract, run } from './contract.ts'
import { letters, records } from './records.ts'

const passOn = { partition_by: ['g'], rules: [] }

/** What the rules make of records, values only. */
async function values(input: readonly object[], options: ReshapeOptions): Promise<unknown[][]> {
  return (await run(reshape(options), input)).map((record) => Object.values(record))
}

async function failure(input: readonly object[], options: ReshapeOptions): Promise<ClinkerError> {
  return run(reshape(options), input).then(
    () => Promise.reject(new Error('nothing failed')),
    (error) => error as ClinkerError,
  )
}

function refusal(options: unknown): string {
  try {
    reshape(options as ReshapeOptions)
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

describe('options', () => {
  test('are checked when the node is made, all of them at once', () => {
    expect(refusal({ partition_by: 'id', order_by: 'amount', sort_by: [] })).toBe(
      [
        'E000: reshape: unknown key `sort_by`',
        '  known keys: partition_by, order_by, rules, finalize, name, memory, spill_dir, on_error, dead_letters, batch, signal, functions',
        'E000: reshape: partition_by must be a list of column names, got "id"',
        'E000: reshape: order_by must be a list of { field, order }, got "amount"',
        'E000: reshape: rules is missing: it must be a list of { name, when, mutate, synthesize }',
      ].join('\n'),
    )
  })

  test('name the rule they are in', () => {
    const rule = { name: 'fix', when: 'a > 1', mutat: {}, synthesize: { copy_from: 'first' } }
    expect(refusal({ name: 'mend', partition_by: [], rules: [rule] })).toBe(
      [
        'E000: reshape "mend": unknown key `mutat` in rule "fix"',
        '  did you mean `mutate`? known keys: name, when, mutate, synthesize',
        'E000: reshape "mend": rule "fix": synthesize.copy_from must be `trigger` or `none`, got "first"',
      ].join('\n'),
    )
  })

  test('refuse CXL that does not parse, with its place', () => {
    const rule = { name: 'some', when: 'a > 1 && a < 5' }
    expect(refusal({ name: 'mend', partition_by: [], rules: [rule] })).toContain(
      'E202: reshape "mend": rule "some": when: ',
    )
  })

  test('refuse $doc, aggregates and columns of the engine', () => {
    const refused = (rule: object) =>
      refusal({ name: 'mend', partition_by: [], rules: [{ name: 'r', when: 'true', ...rule }] })
    expect(refused({ when: '$doc.head.code == 1' })).toMatch(/^E200: reshape "mend": rule "r": when: .*\$doc/)
    expect(refused({ when: 'a == max(a)' })).toMatch(/^E\d+: reshape "mend": rule "r": when: .*max/)
    expect(refused({ mutate: { set: { '$meta.synthetic': 'true' } } })).toBe(
      'E200: reshape "mend": rule "r": set writes `$meta.synthetic`, a column of the engine',
    )
    expect(refused({ synthesize: { copy_from: 'trigger', overrides: { $x: '1' } } })).toBe(
      'E200: reshape "mend": rule "r": override writes `$x`, a column of the engine',
    )
  })

  test('refuse a set of a partition field', () => {
    const rules = [{ name: 'regroup', when: 'true', mutate: { set: { g: "'q'" } } }]
    expect(refusal({ name: 'mend', partition_by: ['g'], rules })).toBe(
      [
        'E200: reshape "mend": rule "regroup": set writes "g", a field of partition_by',
        '  a record stays in its group; only an override may write this field',
      ].join('\n'),
    )
  })

  test('refuse rules that overlap for certain', () => {
    const writing = (name: string, when: ReshapeOptions['rules'][0]['when']) => ({
      name,
      when,
      mutate: { set: { b: "'z'" } },
    })
    const overlap = (...rules: object[]) => refusal({ name: 'mend', partition_by: [], rules }).split('\n')[0]
    expect(overlap(writing('first', 'a > 0'), writing('second', 'a  >  0 # same'))).toBe(
      'E200: reshape "mend": rules "first" and "second" have the same predicate and both set "b"',
    )
    expect(overlap(writing('some', 'a > 0'), writing('always', 'true'))).toBe(
      'E200: reshape "mend": rules "some" and "always" overlap, as one of them always fires, and both set "b"',
    )
    const same = () => true
    expect(overlap(writing('one', same), writing('two', same))).toContain('"one" and "two" have the same predicate')
    expect(overlap(writing('one', 'a > 0'), writing('two', 'a > 1'))).toBe('accepted')
  })
})

describe('columns of typed records', () => {
  const input = records({ g: 'string', a: 'int', b: 'string' }, [['x', 1, 'y']])
  const refused = async (options: Partial<ReshapeOptions>) =>
    (await failure(input, { name: 'mend', partition_by: ['g'], rules: [], ...options })).format()

  test('are looked up in partition_by and order_by', async () => {
    expect(await refused({ partition_by: ['gg'] })).toBe(
      'E200: reshape "mend": partition_by names `gg`, which is not a column of the input\n  did you mean `g`?',
    )
    expect(await refused({ order_by: [{ field: 'altitude' }] })).toBe(
      'E200: reshape "mend": order_by names `altitude`, which is not a column of the input\n  columns: g, a, b',
    )
  })

  test('are looked up in set, overrides and expressions, of all rules at once', async () => {
    const rules = [
      { name: 'one', when: 'a > 0', mutate: { set: { zone: '1' } } },
      { name: 'two', when: 'altitude > 1', synthesize: { copy_from: 'trigger' as const, overrides: { aa: '1' } } },
    ]
    const text = await refused({ rules })
    expect(text).toContain('E200: reshape "mend": rule "one": set names `zone`, which is not a column of the input')
    expect(text).toContain('E200: reshape "mend": rule "two": override names `aa`, which is not a column of the input')
    expect(text).toMatch(/E203: reshape "mend": rule "two": when: .*altitude/)
  })

  test('must all be given with copy_from: none', async () => {
    const synthesize = { copy_from: 'none' as const, overrides: { a: '2' } }
    expect(await refused({ rules: [{ name: 'r', when: 'a > 0', synthesize }] })).toBe(
      [
        'E200: reshape "mend": rule "r": with copy_from: none overrides must give every column; "g", "b" are missing',
        '  give each of them, or use copy_from: trigger',
      ].join('\n'),
    )
  })

  test('make when boolean', async () => {
    expect(await refused({ rules: [{ name: 'r', when: 'a + 1' }] })).toBe(
      'E200: reshape "mend": rule "r": when must be boolean, it is int\n  compare the value with something',
    )
  })

  test('have types that are checked', async () => {
    const rules = [{ name: 'r', when: 'a > 1', mutate: { set: { b: 'b * 2' } } }]
    expect(await refused({ rules })).toMatch(/^E200: reshape "mend": rule "r": set "b": /)
  })
})

describe('columns of plain objects', () => {
  test('may be absent in some records', async () => {
    const input = [{ id: 1 }, { id: 1, note: 'n' }, { other: true }]
    const rules = [{ name: 'r', when: 'id == 1', mutate: { set: { note: "'set'" } } }]
    expect(await run(reshape({ partition_by: ['id'], rules }), input)).toEqual([
      { id: 1, note: 'set' },
      { id: 1, note: 'set' },
      { other: true },
    ])
  })

  test('must be in one record at least', async () => {
    const rules = [{ name: 'r', when: 'id == 1', mutate: { set: { nte: "'set'" } } }]
    expect((await failure([{ id: 1 }, { note: 'n' }], { partition_by: ['id'], rules })).format()).toBe(
      'E200: reshape: rule "r": set names `nte`, which is not a column of the input\n  did you mean `note`?',
    )
  })
})

describe('groups', () => {
  const keyed = (...keys: unknown[]) => keys.map((g, n) => ({ g, n }))

  test('leave in the order their first record arrived', async () => {
    expect(await values(keyed('b', 'a', 'b', 'c', 'a'), passOn)).toEqual([
      ['b', 0],
      ['b', 2],
      ['a', 1],
      ['a', 4],
      ['c', 3],
    ])
  })

  test('are one null group for null, absent, blank, NaN, array and map', async () => {
    const input = [{ g: null, n: 0 }, { g: 'x', n: 1 }, { n: 2 }, ...keyed('', Number.NaN, [1], { a: 1 }, 'x', ' ')]
    const order = (await run(reshape(passOn), input)).map((record) => (record as Row).g)
    expect(order).toEqual([null, undefined, '', Number.NaN, [1], { a: 1 }, 'x', 'x', ' '])
  })

  test('keep kinds apart and numbers together', async () => {
    const big = 2n ** 60n
    const input = keyed(1, '1', true, 1.0, big, big + 1n, 'true', 0.5)
    expect((await values(input, passOn)).map(([, n]) => n)).toEqual([0, 3, 1, 2, 4, 5, 6, 7])
  })

  test('keep the fields of a compound key apart', async () => {
    const input = [
      { x: 'ab', y: 'c', n: 0 },
      { x: 'a', y: 'bc', n: 1 },
      { x: null, y: 'c', n: 2 },
      { x: 'ab', y: 'c', n: 3 },
      { x: '', y: 'c', n: 4 },
    ]
    expect((await values(input, { partition_by: ['x', 'y'], rules: [] })).map((row) => row[2])).toEqual([0, 3, 1, 2, 4])
  })

  test('are one group of everything for partition_by: []', async () => {
    const options = { partition_by: [], order_by: [{ field: 'n', order: 'desc' as const }], rules: [] }
    expect((await values(keyed('a', 'b', 'c'), options)).map(([, n]) => n)).toEqual([2, 1, 0])
  })

  test('are sorted stably, nulls last in both directions', async () => {
    const input = [3, null, 1, 3, null, 2].map((k, n) => ({ g: 1, k, n }))
    const sorted = async (order?: 'asc' | 'desc') =>
      (
        await values(input, { partition_by: ['g'], order_by: [{ field: 'k', ...(order ? { order } : {}) }], rules: [] })
      ).map((row) => row[2])
    expect(await sorted()).toEqual([2, 5, 0, 3, 1, 4])
    expect(await sorted('asc')).toEqual([2, 5, 0, 3, 1, 4])
    expect(await sorted('desc')).toEqual([0, 3, 5, 2, 1, 4])
  })

  test('sort text by code point and by several fields', async () => {
    const input = ['\u{1F600}', '\uFF5E', 'b', 'B'].map((k, n) => ({ g: 1, k, n }))
    expect((await values(input, { ...passOn, order_by: [{ field: 'k' }] })).map((row) => row[2])).toEqual([3, 2, 1, 0])
    const pairs = [
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      { a: 1, b: 2 },
    ]
    const order_by = [{ field: 'b', order: 'desc' as const }, { field: 'a' }]
    expect(await values(pairs, { partition_by: [], order_by, rules: [] })).toEqual([
      [1, 2],
      [1, 1],
      [2, 1],
    ])
  })

  test('give nothing for no input', async () => {
    expect(await run(reshape({ partition_by: ['g'], rules: [{ name: 'r', when: 'g == 1' }] }), [])).toEqual([])
  })
})

describe('rules', () => {
  const plans = records({ id: 'int', days: 'int', status: 'string' }, [
    [1, 400, 'a'],
    [1, 10, 'b'],
    [2, 500, 'c'],
    [1, 900, 'd'],
  ])

  test('mutate their trigger and synthesize from it as it came in', async () => {
    const rules = [
      {
        name: 'long',
        when: 'days > 365',
        mutate: { set: { days: '365', status: "status.concat('!')" } },
        synthesize: { copy_from: 'trigger' as const, overrides: { days: 'days - 365' } },
      },
    ]
    expect(await values(plans, { partition_by: ['id'], rules })).toEqual([
      [1, 365, 'a!'],
      [1, 10, 'b'],
      [1, 365, 'd!'],
      [1, 35, 'a'],
      [1, 535, 'd'],
      [2, 365, 'c!'],
      [2, 135, 'c'],
    ])
  })

  test('see original values only, so that two sets may swap columns', async () => {
    const rules = [
      { name: 'swap', when: 'a == 1', mutate: { set: { a: 'b', b: 'a' } } },
      { name: 'never', when: 'b == 1', mutate: { set: { c: '9' } } },
    ]
    expect(await values([{ a: 1, b: 2, c: 3 }], { partition_by: [], rules })).toEqual([[2, 1, 3]])
  })

  test('synthesize rule by rule, trigger by trigger, behind the originals and unsorted', async () => {
    const synthesize = (by: string) => ({ copy_from: 'trigger' as const, overrides: { n: by } })
    const rules = [
      { name: 'one', when: 'n > 1', synthesize: synthesize('0 - n') },
      { name: 'two', when: 'n > 2', synthesize: synthesize('n * 10') },
    ]
    const input = [1, 3, 2].map((n) => ({ n }))
    expect(await values(input, { partition_by: [], order_by: [{ field: 'n' }], rules })).toEqual(
      [1, 2, 3, -2, -3, 30].map((n) => [n]),
    )
  })

  test('build a record of nulls and overrides with copy_from: none, without carried columns', async () => {
    const input = records({ g: 'string', n: 'int' }, [['x', 1, 'c']], { carried: ['extra'] })
    const overrides = { g: 'g', n: 'n + 1' }
    const rules = [
      { name: 'none', when: 'n == 1', synthesize: { copy_from: 'none' as const, overrides } },
      { name: 'copy', when: 'n == 1', synthesize: { copy_from: 'trigger' as const } },
    ]
    expect(await run(reshape({ partition_by: ['g'], rules }), input)).toEqual([
      { g: 'x', n: 1, extra: 'c' },
      { g: 'x', n: 2 },
      { g: 'x', n: 1, extra: 'c' },
    ])
  })

  test('may write the partition field in an override', async () => {
    const rules = [
      { name: 'r', when: "g == 'a'", synthesize: { copy_from: 'trigger' as const, overrides: { g: "'z'" } } },
    ]
    expect(await values([{ g: 'a' }, { g: 'b' }], { partition_by: ['g'], rules })).toEqual([['a'], ['z'], ['b']])
  })

  test('do not fire on null', async () => {
    const rules = [{ name: 'r', when: 'n > 1', mutate: { set: { n: '0' } } }]
    expect(await values([{ n: null }, { n: 2 }], { partition_by: [], rules })).toEqual([[null], [0]])
  })

  test('may be functions, of the record as it came in', async () => {
    const rules = [
      {
        name: 'r',
        when: (record: Row) => (record.n as number) > 1,
        mutate: { set: { n: (record: Row) => (record.n as number) * 2, m: () => undefined } },
        synthesize: { copy_from: 'trigger' as const, overrides: { m: () => 'made' } },
      },
    ]
    expect(
      await values(
        [
          { n: 1, m: 'a' },
          { n: 2, m: 'b' },
        ],
        { partition_by: [], rules },
      ),
    ).toEqual([
      [1, 'a'],
      [4, null],
      [2, 'made'],
    ])
  })

  test('call concat as a function', async () => {
    const rules = [{ name: 'r', when: 'true', mutate: { set: { note: "concat(note, ' (corrected)')" } } }]
    expect(await values([{ note: 'x' }], { partition_by: [], rules })).toEqual([['x (corrected)']])
  })

  test('change the type of a column only in the values they write', async () => {
    const input = records({ g: 'int', f: 'float' }, [
      [1, 2],
      [2, 3.5],
      [3, 4],
    ])
    const rules = [{ name: 'r', when: 'g == 2', mutate: { set: { f: '7' } } }]
    const result = await run(reshape({ partition_by: ['g'], rules }), input)
    expect(result.map((record) => JSON.stringify(record))).toEqual(['{"g":1,"f":2}', '{"g":2,"f":7}', '{"g":3,"f":4}'])
    // Floats are told from ints by their form, once the column may hold either.
    expect(result.map((record) => `${(record as Row).f} ${typeof (record as Row).f}`)).toEqual([
      '2 object',
      '7 number',
      '4 object',
    ])
  })

  test('stop the stream with exit status 3 when they fail', async () => {
    const set = await failure(plans, {
      name: 'mend',
      on_error: 'continue',
      partition_by: ['id'],
      rules: [{ name: 'parse', when: 'true', mutate: { set: { days: 'status.to_int()' } } }],
    })
    expect([set.exit, set.message]).toEqual([
      3,
      expect.stringMatching(
        /reshape "mend": rule "parse": set "days" fails on row 1 of "rows" \(rows.csv\): .*cannot convert 'a'/,
      ),
    ])
    const when = await failure(plans, {
      partition_by: ['id'],
      rules: [{ name: 'ratio', when: '10 / (days - 10) > 2' }],
    })
    expect([when.exit, when.message]).toEqual([
      3,
      expect.stringMatching(/reshape: rule "ratio": when fails on row 2 of "rows" \(rows.csv\): .*division by zero/),
    ])
    const thrown = await failure([{ n: 1 }], {
      partition_by: [],
      rules: [
        {
          name: 'js',
          when: () => {
            throw new Error('no luck')
          },
        },
      ],
    })
    expect(thrown.message).toMatch(/rule "js": when fails on a record: no luck/)
  })
})

describe('stamps', () => {
  const audits = (rows: readonly object[]) => rows.map((row) => originOf(row)?.audit)
  const untouched = { synthetic: false, synthesizedBy: '', mutatedBy: '' }

  test('tell on every record what was done to it', async () => {
    const rules = [
      { name: 'one', when: 'n == 1', mutate: { set: { a: '1' } } },
      { name: 'two', when: 'n == 1', mutate: { set: { b: '1' } }, synthesize: { copy_from: 'trigger' as const } },
    ]
    const node = reshape({ name: 'mend', partition_by: [], rules })
    node.end(
      records({ n: 'int', a: 'int', b: 'int' }, [
        [0, 0, 0],
        [1, 0, 0],
      ]),
    )
    const rows = await node.toArray()
    expect(audits(rows)).toEqual([
      untouched,
      { synthetic: false, synthesizedBy: '', mutatedBy: 'mend:one,mend:two' },
      { synthetic: true, synthesizedBy: 'mend:two', mutatedBy: '' },
    ])
    // A synthesized record is of its trigger's row.
    expect(rows.map(rowOf)).toEqual([1, 2, 2])
  })

  test('are read by a second reshape, which stamps anew', async () => {
    const first = reshape({
      name: 'first',
      partition_by: [],
      rules: [{ name: 'split', when: 'n > 10', synthesize: { copy_from: 'trigger', overrides: { n: 'n - 10' } } }],
    })
    const second = reshape({
      name: 'second',
      partition_by: [],
      rules: [{ name: 'made', when: '$meta.synthetic', mutate: { set: { n: 'n * 100' } } }],
    })
    first.end([{ n: 14 }, { n: 1 }])
    const rows = (await first.pipe(second).toArray()) as Row[]
    expect(rows.map((row) => row.n)).toEqual([14, 1, 400])
    expect(audits(rows)).toEqual([untouched, untouched, { ...untouched, mutatedBy: 'second:made' }])
  })
})

describe('conflicts', () => {
  const visits = records({ room: 'string', m: 'int', note: 'string', alt: 'string' }, [
    ['r1', 2, '-', '-'],
    ['r1', 9, '-', '-'],
    ['r2', 3, '-', '-'],
    ['r1', 5, '-', '-'],
  ])
  const rules = [
    { name: 'one', when: 'm > 1', mutate: { set: { note: "'1'" } } },
    { name: 'two', when: 'm > 2', mutate: { set: { alt: "'2'" } } },
    { name: 'three', when: 'm > 3', mutate: { set: { alt: "'3'", note: "'3'" } } },
  ]

  test.each(['fail_fast', 'continue'] as const)('make dead letters of the whole group under %s', async (on_error) => {
    const { letters: found, dead_letters } = letters()
    const node = reshape({ name: 'mend', partition_by: ['room'], rules, on_error, dead_letters })
    expect(await run(node, visits)).toEqual([{ room: 'r2', m: 3, note: '1', alt: '2' }])
    const conflict = 'reshape "mend": rules "two" and "three" both set "alt"'
    const rest = { value: null, stage: 'reshape:mend:two+three' }
    const source = (row: number) => ({ name: 'rows', file: 'rows.csv', row })
    expect(found).toEqual([
      {
        ...rest,
        category: 'mutation_conflict',
        detail: `${conflict} on this record of group [room="r1"]; its 3 records are rolled back`,
        trigger: true,
        field: 'alt',
        record: visits[1],
        source: source(2),
      },
      ...[0, 3].map((index) => ({
        ...rest,
        category: 'correlated',
        detail: `${conflict} on another record of group [room="r1"]; its 3 records are rolled back`,
        trigger: false,
        field: '',
        record: visits[index],
        source: source(index + 1),
      })),
    ])
  })

  test('are found on the first record in group order, and between equal values too', async () => {
    const { letters: found, dead_letters } = letters()
    const same = [
      { name: 'a', when: 'm > 4', mutate: { set: { note: "'same'" } } },
      { name: 'b', when: 'm > 3', mutate: { set: { note: "'same'" } } },
    ]
    const node = reshape({ partition_by: ['room'], order_by: [{ field: 'm' }], rules: same, dead_letters })
    expect(await run(node, visits)).toEqual([{ room: 'r2', m: 3, note: '-', alt: '-' }])
    expect(found.map(({ category, source }) => [category, source.row])).toEqual([
      ['mutation_conflict', 4],
      ['correlated', 1],
      ['correlated', 2],
    ])
  })

  test('are none between overrides, nor between a set and an override', async () => {
    const synthesize = { copy_from: 'trigger' as const, overrides: { n: '0' } }
    const both = [
      { name: 'a', when: 'n == 1', mutate: { set: { n: '5' } }, synthesize },
      { name: 'b', when: 'n < 2', synthesize },
    ]
    expect(await values([{ n: 1 }], { partition_by: [], rules: both })).toEqual([[5], [0], [0]])
  })

  test('leave carried columns out of the dead letters', async () => {
    const { letters: found, dead_letters } = letters()
    const carrying = records({ m: 'int', note: 'string' }, [[9, 'n', 'x']], { carried: ['extra'] })
    const both = ['m > 1', 'm > 2'].map((when, index) => ({
      name: `r${index}`,
      when,
      mutate: { set: { note: "'z'" } },
    }))
    expect(await run(reshape({ partition_by: [], rules: both, dead_letters }), carrying)).toEqual([])
    expect(found.map((letter) => letter.record)).toEqual([{ m: 9, note: 'n' }])
    expect(found[0]?.detail).toContain('of the whole input; its 1 record is rolled back')
  })
})

describe('memory', () => {
  const long = 'x'.repeat(60)
  const giant = Array.from({ length: 400 }, (_, n) => ({ g: n % 50 ? 'GIANT' : `small${n}`, n, note: `${long}${n}` }))
  const rules = [
    {
      name: 'spike',
      when: 'n % 7 == 3',
      mutate: { set: { note: "'cut'" } },
      synthesize: { copy_from: 'trigger' as const, overrides: { n: '0 - n' } },
    },
  ]

  test('stops with E310 on a group that does not fit, naming it', async () => {
    const error = await failure(giant, { name: 'clean', partition_by: ['g'], rules, memory: new MemoryBudget('8K') })
    expect([error.code, error.exit]).toEqual(['E310', 1])
    expect(error.message).toMatch(/reshape "clean".*g ?= ?"GIANT"/)
    expect(error.message).toContain('8192')
  })

  test.each([undefined, [{ field: 'n', order: 'desc' as const }]])(
    'reads such a group twice with finalize: two_pass',
    async (order_by) => {
      const options = { partition_by: ['g'], rules, ...(order_by ? { order_by } : {}) }
      const memory = new MemoryBudget('8K')
      const resident = await run(reshape(options), giant)
      expect(await run(reshape({ ...options, finalize: 'two_pass', memory }), giant)).toEqual(resident)
      expect(memory.used).toBe(0)
      expect(memory.peak).toBeLessThanOrEqual(8192)
    },
  )

  test('gives large groups in batches, like small ones', async () => {
    const input = Array.from({ length: 1500 }, (_, n) => ({ g: 1, n, note: 'x' }))
    const node = reshape({ partition_by: ['g'], rules, batch: true })
    node.end(input)
    const chunks = (await node.toArray()) as Row[][]
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(512)
    const fired = input.filter(({ n }) => n % 7 === 3)
    expect(chunks.flat().map(({ n, note }) => [n, note])).toEqual([
      ...input.map(({ n }) => [n, n % 7 === 3 ? 'cut' : 'x']),
      ...fired.map(({ n }) => [-n, 'x']),
    ])
  })

  test('stops on a rule that fails behind a conflict, however large the group is', async () => {
    const failing = [
      { name: 'a', when: 'n == 1', mutate: { set: { note: "'a'" } } },
      { name: 'b', when: '1 / (n - 300) == 5 or n < 2', mutate: { set: { note: "'b'" } } },
    ]
    for (const memory of ['1M', '8K']) {
      const options = {
        partition_by: ['g'],
        rules: failing,
        finalize: 'two_pass' as const,
        memory: new MemoryBudget(memory),
      }
      expect(
        (
          await failure(
            giant.map((row) => ({ ...row, g: 1 })),
            options,
          )
        ).message,
      ).toContain('division by zero')
    }
  })

  test('asks for the time once in a group that is read twice', async () => {
    // Without it the rule could fire in one pass and not in another.
    const timed = [{ name: 'r', when: 'now == now', synthesize: { copy_from: 'trigger' as const } }]
    const options = { partition_by: ['g'], rules: timed, finalize: 'two_pass' as const, memory: new MemoryBudget('8K') }
    const input = giant.map((row) => ({ ...row, g: 1 }))
    expect((await run(reshape(options), input)).length).toBe(2 * input.length)
  })

  test('waits for full dead letters between groups', async () => {
    let waiting = 0
    let most = 0
    const dead_letters = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write(_, __, callback) {
        setImmediate(() => {
          waiting = dead_letters.writableLength
          most = Math.max(most, waiting)
          callback()
        })
      },
    })
    const both = ['n >= 0', 'n > -1'].map((when, index) => ({
      name: `r${index}`,
      when,
      mutate: { set: { note: "'z'" } },
    }))
    const input = Array.from({ length: 3000 }, (_, n) => ({ g: n, n, note: '' }))
    expect(await run(reshape({ partition_by: ['g'], rules: both, dead_letters }), input)).toEqual([])
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(600)
  })

  test('finds the same conflicts with two_pass', async () => {
    const colliding = [
      ...rules,
      { name: 'late', when: 'n == 388', mutate: { set: { note: "'late'" } } },
      { name: 'later', when: 'n > 387', mutate: { set: { note: "'later'" } } },
    ]
    const found = async (options: Partial<ReshapeOptions>) => {
      const { letters: each, dead_letters } = letters()
      const rows = await run(reshape({ partition_by: ['g'], rules: colliding, dead_letters, ...options }), giant)
      return { rows, letters: each }
    }
    const resident = await found({})
    expect(resident.letters.length).toBe(392)
    expect(await found({ finalize: 'two_pass', memory: new MemoryBudget('8K') })).toEqual(resident)
  })
})

describeContract({
  title: 'reshape',
  streams: false,
  input: Array.from({ length: 600 }, (_, n) => ({ g: `g${(n * 7) % 150}`, n, note: `note ${n}` })),
  output: contractOutput(),
  make: (streams, options) =>
    streams.reshape({
      partition_by: ['g'],
      order_by: [{ field: 'n', order: 'desc' }],
      rules: [
        {
          name: 'tenth',
          when: 'n % 10 == 3',
          mutate: { set: { note: "note.concat('!')" } },
          synthesize: { copy_from: 'trigger', overrides: { n: '0 - n' } },
        },
      ],
      ...options,
    }),
  hostile: (streams, column, options) => {
    const own = <V>(entries: [string, V][]): Record<string, V> => Object.fromEntries(entries)
    const rule = {
      name: 'r',
      when: 'other == 1',
      mutate: { set: own([[column, "'set'"]]) },
      synthesize: { copy_from: 'trigger' as const, overrides: own([[column, "'made'"]]) },
    }
    return {
      node: streams.reshape({ partition_by: ['other'], order_by: [{ field: column }], rules: [rule], ...options }),
      input: [
        own<unknown>([
          [column, 'b'],
          ['other', 1],
        ]),
        own<unknown>([
          [column, 'a'],
          ['other', 2],
        ]),
      ],
      output: [
        own<unknown>([
          [column, 'set'],
          ['other', 1],
        ]),
        own<unknown>([
          [column, 'made'],
          ['other', 1],
        ]),
        own<unknown>([
          [column, 'a'],
          ['other', 2],
        ]),
      ],
    }
  },
})

function contractOutput(): object[] {
  const groups = new Map<string, { g: string; n: number; note: string }[]>()
  for (let n = 0; n < 600; n++) {
    const g = `g${(n * 7) % 150}`
    groups.set(g, [{ g, n, note: `note ${n}` }, ...(groups.get(g) ?? [])])
  }
  return [...groups.values()].flatMap((rows) => [
    ...rows.map((row) => (row.n % 10 === 3 ? { ...row, note: `${row.note}!` } : row)),
    ...rows.filter((row) => row.n % 10 === 3).map((row) => ({ ...row, n: -row.n })),
  ])
}
