import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import type { ClinkerError } from '../../lib/diagnostics/index.ts'
import { MemoryBudget, SpillFolder } from '../../lib/memory/index.ts'
import { Decimal } from '../../lib/record/decimal.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { originOf, rowOf, shapeOf, stamp } from '../../lib/record/stamp.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import { parseTypeName } from '../../lib/schema/index.ts'
import { edgeOf } from '../../streams/from-code.ts'
import type { Edge, PlanContext, RunContext } from '../../streams/node.ts'
import { type OutputConfig, type OutputOptions, output, outputNode, type OutputPlan } from '../../streams/output.ts'
import { describeContract, hostileNames, run } from './contract.ts'
import { records } from './records.ts'

const context: PlanContext = { name: 'o', node: 'output "o"', scope: () => ({}), place: () => undefined }

/** Plans an output over columns `id: int, crew: string, w: nullable(int)`. */
function planned(config: OutputConfig, input: Partial<Edge> = {}): OutputPlan {
  const columns = Object.entries({ id: 'int', crew: 'string', w: 'nullable(int)' })
  const edge = {
    columns: columns.map(([name, type]) => ({ name, type: parseTypeName(type) as never })),
    carries: false,
  }
  return outputNode.plan(config, { ...edge, audited: false, ...input }, context)
}

const heats = { id: 'int', crew: 'string', w: 'nullable(int)' }
const rows: Value[][] = [
  [1, 'red', 5],
  [2, 'blue', 7],
  [3, 'red', null],
  [4, '', 2],
]

/** What the planned output makes of records: their columns in order, then a line of values for each. */
async function written(
  config: OutputConfig,
  input: readonly Row[] = records(heats, rows),
  edge: Partial<Edge> = edgeOf(shapeOf(input[0] as Row) as never),
): Promise<{ lines: string[]; warnings: string[]; out: Row[] }> {
  const warnings: string[] = []
  const environment = {} as RunContext['environment']
  const folder = new SpillFolder()
  const stream = planned(config, edge).stream({
    budget: new MemoryBudget('64K'),
    folder,
    environment,
    on_error: 'fail_fast',
    report: () => {},
    warn: (message) => void warnings.push(message),
    log: () => {},
    batch: true,
  })
  const out: Row[] = []
  await pipeline(Readable.from([[...input]]), stream, async (source: AsyncIterable<Row[]>) => {
    for await (const batch of source) out.push(...batch)
  })
  folder.close()
  const line = (record: Row): string =>
    (shapeOf(record)?.names ?? []).map((name) => `${name}=${record[name]}`).join(' ')
  return { lines: out.map(line), warnings, out }
}

