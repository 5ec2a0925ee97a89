import { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../../lib/record/value.ts'
import { type DeadLetter, MemoryBudget, type ReshapeRule, reshape } from '../../streams/index.ts'
import { batches, run } from '../streams/contract.ts'

/** A record: `g` the key, `k` to sort by, `bits` says which rules fire. */
interface Sample {
  g: number | string | null
  k: number | null
  bits: number
  a: number
  b: number
}

interface Plan {
  rules: { sets: ('a' | 'b')[]; copy: 'trigger' | 'none' | undefined }[]
  order: 'asc' | 'desc' | undefined
}

const sample: fc.Arbitrary<Sample> = fc.record({
  g: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('', '1', 'x'), fc.constant(null)),
  k: fc.option(fc.integer({ min: -2, max: 2 })),
  bits: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.integer({ min: 0, max: 7 }) }),
  a: fc.integer({ min: 0, max: 99 }),
  b: fc.integer({ min: 0, max: 99 }),
})

const plan: fc.Arbitrary<Plan> = fc.record({
  rules: fc.array(
    fc.record({
      sets: fc.subarray<'a' | 'b'>(['a', 'b']),
      copy: fc.constantFrom<'trigger' | 'none' | undefined>('trigger', 'none', undefined),
    }),
    { maxLength: 3 },
  ),
  order: fc.constantFrom<'asc' | 'desc' | undefined>('asc', 'desc', undefined),
})

const columns = ['g', 'k', 'bits', 'a', 'b'] as const

/** The node as its documentation tells it, one sentence a line. */
function expected(input: readonly Sample[], { rules, order }: Plan): { rows: Sample[]; letters: [number, boolean][] } {
  const groups = new Map<unknown, Sample[]>()
  for (const row of input) {
    const key = row.g === '' ? null : row.g
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const rows: Sample[] = []
  const letters: [number, boolean][] = []
  for (const group of groups.values()) {
    const sorted = order ? [...group].sort((x, y) => compare(x.k, y.k, order)) : group
    const fires = (row: Sample, rule: number): boolean => (row.bits & (1 << rule)) !== 0
    const collides = (row: Sample): boolean => {
      const written = rules.flatMap(({ sets }, rule) => (fires(row, rule) ? sets : []))
      return new Set(written).size < written.length
    }
    const first = sorted.find(collides)
    if (first) {
      letters.push([input.indexOf(first), true])
      for (const row of sorted) if (row !== first) letters.push([input.indexOf(row), false])
      continue
    }
    for (const row of sorted) {
      const result = { ...row }
      for (const [rule, { sets }] of rules.entries()) {
        if (fires(row, rule)) for (const column of sets) result[column] = row[column] + 1000 * (rule + 1)
      }
      rows.push(result)
    }
    for (const [rule, { copy }] of rules.entries()) {
      if (copy) for (const row of sorted) if (fires(row, rule)) rows.push({ ...row, a: 0 - row.a - rule })
    }
  }
  return { rows, letters }
}

function compare(x: number | null, y: number | null, order: 'asc' | 'desc'): number {
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
  return order === 'asc' ? x - y : y - x
}

/** The rules of a plan, in CXL or as functions. */
function rulesOf({ rules }: Plan, functions: boolean): ReshapeRule[] {
  return rules.map(({ sets, copy }, rule): ReshapeRule => {
    const power = 1 << rule
    const add = 1000 * (rule + 1)
    const text = (column: string) => (functions ? (row: Row) => (row[column] as number) + add : `${column} + ${add}`)
    const minus = functions ? (row: Row) => 0 - (row.a as number) - rule : `0 - a - ${rule}`
    const all = Object.fromEntries(columns.map((column) => [column, functions ? (row: Row) => row[column] : column]))
    return {
      name: `r${rule}`,
      when: functions ? (row) => ((row.bits as number) & power) !== 0 : `bits / ${power} % 2 == 1`,
      mutate: { set: Object.fromEntries(sets.map((column) => [column, text(column)])) },
      ...(copy
        ? { synthesize: { copy_from: copy, overrides: copy === 'trigger' ? { a: minus } : { ...all, a: minus } } }
        : {}),
    }
  })
}

describe('reshape', () => {
  test('does what a plain model does: any rules, batches, budget, finalize', async () => {
    const settings = fc.record({
      functions: fc.boolean(),
      size: fc.integer({ min: 1, max: 40 }),
      limit: fc.constantFrom(undefined, '8K', '64K'),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { maxLength: 150 }),
        plan,
        settings,
        async (rows, given, { functions, size, limit }) => {
          const letters: DeadLetter[] = []
          const dead_letters = new Writable({
            objectMode: true,
            write: (letter, _, done) => (letters.push(letter), done()),
          })
          // Numbered, so that a record is found again whatever else is equal.
          const input = rows.map((row, index) => ({ ...row, index }))
          const node = reshape({
            partition_by: ['g'],
            ...(given.order ? { order_by: [{ field: 'k', order: given.order }] } : {}),
            rules: rulesOf(given, functions).map(withIndex),
            dead_letters,
            ...(limit ? { memory: new MemoryBudget(limit), finalize: 'two_pass' } : {}),
          })
          const found = await run(node, batches(input, size))
          const wanted = expected(input, given)
          expect(found).toEqual(wanted.rows)
          expect(letters.map(({ record, trigger }) => [record.index, trigger])).toEqual(wanted.letters)
          expect(
            letters.every(({ category, trigger }) => category === (trigger ? 'mutation_conflict' : 'correlated')),
          ).toBe(true)
        },
      ),
    )
  })
})

/** A rule that builds a record from nothing has to give the number, too. */
function withIndex(rule: ReshapeRule): ReshapeRule {
  if (rule.synthesize?.copy_from !== 'none') return rule
  const overrides = { ...rule.synthesize.overrides, index: (row: Row) => row.index }
  return { ...rule, synthesize: { copy_from: 'none', overrides } }
}
