import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Group,
  GroupedBuffer,
  type GroupedBufferOptions,
  MemoryBudget,
  recordSize,
} from '../../../lib/memory/index.ts'
import type { Key } from '../../../lib/record/key.ts'
import type { Row } from '../../../lib/record/value.ts'
import { caught, rowOfValues, temporarySpill, whole } from './rows.ts'
import { anyValue } from './values.ts'

type Options = Partial<GroupedBufferOptions> & { limit?: string }

function open({ limit = '512M', ...options }: Options = {}) {
  const { folder, files } = temporarySpill()
  const budget = new MemoryBudget(limit)
  const buffer = new GroupedBuffer({ budget, folder, node: 'reshape "calc"', partition: ['key'], ...options })
  return { buffer, budget, folder, files }
}

/** Rows of a group as they come: resident, or in passes. */
function rowsOf(group: Group): Row[] {
  const passes = group.passes()
  if (!passes) return group.rows()
  return [...passes()].flat()
}

const keyed = (key: Key, row: number, text = ''): Row => rowOfValues({ key: `${key}`, row, text }, row)

/** `[key, row]` of all rows, group by group. */
function contents(buffer: GroupedBuffer): [key: unknown, rows: unknown[]][] {
  return Array.from(buffer.groups(), (group) => {
    const rows = rowsOf(group)
    expect(group.size).toBe(rows.length)
    return [rows[0]?.key, rows.map((row) => row.row)]
  })
}

describe('groups', () => {
  test('come in the order of their first record, their records in the order of arrival', () => {
    const { buffer } = open()
    for (const [index, key] of ['b', 'a', 'c', 'a', 'b', 'a'].entries()) buffer.add(key, keyed(key, index))
    expect(contents(buffer)).toEqual([
      ['b', [0, 4]],
      ['a', [1, 3, 5]],
      ['c', [2]],
    ])
  })

  test('keep keys of different types apart', () => {
    const { buffer } = open()
    const keys: Key[] = [1, '1', true, null, '', 'null', 1n, 1, '']
    for (const [index, key] of keys.entries()) buffer.add(key, keyed(key, index))
    expect(contents(buffer).map(([, rows]) => rows)).toEqual([[0, 7], [1], [2], [3], [4, 8], [5], [6]])
  })

  test('of an empty buffer are none', () => {
    expect(contents(open().buffer)).toEqual([])
  })

  test('hand over the very records that came in while nothing is spilled', () => {
    const { buffer } = open()
    const row = keyed('a', 1)
    buffer.add('a', row)
    for (const group of buffer.groups()) expect(group.rows()[0]).toBe(row)
  })
})