function refusal(plan: () => unknown): string {
  try {
    plan()
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

describe('exclude', () => {
  test('leaves columns out and keeps the order of the rest; an unknown name is ignored', async () => {
    expect((await written({ exclude: ['crew', 'nope'] })).lines).toEqual([
      'id=1 w=5',
      'id=2 w=7',
      'id=3 w=null',
      'id=4 w=2',
    ])
    expect(planned({ exclude: ['crew'] }).header).toEqual(['id', 'w'])
  })

  test('may name carried columns', async () => {
    const input = records({ id: 'int' }, [[1, 'x', 'y']], { carried: ['a', 'b'] })
    expect((await written({ exclude: ['a'] }, input)).lines).toEqual(['id=1 b=y'])
  })

  test('without anything to do records pass as they are', async () => {
    const input = records(heats, rows)
    expect((await written({}, input)).out[0]).toBe(input[0])
  })
})

describe('mapping', () => {
  test('lists the first columns; the others follow in their order', async () => {
    const mapping = ['w', { 'boat id': 'id' }]
    expect((await written({ mapping })).lines[0]).toBe('w=5 boat id=1 crew=red')
    expect(planned({ mapping }).header).toEqual(['w', 'boat id', 'crew'])
  })

  test('with include_unmapped: false it is the whole output', async () => {
    const mapping = ['w', { 'boat id': 'id' }, { again: 'id' }]
    expect((await written({ mapping, include_unmapped: false })).lines[2]).toBe('w=null boat id=3 again=3')
  })

  test('may list carried columns, which records that lack them have as null', async () => {
    const input = [
      ...records({ id: 'int' }, [[1]]),
      ...records({ id: 'int' }, [[2, 4, 'x']], { carried: ['lane', 'note'] }),
    ]
    expect(await written({ mapping: ['lane', 'id'] }, input)).toMatchObject({
      lines: ['lane=null id=1', 'lane=4 id=2 note=x'],
      warnings: [],
    })
  })

  test('W365 names a listed column that no record had', async () => {
    const { lines, warnings } = await written({ mapping: ['crwe'] }, records(heats, rows), { carries: true })
    expect(lines[0]).toBe('crwe=null id=1 crew=red w=5')
    expect(warnings).toEqual(['W365: output "o": mapping reads `crwe`, which no record had'])
  })

  test('W366 names a carried column that lost its name, and the mapped value wins', async () => {
    const input = records({ id: 'int', crew: 'string' }, [[1, 'red', 9]], { carried: ['lane'] })
    const { lines, warnings } = await written({ mapping: [{ lane: 'crew' }] }, input)
    expect(lines).toEqual(['lane=red id=1'])
    expect(warnings).toEqual([
      'W366: output "o": mapping writes `lane`, so the column of that name that records carry was not written',
    ])
  })

  test.each([
    [[], 'E364: output "o": mapping is empty\n  list the columns to write, or leave mapping out'],
    [
      { w: 'id' },
      'E364: output "o": mapping must be a list, got a map\n  mapping is a list of columns, each `name` or `new: old`',
    ],
    [['w', { w: 'id' }], 'E364: output "o": mapping writes the column `w` twice\n  give each column its own name'],
    [
      [{ a: 'id', b: 'id' }],
      'E364: output "o": an item of mapping is `name` or `new: old`, got {"a":"id","b":"id"}\n' +
        '  mapping is a list of columns, each `name` or `new: old`',
    ],
    [
      [{ crew: 'id' }],
      'E364: output "o": mapping writes `crew`, and the column of that name is written, too\n' +
        '  exclude `crew`, list it in mapping, or set include_unmapped: false',
    ],
    [['crwe'], 'E365: output "o": mapping reads `crwe`, which no record can have\n  did you mean `crew`?'],
  ])('%j is refused', (mapping, message) => {
    expect(refusal(() => planned({ mapping } as never))).toBe(message)
  })

  test('reading an excluded column is refused', () => {
    expect(refusal(() => planned({ mapping: [{ x: 'id' }], exclude: ['id'] }))).toBe(
      'E364: output "o": mapping reads `id`, which exclude leaves out\n  remove one of them',
    )
  })

  test('a clash is resolved by exclude, by include_unmapped: false and by listing both', () => {
    expect(planned({ mapping: [{ crew: 'id' }], exclude: ['crew'] }).header).toEqual(['crew', 'w'])
    expect(planned({ mapping: [{ crew: 'id' }], include_unmapped: false }).header).toEqual(['crew'])
    expect(planned({ mapping: [{ crew: 'id' }, { id: 'crew' }] }).header).toEqual(['crew', 'id', 'w'])
  })

  test('any name may exist where records carry columns, unless they are left out', () => {
    expect(refusal(() => planned({ mapping: ['crwe'] }, { carries: true }))).toBe('accepted')
    expect(refusal(() => planned({ mapping: ['crwe'], include_unmapped: false }, { carries: true }))).toContain('E365')
  })
})

describe('include_unmapped: false', () => {
  test('removes carried columns', async () => {
    const input = records({ id: 'int' }, [[1, 'x']], { carried: ['a'] })
    expect((await written({ include_unmapped: false }, input)).lines).toEqual(['id=1'])
  })

  test('keeps what the last transform emitted, in the order of the columns', async () => {
    const edge = { ...edgeOf(shapeOf(records(heats, rows)[0] as Row) as never), emitted: ['w', 'id'] }
    expect((await written({ include_unmapped: false }, records(heats, rows), edge)).lines[0]).toBe('id=1 w=5')
    expect(planned({ include_unmapped: false }, { emitted: ['w', 'id'] }).header).toEqual(['id', 'w'])
    expect(planned({ mapping: ['crew'], include_unmapped: false }, { emitted: ['w', 'id'] }).header).toEqual(['crew'])
  })
})

describe('include_correlation_keys', () => {
  const input = records(
    { id: 'int' },
    [
      [1, 'x'],
      [2, 'y'],
    ],
    { carried: ['note'] },
  )
  for (const [index, record] of input.entries()) {
    const origin = new Origin(new SourceFile('rows', 'rows.csv'), undefined, { id: `k${index}`, 'a b': null })
    stamp(record, shapeOf(record) as never, origin, rowOf(record))
  }

  test('adds the keys behind the declared columns', async () => {
    expect((await written({ include_correlation_keys: true }, input)).lines).toEqual([
      'id=1 $ck.id=k0 $ck.a b=null note=x',
      'id=2 $ck.id=k1 $ck.a b=null note=y',
    ])
    expect((await written({ include_correlation_keys: true, include_unmapped: false }, input)).lines[1]).toBe(
      'id=2 $ck.id=k1 $ck.a b=null',
    )
    expect((await written({}, input)).lines[0]).toBe('id=1 note=x')
  })
})

describe('schema', () => {
  test('rounds decimals half to even, and adds no places', async () => {
    const input = records(
      { d: 'decimal' },
      ['0.25', '0.35', '-0.25', '7', '2.71828'].map((text) => [Decimal.parse(text) as Decimal]),
    )
    const schema = [{ name: 'd', type: 'decimal', scale: 1 }]
    expect((await written({ schema }, input)).lines).toEqual(['d=0.2', 'd=0.4', 'd=-0.2', 'd=7', 'd=2.7'])
  })

  test('columns that only it names stand in the header behind the others', () => {
    const schema = [
      { name: 'crew', type: 'string' },
      { name: 'extra', type: 'string' },
    ]
    const plan = planned({ schema })
    expect(plan.header).toEqual(['id', 'crew', 'w', 'extra'])
    expect(plan.output.columns.map(({ name }) => name)).toEqual(['id', 'crew', 'w'])
  })

  test('is checked', () => {
    expect(refusal(() => planned({ schema: [{ name: 'd', type: 'dezimal' }] }))).toContain('unknown type')
  })
})

describe('sort_order', () => {
  test.each([
    [['w'], [4, 1, 2, 3]],
    [[{ field: 'w', order: 'desc' }], [2, 1, 4, 3]],
    [[{ field: 'w', order: 'desc', null_order: 'first' }], [3, 2, 1, 4]],
    [
      ['crew', { field: 'id', order: 'desc' }],
      [4, 2, 3, 1],
    ],
    [['crew'], [4, 2, 1, 3]],
  ])('%j', async (sort_order, ids) => {
    const { out, warnings } = await written({ sort_order } as OutputConfig)
    expect(out.map(({ id }) => id)).toEqual(ids)
    expect(warnings).toEqual([])
  })

  test('null_order: drop removes records and says how many', async () => {
    const { out, warnings } = await written({ sort_order: [{ field: 'w', null_order: 'drop' }], exclude: ['w'] })
    expect(out).toEqual([
      { id: 4, crew: '' },
      { id: 1, crew: 'red' },
      { id: 2, crew: 'blue' },
    ])
    expect(warnings).toEqual(['output "o": 1 record without `w` dropped by null_order: drop'])
  })

  test('sorts more than fits into memory, stable', async () => {
    const many = Array.from({ length: 5000 }, (_, index): Value[] => [index, `crew ${index % 7}`, null])
    const { out } = await written({ sort_order: ['crew'] }, records(heats, many))
    expect(out.map(({ id }) => id)).toEqual(many.map(([id]) => id as number).sort((a, b) => (a % 7) - (b % 7) || a - b))
  })

  test.each([
    ['nope', {}, 'E203: output "o": sort_order names `nope`, which is no declared or emitted column'],
    [
      'rating',
      { carries: true },
      'E203: output "o": sort_order names `rating`, which is no declared or emitted column\n  declare it in the schema of its source',
    ],
    [
      'crwe',
      {},
      'E203: output "o": sort_order names `crwe`, which is no declared or emitted column\n  did you mean `crew`?',
    ],
  ])('%s is refused', (field, edge, message) => {
    expect(refusal(() => planned({ sort_order: [field] }, edge))).toBe(message)
  })
})

describe('from code', () => {
  test('options are checked when it is made', () => {
    expect(refusal(() => output({ sort_order: [{ field: 'w', order: 'down' }] } as never))).toBe(
      'E000: output: sort_order[0].order must be `asc` or `desc`, got "down"',
    )
    expect(refusal(() => output({ exlude: [] } as never))).toBe(
      'E000: output: unknown key `exlude`\n  did you mean `exclude`? known keys: mapping, exclude, include_unmapped, include_correlation_keys, schema, sort_order, name, memory, spill_dir, on_error, dead_letters, batch, signal, functions',
    )
    expect(refusal(() => output({ mapping: [] }))).toContain('E364')
  })

  test('plain objects have the columns they have', async () => {
    const given = [
      { id: 1, a: 'x' },
      { b: 2, id: 2 },
    ]
    expect(await run(output({ mapping: [{ nr: 'id' }] }), given)).toEqual([
      { nr: 1, a: 'x' },
      { nr: 2, b: 2 },
    ])
    expect(await run(output({ sort_order: [{ field: 'id', order: 'desc' }] }), given)).toEqual([
      { b: 2, id: 2 },
      { id: 1, a: 'x' },
    ])
  })

  test('records keep origin and row', async () => {
    const [record] = (await written({ exclude: ['crew'] })).out
    expect(rowOf(record as Row)).toBe(1)
    expect(originOf(record as Row)?.file.path).toBe('rows.csv')
  })

  test('wide records are written without generated code', async () => {
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`c${index}`, index]))
    const [record] = (await run(output({ exclude: ['c0'] }), [wide])) as Row[]
    expect(Object.keys(record as Row)).toEqual(Object.keys(wide).slice(1))
  })

  test.each(hostileNames)('the column %j is renamed, excluded and sorted by', async (name) => {
    const given = [
      Object.fromEntries([
        [name, 2],
        ['x', 1],
      ]),
      Object.fromEntries([
        [name, 1],
        ['x', 2],
      ]),
    ]
    const options: OutputOptions = {
      mapping: [Object.fromEntries([['y', name]]), Object.fromEntries([[name, 'x']])],
      sort_order: [name],
    }
    expect(await run(output(options), given)).toEqual([
      Object.fromEntries([
        ['y', 1],
        [name, 2],
      ]),
      Object.fromEntries([
        ['y', 2],
        [name, 1],
      ]),
    ])
  })
})

