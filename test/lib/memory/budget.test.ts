import { describe, expect, test } from 'vitest'
import { MemoryBudget, parseSize, type Registration } from '../../../lib/memory/index.ts'
import { caught } from './rows.ts'

describe('sizes', () => {
  test.each([
    ['0', 0],
    ['8192', 8192],
    ['8K', 8192],
    ['64M', 67_108_864],
    ['2G', 2_147_483_648],
    [8192, 8192],
  ])('%j is %d bytes', (size, bytes) => {
    expect(parseSize(size)).toBe(bytes)
  })

  test.each([
    ['4GB', '"4GB"'],
    ['1.5G', '"1.5G"'],
    ['', '""'],
    ['-1', '"-1"'],
    ['64m', '"64m"'],
    [' 8K', '" 8K"'],
    ['99999999999G', '"99999999999G"'],
    [1.5, '1.5'],
    [-8192, '-8192'],
  ])('%j is refused', (size, shown) => {
    const error = caught(() => parseSize(size))
    expect(error.format()).toBe(`E000: a size must be a whole number of bytes with an optional K, M or G, got ${shown}`)
    expect(error.actual).toBe(size)
  })

  test('the default is 512M', () => {
    expect(new MemoryBudget().limit).toBe(536_870_912)
  })

  test('8K is the smallest limit', () => {
    expect(new MemoryBudget('8K').limit).toBe(8192)
    expect(() => new MemoryBudget('8191')).toThrow('E312: memory.limit must be at least 8K (8192 bytes), got 8191')
  })
})

describe('holders', () => {
  test('counts what is held, and the most that ever was', () => {
    const budget = new MemoryBudget('8K')
    const held = budget.register({ name: 'sort "a"', priority: 20, spill: () => false })
    held.charge(1000)
    held.charge(500)
    held.release(1200)
    expect([budget.used, budget.peak, held.held]).toEqual([300, 1500, 300])
    held.close()
    expect([budget.used, budget.peak]).toEqual([0, 1500])
  })

  test('a closed registration counts nothing any more', () => {
    const budget = new MemoryBudget('8K')
    const held = budget.register({ name: 'sort "a"', priority: 20, spill: () => false })
    held.charge(1000)
    held.close()
    held.close()
    held.charge(1000)
    held.release(1000)
    expect(budget.used).toBe(0)
  })

  test('asks nobody to spill up to 80 % of the limit', () => {
    const budget = new MemoryBudget('10000')
    const asked: number[] = []
    const held = budget.register({ name: 'sort "a"', priority: 20, spill: (bytes) => asked.push(bytes) < 0 })
    held.charge(8000)
    expect(asked).toEqual([])
    held.charge(1)
    expect(asked).toEqual([1])
  })

  test('asks by priority number, then the largest, and stops below the soft mark', () => {
    const budget = new MemoryBudget('10000')
    const asked: string[] = []
    const all: Registration[] = []
    const holder = (name: string, priority: number, bytes: number): void => {
      const held = budget.register({
        name,
        priority,
        spill: () => {
          asked.push(name)
          if (held.held === 0) return false
          held.release(held.held)
          return true
        },
      })
      held.charge(bytes)
      all.push(held)
    }
    holder('sort', 20, 3000)
    holder('small reshape', 15, 1000)
    holder('large reshape', 15, 2000)
    holder('combine', 10, 500)
    const last = budget.register({ name: 'aggregate', priority: 30, spill: () => false })
    last.charge(3500)
    expect(asked).toEqual(['combine', 'combine', 'large reshape'])
    expect(budget.used).toBe(7500)
    last.charge(2000)
    expect(asked.slice(3)).toEqual(['combine', 'small reshape', 'small reshape', 'large reshape', 'sort'])
    expect(budget.used).toBe(5500)
  })

  test('a holder may charge while it spills', () => {
    const budget = new MemoryBudget('10000')
    const held: Registration = budget.register({
      name: 'reshape "a"',
      priority: 15,
      spill: () => {
        held.charge(500)
        held.release(5000)
        return true
      },
    })
    held.charge(8000)
    held.charge(1000)
    expect([budget.used, budget.peak]).toEqual([4500, 8500])
  })

  test('what passes the limit although everyone has spilled is E310', () => {
    const budget = new MemoryBudget('8K')
    const held = budget.register({ name: 'combine "join"', surface: 'build rows', priority: 10, spill: () => false })
    held.charge(8000)
    const error = caught(() => held.charge(193))
    expect(error.format()).toBe(
      'E310: combine "join": build rows would take the run to 8193 bytes of memory, memory.limit is 8192\n  raise memory.limit',
    )
    expect([error.code, error.node, error.expected, error.actual]).toEqual(['E310', 'combine "join"', 8192, 8193])
    expect(budget.used).toBe(8000)
    held.charge(192)
    expect(budget.used).toBe(8192)
  })
})
