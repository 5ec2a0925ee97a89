import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bareEnvironment } from '../../lib/cxl/engine.ts'
import { MemoryBudget, SpillFolder } from '../../lib/memory/index.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import type { DeadLetter, Edge, PlanContext, RunContext } from '../../streams/node.ts'
import { fuseTransforms, type TransformConfig, type TransformPlan, transformNode } from '../../streams/transform.ts'
import { plain } from '../streams/contract.ts'
import { shapeOf } from '../../lib/record/stamp.ts'
import { records } from '../streams/records.ts'

const columns = { a: 'int', b: 'nullable(int)', s: 'string', xs: 'array' }

/** Statements that read and write columns of every transform of a chain; some fail on some records. */
const statement = fc.constantFrom(
  'emit a = a + 1',
  'emit b = a * 2',
  'emit c = 12 / (a - 3)',
  'emit n = s.to_int()',
  'emit s = s.concat("1")',
  'emit extra = b ?? 0',
  'let t = a - 1\nemit t = t',
  'filter a > 1',
  'filter b != 4',
  'distinct by s',
  'emit each x in xs { emit x = 6 / x }',
)

const program: fc.Arbitrary<TransformConfig> = fc
  .tuple(fc.array(statement, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([statements, checked]) => ({
    cxl: [...statements].sort(eachLast).join('\n'),
    max_expansion: 3,
    ...(checked ? { validations: [{ check: 'a < 6', name: 'small' }] } : {}),
  }))

const row: fc.Arbitrary<Value[]> = fc.tuple(
  fc.integer({ min: 0, max: 7 }),
  fc.option(fc.integer({ min: 0, max: 3 })),
  fc.constantFrom('1', '22', 'x', ''),
  fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
  fc.constantFrom('carried', null),
)

describe('transforms', () => {
  test('fused are the same as one by one: records and dead letters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(program, { minLength: 1, maxLength: 4 }),
        fc.array(row, { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        async (configs, rows, size) => {
          const input = records(columns, rows, { carried: ['more'] })
          const plans = chain(configs)
          const apart = await execute(plans, input, size)
          const fused = await execute([fuseTransforms(plans)], input, input.length || 1)
          expect(fused.rows).toEqual(apart.rows)
          expect(sorted(fused.letters)).toEqual(sorted(apart.letters))
        },
      ),
    )
  })
})

describe('fused transforms', () => {
  const failing = ['distinct by s', 'emit a = a + 1', 'emit n = s.to_int()'].map((cxl) => ({ cxl }))
  const input = records(columns, [
    [1, null, '1', []],
    [2, null, 'x', []],
    [3, null, 'x', []],
  ])

  test('stop under fail_fast at the stage that fails', async () => {
    for (const configs of [failing, failing.slice(1)]) {
      const error = await execute([fuseTransforms(chain(configs))], input, 3, 'fail_fast').then(
        () => 'nothing failed',
        (thrown: Error) => thrown.message,
      )
      expect(error).toContain(`transform "t${configs.length - 1}": field "n" fails on row 2 of "rows" (rows.csv)`)
    }
  })

  test('hold no more than a batch of what one record becomes', async () => {
    const block = { cxl: 'emit each x in xs { emit a = x }' }
    const thousand = Array.from({ length: 1000 }, (_, index) => index)
    const [plan] = [fuseTransforms(chain([block, block]))]
    let rows = 0
    for await (const batch of plan
      .stream(contextFor('continue', []))
      .end(records(columns, [[1, null, '', thousand]]))) {
      expect((batch as Row[]).length).toBeLessThanOrEqual(1000)
      rows += (batch as Row[]).length
    }
    expect(rows).toBe(1_000_000)
  })
})

function chain(configs: readonly TransformConfig[]): TransformPlan[] {
  let edge: Edge = { columns: inputColumns(), carries: true, audited: false }
  return configs.map((config, index) => {
    const plan = transformNode.plan(config, edge, contextOf(`t${index}`)) as TransformPlan
    edge = plan.output
    return plan
  })
}

function inputColumns(): Edge['columns'] {
  const [sample] = records(columns, [[0, null, '', [], null]], { carried: ['more'] })
  return shapeOf(sample as Row)?.columns.slice(0, Object.keys(columns).length) ?? []
}

function contextOf(name: string): PlanContext {
  return {
    name,
    node: `transform "${name}"`,
    scope: (edge) => ({ columns: new Map(edge?.columns.map((column) => [column.name, column.type])) }),
    place: () => undefined,
  }
}

function contextFor(on_error: RunContext['on_error'], letters: DeadLetter[]): RunContext {
  return {
    budget: new MemoryBudget(),
    folder: new SpillFolder(),
    environment: bareEnvironment(),
    on_error,
    report: (letter) => void letters.push(letter),
    warn: () => {},
    log: () => {},
    batch: true,
  }
}

async function execute(
  plans: readonly Pick<TransformPlan, 'stream'>[],
  input: readonly Row[],
  size: number,
  on_error: RunContext['on_error'] = 'continue',
) {
  const letters: DeadLetter[] = []
  const run = contextFor(on_error, letters)
  const batches: Row[][] = []
  for (let from = 0; from < input.length; from += size) batches.push(input.slice(from, from + size))
  const rows: Row[] = []
  const collect = async (source: AsyncIterable<Row[]>): Promise<void> => {
    for await (const batch of source) rows.push(...batch)
  }
  await pipeline([Readable.from(batches), ...plans.map((plan) => plan.stream(run)), collect as never])
  return { rows: plain(rows), letters }
}

/** By source row and stage: between two streams the order is that of their batches. */
function sorted(letters: readonly DeadLetter[]): unknown[] {
  const key = (letter: DeadLetter) => `${letter.source.row} ${letter.stage}`.padStart(20)
  return letters
    .map((letter) => [key(letter), { ...letter, record: { ...letter.record } }])
    .sort(([x], [y]) => ((x as string) < (y as string) ? -1 : 1))
}

/** A block stands last: what is emitted behind it is not part of its records. */
function eachLast(x: string, y: string): number {
  return Number(x.startsWith('emit each')) - Number(y.startsWith('emit each'))
}
