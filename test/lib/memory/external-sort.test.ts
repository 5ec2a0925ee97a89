import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClinkerError } from '../../../lib/diagnostics/error.ts'
import { ExternalSort, type ExternalSortOptions, MemoryBudget } from '../../../lib/memory/index.ts'
import type { Row } from '../../../lib/record/value.ts'
import { rowOfValues, temporarySpill, whole } from './rows.ts'
import { anyValue } from './values.ts'

function open({ limit = '512M', ...options }: Partial<ExternalSortOptions> & { limit?: string } = {}) {
  const { folder, files } = temporarySpill()
  const budget = new MemoryBudget(limit)
  const compare = (a: Row, b: Row): number => (a.key as number) - (b.key as number)
  return {
    sort: new ExternalSort({ budget, folder, node: 'sort "by_key"', compare, ...options }),
    budget,
    folder,
    files,
  }
}

const keyed = (key: number, row: number): Row => rowOfValues({ key, row }, row)

describe('the order', () => {
  test('is that of the comparator, equal records as they came', () => {
    const { sort } = open()
    for (const [row, key] of [3, 1, 2, 1, 3].entries()) sort.add(keyed(key, row))
    expect([...sort.sorted()].flat()).toEqual([
      { key: 1, row: 1 },
      { key: 1, row: 3 },
      { key: 2, row: 2 },
      { key: 3, row: 0 },
      { key: 3, row: 4 },
    ])
  })

  test('is that of arrival without a comparator', () => {
    for (const limit of ['512M', '8K']) {
      const { sort } = open({ limit, compare: undefined })
      for (let row = 0; row < 2000; row++) sort.add(keyed((row * 7919) % 1000, row))
      expect([...sort.sorted()].flat().map((row) => row.row)).toEqual(Array.from({ length: 2000 }, (_, row) => row))
    }
  })

  test('does not depend on the limit, nor do the records', () => {
    const rows = fc.array(fc.record({ key: fc.integer({ min: 0, max: 20 }), value: anyValue }), {
      maxLength: 300,
      size: 'max',
    })
    fc.assert(
      fc.property(rows, (given) => {
        const records = given.map((values, index) => rowOfValues(values, index))
        const outcome = (limit: string): unknown[] => {
          const { sort, budget, folder } = open({ limit })
          for (const row of records) sort.add(row)
          const all = [...sort.sorted()].flat().map(whole)
          expect([budget.used, folder.used]).toEqual([0, 0])
          expect(budget.peak).toBeLessThanOrEqual(budget.limit)
          folder.close()
          return all
        }
        const expected = outcome('512M')
        expect(outcome('16K')).toEqual(expected)
        expect(outcome('64K')).toEqual(expected)
      }),
      { numRuns: 20, endOnFailure: true },
    )
  })

  test('holds over many runs, more than are merged at once', () => {
    const { sort, budget, folder } = open({ limit: '8K' })
    for (let row = 0; row < 10_000; row++) sort.add(keyed((row * 7919) % 1009, row))
    let last = -1
    let count = 0
    for (const batch of sort.sorted()) {
      for (const { key, row } of batch) {
        const place = (key as number) * 100_000 + (row as number)
        expect(place).toBeGreaterThan(last)
        last = place
        count++
      }
    }
    expect(count).toBe(10_000)
    expect(budget.peak).toBeLessThanOrEqual(8192)
    expect(sort.stats.spilled_files).toBeGreaterThan(1)
    expect(sort.stats.spilled_bytes).toBe(folder.written)
  })

  test('of nothing is nothing', () => {
    expect([...open().sort.sorted()]).toEqual([])
  })
})

describe('reading', () => {
  test('may be repeated with keep, and ended early', () => {
    for (const limit of ['512M', '8K']) {
      const { sort, budget, files } = open({ limit })
      for (let row = 0; row < 2000; row++) sort.add(keyed(row % 7, row))
      const first = [...sort.sorted(true)].flat()
      for (const batch of sort.sorted(true)) {
        expect(batch).toHaveLength(512)
        break
      }
      expect([...sort.sorted(true)].flat()).toEqual(first)
      expect(budget.used).toBe(limit === '8K' ? 0 : 2000 * 88)
      expect([...sort.sorted()].flat()).toEqual(first)
      expect([budget.used, files()]).toEqual([0, []])
    }
  })

  test('goes on where it was when the records are pushed to disk meanwhile', () => {
    for (const keep of [true, false]) {
      const { sort, budget } = open({ limit: '512K' })
      for (let row = 0; row < 3000; row++) sort.add(keyed(row % 7, row))
      const other = budget.register({ name: 'reshape "next"', priority: 99, spill: () => false })
      const seen: Row[] = []
      for (const batch of sort.sorted(keep)) {
        seen.push(...batch)
        if (seen.length === 1024) other.charge(400_000)
      }
      expect(sort.stats.spilled_files).toBe(1)
      expect(seen.map((row) => row.key)).toEqual(Array.from({ length: 3000 }, (_, row) => row % 7).sort())
      expect(new Set(seen.map((row) => row.row)).size).toBe(3000)
      if (keep) expect([...sort.sorted(true)].flat()).toEqual(seen)
      other.close()
      sort.release()
      expect(budget.used).toBe(0)
    }
  })

  test('frees what has left', () => {
    const { sort, budget } = open()
    for (let row = 0; row < 1024; row++) sort.add(keyed(row, row))
    const batches = sort.sorted()
    batches.next()
    expect(budget.used).toBe(1024 * 88)
    batches.next()
    expect(budget.used).toBe(512 * 88)
    batches.next()
    expect(budget.used).toBe(0)
  })
})

test('release() frees memory and files at any moment', () => {
  fc.assert(
    fc.property(
      fc.nat(1500),
      fc.integer({ min: -1, max: 4 }),
      fc.boolean(),
      fc.boolean(),
      (rows, batches, keep, ended) => {
        const { sort, budget, folder, files } = open({ limit: '8K' })
        for (let row = 0; row < rows; row++) sort.add(keyed(row % 7, row))
        const iterator = sort.sorted(keep)
        for (let batch = 0; batch <= batches; batch++) iterator.next()
        if (ended) iterator.return()
        sort.release()
        sort.release()
        expect(iterator.next().done).toBe(true)
        expect([budget.used, folder.used, files()]).toEqual([0, 0, []])
        folder.close()
      },
    ),
    { numRuns: 25 },
  )
})

test('a record larger than the limit is E310', () => {
  const { sort } = open({ limit: '8K' })
  expect(() => sort.add(rowOfValues({ key: 1, text: 'x'.repeat(9000) }))).toThrow(
    expect.objectContaining<Partial<ClinkerError>>({
      message: 'E310: sort "by_key": sorted records would take the run to 9112 bytes of memory, memory.limit is 8192',
    }),
  )
})