describe('under pressure', () => {
  test('the oldest rows of the largest group go to disk, the small groups stay', () => {
    const { buffer, budget, folder } = open({ limit: '64K' })
    const text = 'x'.repeat(100)
    for (let index = 0; index < 20; index++) buffer.add(`small${index}`, keyed(`small${index}`, index, text))
    const small = budget.used
    for (let index = 0; index < 1000; index++) buffer.add('giant', keyed('giant', index, text))
    expect(budget.peak).toBeLessThanOrEqual(65_536)
    expect(buffer.stats.spilled_files).toBe(1)
    // The giant's rows alone were written: the whole of it less what is resident now.
    const giant = 1000 * recordSize(keyed('giant', 1, text)) - (budget.used - small)
    expect(giant).toBeGreaterThan(100_000)
    expect(folder.written).toBeLessThan(giant)
    const error = caught(() => contents(buffer))
    expect(error.code).toBe('E310')
    buffer.release()
  })

  test('spills no more than it must', () => {
    const { buffer, budget } = open({ limit: '64K' })
    for (let index = 0; budget.used < 52_000; index++) buffer.add(`${index % 5}`, keyed(index % 5, index, 'text'))
    for (let index = 0; index < 200; index++) {
      buffer.add(`${index % 5}`, keyed(index % 5, index, 'text'))
      expect(budget.used).toBeGreaterThan(0.7 * 65_536)
      expect(budget.used).toBeLessThanOrEqual(0.8 * 65_536)
    }
    buffer.release()
  })

  test('many small groups are given up together, in large writes', () => {
    const { buffer, budget, folder } = open({ limit: '256K' })
    const count = 20_000
    for (let index = 0; index < count; index++) buffer.add(index, keyed(index, index))
    expect(folder.files).toBeLessThan(20)
    let next = 0
    for (const group of buffer.groups()) expect(group.rows()[0]?.row).toBe(next++)
    expect(next).toBe(count)
    expect(budget.peak).toBeLessThanOrEqual(262_144)
    expect([budget.used, folder.used]).toEqual([0, 0])
  })

  test('a limit of 8K is kept, with thousands of groups and with few', () => {
    for (const groups of [1, 3, 40, 4000]) {
      const { buffer, budget, files } = open({ limit: '8K', finalize: 'two_pass' })
      const expected = new Map<string, number[]>()
      for (let index = 0; index < 5000; index++) {
        const key = `k${(index * 7919) % groups}`
        buffer.add(key, keyed(key, index))
        const rows = expected.get(key)
        if (rows) rows.push(index)
        else expected.set(key, [index])
      }
      expect(contents(buffer)).toEqual([...expected])
      expect(budget.peak).toBeLessThanOrEqual(8192)
      expect([budget.used, files()]).toEqual([0, []])
    }
  })

  test('another holder can push out what waits to leave', () => {
    for (const groups of [10, 2000]) {
      const { buffer, budget, files } = open({ limit: '256K' })
      const rows = 1800
      for (let index = 0; index < rows; index++) buffer.add(index % groups, keyed(index % groups, index))
      const other = budget.register({ name: 'sort "next"', priority: 20, spill: () => false })
      const seen: unknown[] = []
      for (const group of buffer.groups()) {
        for (const row of group.rows()) seen.push(row.row)
        if (other.held < 100_000) other.charge(9000)
      }
      expect(seen).toHaveLength(rows)
      expect(new Set(seen).size).toBe(rows)
      expect(files()).toEqual([])
      expect(budget.used).toBe(other.held)
      expect(buffer.stats.spilled_files).toBeGreaterThan(0)
    }
  })

  test('order and content are the same at 8K, 64K and 1M', () => {
    const keys = fc.array(fc.oneof(fc.nat(5), fc.nat(60), fc.nat(5000)), {
      minLength: 100,
      maxLength: 1500,
      size: 'max',
    })
    fc.assert(
      fc.property(keys, fc.boolean(), (given, texts) => {
        const outcome = (limit: string): unknown => {
          const { buffer, folder } = open({ limit, finalize: 'two_pass' })
          for (const [index, key] of given.entries()) buffer.add(texts ? `${key}` : key, keyed(key, index))
          const all = contents(buffer)
          folder.close()
          return all
        }
        const expected = new Map<string, number[]>()
        for (const [index, key] of given.entries()) expected.set(`${key}`, [...(expected.get(`${key}`) ?? []), index])
        for (const limit of ['8K', '64K', '1M']) expect(outcome(limit)).toEqual([...expected])
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })

  test('values of every kind come through, whatever the limit', () => {
    const rows = fc.array(
      fc.record({
        key: fc.oneof(
          { weight: 3, arbitrary: fc.integer({ min: 0, max: 300 }) },
          { weight: 2, arbitrary: fc.constant('giant') },
          { weight: 1, arbitrary: fc.constantFrom<Key>(null, '', 'a', true, 1.5, 2n ** 60n, '\ud800') },
        ),
        value: anyValue,
      }),
      { minLength: 50, maxLength: 600, size: 'max' },
    )
    fc.assert(
      fc.property(rows, fc.boolean(), (given, sorted) => {
        const records = given.map(({ key, value }, index) => ({
          key,
          row: rowOfValues({ key: null, value, index }, index),
        }))
        const compare = (a: Row, b: Row): number => ((a.index as number) % 3) - ((b.index as number) % 3)
        const outcome = (limit: string): unknown[][] => {
          const order = sorted ? compare : undefined
          const { buffer, budget, folder } = open({ limit, finalize: 'two_pass', order })
          for (const { key, row } of records) buffer.add(key, row)
          const all = Array.from(buffer.groups(), (group) => {
            const rows = rowsOf(group)
            return (sorted ? rows.sort(compare) : rows).map(whole)
          })
          expect([budget.used, folder.used]).toEqual([0, 0])
          expect(budget.peak).toBeLessThanOrEqual(budget.limit)
          folder.close()
          return all
        }
        const expected = outcome('512M')
        for (const limit of ['16K', '64K']) expect(outcome(limit)).toEqual(expected)
      }),
      { numRuns: 20, endOnFailure: true },
    )
  })
})

describe('a group that does not fit', () => {
  const giantBytes = 300 * (72 + 24 + 24 + 5)

  test('is E310 and names node, fields, values and both figures', () => {
    const { buffer, budget } = open({ limit: '8K', partition: ['key', 'lens'] })
    for (let index = 0; index < 300; index++)
      buffer.add('G', rowOfValues({ key: 'GIANT', lens: null, row: index }, index))
    const error = caught(() => [...buffer.groups()])
    expect(error.format()).toBe(
      `E310: reshape "calc": the group key = "GIANT", lens = null needs ${giantBytes} bytes of memory at once, memory.limit is 8192
  raise memory.limit well above ${giantBytes}, which is this group alone`,
    )
    expect([error.exit, error.expected, error.actual]).toEqual([1, 8192, giantBytes])
    buffer.release()
    expect(budget.used).toBe(0)
  })

  test('says the same when the table of groups was given up', () => {
    const { buffer } = open({ limit: '8K', partition: ['key'], help: 'or set finalize: two_pass' })
    for (let index = 0; index < 300; index++) {
      buffer.add('G', rowOfValues({ key: 'GIANT', lens: null, row: index }, index))
      buffer.add(index, keyed(index, index))
    }
    const error = caught(() => [...buffer.groups()])
    expect(error.format()).toBe(
      `E310: reshape "calc": the group key = "GIANT" needs ${giantBytes} bytes of memory at once, memory.limit is 8192
  raise memory.limit well above ${giantBytes}, which is this group alone, or set finalize: two_pass`,
    )
    buffer.release()
  })

  test('is told as the whole input when there is no partition', () => {
    const { buffer } = open({ limit: '8K', partition: [] })
    for (let index = 0; index < 300; index++)
      buffer.add('', rowOfValues({ key: 'GIANT', lens: null, row: index }, index))
    expect(caught(() => [...buffer.groups()]).message).toBe(
      `E310: reshape "calc": the whole input is one group and needs ${giantBytes} bytes of memory at once, memory.limit is 8192`,
    )
    buffer.release()
  })

  test('beside what others hold says so', () => {
    const { buffer, budget } = open({ limit: '16K' })
    for (let index = 0; index < 100; index++) buffer.add('G', rowOfValues({ key: 'G', row: index }, index))
    budget.register({ name: 'other', priority: 5, spill: () => false }).charge(8000)
    expect(caught(() => [...buffer.groups()]).message).toMatch(
      /^E310: reshape "calc": the group key = "G" needs 11300 bytes of memory at once beside the \d+ of the rest of the run, memory.limit is 16384$/,
    )
    buffer.release()
  })

  test('lets the groups before it leave', () => {
    const { buffer } = open({ limit: '8K' })
    for (let index = 0; index < 300; index++) {
      if (index < 3) buffer.add('small', keyed('small', index))
      buffer.add('GIANT', keyed('GIANT', index))
    }
    const groups = buffer.groups()
    expect((groups.next().value as Group).rows().map((row) => row.row)).toEqual([0, 1, 2])
    expect(caught(() => groups.next()).code).toBe('E310')
    buffer.release()
  })

  test('leaves in passes with two_pass, as often as asked, in the order asked for', () => {
    const order = (a: Row, b: Row): number => ((b.row as number) % 10) - ((a.row as number) % 10)
    for (const many of [false, true]) {
      const { buffer, budget, files } = open({ limit: '8K', finalize: 'two_pass', order })
      for (let index = 0; index < 1000; index++) {
        buffer.add('GIANT', keyed('GIANT', index))
        if (many) buffer.add(index, keyed(index, index))
        else if (index < 5) buffer.add('small', keyed('small', index))
      }
      const expected = Array.from({ length: 1000 }, (_, index) => index).sort((a, b) => (b % 10) - (a % 10))
      let groups = 0
      for (const group of buffer.groups()) {
        groups++
        const passes = group.passes()
        if (!passes) continue
        expect(group.size).toBe(1000)
        for (let pass = 0; pass < 3; pass++) {
          expect([...passes()].flat().map((row) => row.row)).toEqual(expected)
        }
        // A pass may end early.
        for (const batch of passes()) {
          expect(batch.length).toBeGreaterThan(0)
          break
        }
        expect(caught(() => group.rows()).code).toBe('E310')
      }
      expect(groups).toBe(many ? 1001 : 2)
      expect(budget.peak).toBeLessThanOrEqual(8192)
      expect([budget.used, files()]).toEqual([0, []])
    }
  })
})

describe('an order', () => {
  test('is that of the rows of every group, spilled or not; those that tie leave as they came', () => {
    const order = (a: Row, b: Row): number => ((a.row as number) % 7) - ((b.row as number) % 7)
    const keys = fc.array(fc.oneof(fc.nat(3), fc.nat(200)), { minLength: 50, maxLength: 800, size: 'max' })
    const finalize = fc.constantFrom('resident' as const, 'two_pass' as const)
    fc.assert(
      fc.property(keys, finalize, fc.constantFrom('8K', '32K', '128K'), (given, finalize, limit) => {
        const expected = new Map<string, number[]>()
        for (const [index, key] of given.entries()) expected.set(`${key}`, [...(expected.get(`${key}`) ?? []), index])
        for (const rows of expected.values()) rows.sort((a, b) => (a % 7) - (b % 7))
        const { buffer, budget, folder } = open({ limit: finalize === 'resident' ? '128K' : limit, finalize, order })
        for (const [index, key] of given.entries()) buffer.add(key, keyed(key, index))
        expect(contents(buffer).map(([key, rows]) => [key, rows])).toEqual([...expected])
        expect([budget.used, folder.used]).toEqual([0, 0])
        folder.close()
      }),
      { numRuns: 30, endOnFailure: true },
    )
  })

  test('holds in a giant group of more slices than are merged at once, beside others that stay', () => {
    const { buffer, files } = open({
      limit: '8K',
      finalize: 'two_pass',
      order: (a, b) => (a.hash as number) - (b.hash as number),
    })
    const rows = Array.from({ length: 3000 }, (_, row) => rowOfValues({ key: 'G', row, hash: (row * 7919) % 101 }, row))
    for (const [index, row] of rows.entries()) {
      buffer.add('G', row)
      if (index < 10) buffer.add('small', keyed('small', index))
    }
    const [giant, small] = contents(buffer)
    const sorted = rows.toSorted((a, b) => (a.hash as number) - (b.hash as number))
    expect(giant?.[1]).toEqual(sorted.map((row) => row.row))
    expect(small?.[1]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(files()).toEqual([])
  })
})

describe('a spool', () => {
  test('gives back what was put aside, and its file goes with the buffer', () => {
    const { buffer, files } = open({ limit: '8K' })
    const rows = Array.from({ length: 500 }, (_, row) => rowOfValues({ key: 'a', row, text: 'é' }, row))
    const [spool, empty, unread] = [buffer.spool(), buffer.spool(), buffer.spool()]
    for (const row of rows) spool.add(row)
    unread.add(rows[0] as Row)
    expect([...spool.read()].flat().map(whole)).toEqual(rows.map(whole))
    expect([...empty.read()]).toEqual([])
    expect(files()).toHaveLength(1)
    buffer.release()
    expect(files()).toEqual([])
  })
})

describe('release', () => {
  test('frees memory and files at any moment', () => {
    const kinds = fc.constantFrom('few', 'many')
    fc.assert(
      fc.property(kinds, fc.nat(400), fc.integer({ min: -1, max: 60 }), fc.boolean(), (kind, rows, groups, ended) => {
        const { buffer, budget, folder, files } = open({ limit: '8K', finalize: 'two_pass' })
        for (let index = 0; index < rows; index++) {
          const key = kind === 'few' ? index % 3 : index % 150
          buffer.add(key, keyed(key, index))
        }
        if (groups >= 0) {
          const iterator = buffer.groups()
          for (let index = 0; index <= groups; index++) {
            const group = iterator.next().value as Group | undefined
            // Perhaps in the middle of a pass.
            group?.passes()?.()[Symbol.iterator]().next()
          }
          if (ended) iterator.return()
          buffer.release()
          expect(iterator.next().done).toBe(true)
        }
        buffer.release()
        expect([budget.used, folder.used, files()]).toEqual([0, 0, []])
        folder.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('faults of the disk', () => {
  test('a spill file that was changed is found out', () => {
    for (const groups of [2, 500]) {
      const { buffer, folder, files } = open({ limit: '8K', finalize: 'two_pass' })
      for (let index = 0; index < 3000; index++) buffer.add(index % groups, keyed(index % groups, index))
      const directory = folder.path as string
      for (const name of files()) {
        const path = join(directory, '..', name)
        const bytes = readFileSync(path)
        const middle = Math.floor(bytes.length / 2)
        bytes.fill(1, middle, middle + 100)
        writeFileSync(path, bytes)
      }
      expect(caught(() => contents(buffer)).message).toMatch(/^E321: the spill file .+\.spill is damaged: a /)
      buffer.release()
      expect(files()).toEqual([])
    }
  })
})