const many = Array.from({ length: 400 }, (_, index) => ({ g: index % 9, id: index, note: 'n'.repeat(index % 50) }))
const projected = many.map(({ id, g }) => ({ key: id, g }))

describeContract({
  title: 'output',
  make: (streams, options) => streams.output({ ...options, mapping: [{ key: 'id' }], exclude: ['note'] }),
  input: many,
  output: projected,
  hostile: (streams, column, options) => ({
    node: streams.output({ ...options, mapping: [column] }),
    input: [
      Object.fromEntries([
        ['x', 1],
        [column, 2],
      ]),
    ],
    output: [
      Object.fromEntries([
        [column, 2],
        ['x', 1],
      ]),
    ],
  }),
  streams: true,
})

describeContract({
  title: 'output with sort_order',
  make: (streams, options) =>
    streams.output({ ...options, mapping: [{ key: 'id' }], exclude: ['note'], sort_order: ['g'] }),
  input: many,
  output: projected.toSorted((a, b) => a.g - b.g),
  hostile: (streams, column, options) => ({
    node: streams.output({ ...options, sort_order: [{ field: column, order: 'desc' }] }),
    input: [Object.fromEntries([[column, 1]]), Object.fromEntries([[column, 2]])],
    output: [Object.fromEntries([[column, 2]]), Object.fromEntries([[column, 1]])],
  }),
  streams: false,
})
