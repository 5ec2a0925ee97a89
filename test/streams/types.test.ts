import { Readable, Transform as NodeTransform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import type * as v from 'valibot'
import type { Cxl } from '../../streams/options.ts'
import {
  type Reshape,
  type ReshapeConfig,
  type ReshapeOptions,
  type Row,
  reshape,
  type Transform,
  type TransformConfig,
  transform,
} from '../../streams/index.ts'
import type { reshapeConfig } from '../../streams/reshape.ts'
import type { transformConfig } from '../../streams/transform.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A type all the way down: no `undefined` of optional keys, functions and texts for CXL alike. */
type Bare<T> = T extends string
  ? T
  : T extends (...given: never[]) => unknown
    ? Cxl
    : T extends readonly (infer Item)[]
      ? Bare<Item>[]
      : T extends object
        ? { [Key in keyof T]: Bare<Exclude<T[Key], undefined>> }
        : T

type Schema<S extends v.GenericSchema> = Bare<v.InferOutput<S>>

/** Keys that the schema knows only to refuse them. */
type Refused = 'analytic_window'

type LogEntry<Config extends { log?: unknown[] | undefined }> = NonNullable<Config['log']>[number]

interface Order {
  id: number
  amount: number
  note: string | null
}

describe('types', () => {
  test('of options are those of the schemas', () => {
    const same: [
      Same<keyof Schema<typeof reshapeConfig>, keyof ReshapeConfig>,
      Same<Schema<typeof reshapeConfig>['order_by'], Bare<ReshapeConfig>['order_by']>,
      Same<Schema<typeof reshapeConfig>['finalize'], Bare<ReshapeConfig>['finalize']>,
      Same<keyof Schema<typeof reshapeConfig>['rules'][0], keyof ReshapeConfig['rules'][0]>,
      Same<Exclude<keyof Schema<typeof transformConfig>, Refused>, keyof TransformConfig>,
      Same<Schema<typeof transformConfig>['declares'], Bare<TransformConfig>['declares']>,
      Same<Schema<typeof transformConfig>['phase'], Bare<TransformConfig>['phase']>,
      Same<keyof LogEntry<Schema<typeof transformConfig>>, keyof LogEntry<TransformConfig>>,
    ] = [true, true, true, true, true, true, true, true]
    expect(same).not.toContain(false)
    // Whatever the type allows, the schema takes.
    const taken = (config: ReshapeConfig): v.InferInput<typeof reshapeConfig> => config
    expect(taken({ partition_by: [], rules: [] })).toEqual({ partition_by: [], rules: [] })
  })

  test('of nodes fit pipeline() and for await', async () => {
    const doubled = new NodeTransform({ objectMode: true, transform: (record, _, done) => done(null, record) })
    const rows: unknown[] = []
    await pipeline(Readable.from([{ a: 1 }]), transform({ cxl: 'emit b = a' }), doubled, async (source) => {
      for await (const row of source) rows.push(row)
    })
    expect(rows).toEqual([{ a: 1, b: 1 }])
  })

  test('of records go through a node', async () => {
    const node: Reshape<Order> = reshape<Order>({
      partition_by: ['id'],
      order_by: [{ field: 'amount' }],
      rules: [
        { name: 'r', when: (order) => order.amount > 1, mutate: { set: { note: (order) => `was ${order.note}` } } },
      ],
    })
    node.end({ id: 1, amount: 2, note: null } satisfies Order)
    for await (const order of node.records()) expect(order.note?.length).toBe(8)
    const plain: Transform<Row> = transform({ cxl: '' })
    plain.destroy()
  })

  test('refuse columns that a record does not have', () => {
    // @ts-expect-error: no column `ide`
    const wrong: ReshapeOptions<Order>['partition_by'] = ['ide']
    expect(wrong).toEqual(['ide'])
  })
})
