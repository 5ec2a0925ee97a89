import { EventEmitter, once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MemoryBudget, reshape, transform } from '../../streams/index.ts'
import { run } from './contract.ts'

afterEach(() => vi.restoreAllMocks())

describe('options of every node', () => {
  test('are checked', () => {
    const wrong = {
      cxl: '',
      name: 1,
      memory: '64M',
      on_error: 'stop',
      dead_letters: {},
      batch: 1,
      signal: new EventEmitter(),
    }
    expect(() => transform(wrong as never)).toThrow(
      [
        'E000: transform: name must be a name, got 1',
        'E000: transform: memory must be a MemoryBudget, got "64M"',
        'E000: transform: on_error must be `fail_fast` or `continue`, got "stop"',
        'E000: transform: dead_letters must be a Writable, got {}',
        'E000: transform: batch must be `true` or `false`, got 1',
        'E000: transform: signal must be an AbortSignal, got an EventEmitter',
      ].join('\n'),
    )
    expect(() => transform(undefined as never)).toThrow('E000: transform: cxl is missing')
  })
})

describe('memory', () => {
  test('may be shared, and is given back', async () => {
    const memory = new MemoryBudget('1M')
    const nodes = [1, 2].map(() => reshape({ partition_by: ['a'], rules: [], memory }))
    for (const node of nodes) node.end({ a: 1 })
    await Promise.all(nodes.map((node) => once(node, 'finish')))
    const both = memory.used
    await nodes[0]?.toArray()
    expect(memory.used).toBe(both / 2)
    await nodes[1]?.toArray()
    expect(memory.used).toBe(0)
  })
})

describe('dead letters', () => {
  test('are told once when nobody takes them', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const node = transform({ name: 'div', cxl: 'emit b = 1 / a', on_error: 'continue' })
    expect(await run(node, [{ a: 0 }, { a: 1 }, { a: 0 }])).toEqual([{ a: 1, b: 1 }])
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      'transform "div": field "b" fails on a record: division by zero; give dead_letters to receive such records, no more of them will be told',
    ])
  })

  test('go to streams that several nodes share, which stay open', async () => {
    const dead_letters = new PassThrough({ objectMode: true })
    for (const name of ['x', 'y']) {
      await run(transform({ name, cxl: 'emit b = 1 / a', on_error: 'continue', dead_letters }), [{ a: 0 }])
    }
    dead_letters.end()
    expect((await dead_letters.toArray()).map(({ stage }) => stage)).toEqual(['transform:x', 'transform:y'])
  })

  test('hold the node back while their stream is full', async () => {
    const taken: (() => void)[] = []
    const dead_letters = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write: (_, __, callback) => void taken.push(callback),
    })
    const node = transform({ cxl: 'emit b = 1 / a', on_error: 'continue', dead_letters })
    node.write([{ a: 0 }])
    node.write([{ a: 1 }])
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(node.readableLength).toBe(0)
    taken[0]?.()
    expect(await node.records()[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { a: 1, b: 1 } })
    node.destroy()
  })
})

describe('functions', () => {
  const functions = {
    initials: { signature: '(name: string) -> string', run: (name: string) => name.replace(/(\w)\w*\W*/g, '$1') },
  }

  test('are called by the CXL of transform and reshape', async () => {
    const checked = {
      cxl: 'emit short = initials(name)',
      validations: [{ check: 'initials(name) != "XX"' }],
      functions,
    }
    expect(await run(transform(checked), [{ name: 'Ada Lovelace' }])).toEqual([{ name: 'Ada Lovelace', short: 'AL' }])
    const rules = [{ name: 'short', when: 'initials(name) == "AL"', mutate: { set: { name: 'initials(name)' } } }]
    const node = reshape({ partition_by: ['id'], rules, functions })
    expect(await run(node, [{ id: 1, name: 'Ada Lovelace' }])).toEqual([{ id: 1, name: 'AL' }])
  })

  test('are checked when the node is made', () => {
    expect(() => transform({ name: 'net', cxl: 'emit a = 1', functions: { f: 5 } as never })).toThrow(
      'E000: transform "net": functions.f must be { signature, run }, got int 5',
    )
    expect(() => transform({ name: 'net', cxl: 'emit a = initals("x")', functions })).toThrow(
      'E203: transform "net": cxl: there is no function \'initals\'',
    )
    expect(() => transform({ cxl: 'emit a = initials(1)', functions })).toThrow(
      "E200: transform: cxl: 'initials' takes String as 'name', got Int",
    )
  })

  test('that fail make a failure of the record', async () => {
    const failing = {
      f: {
        signature: '() -> int',
        run: () => {
          throw new Error('no luck')
        },
      },
    }
    await expect(run(transform({ cxl: 'emit a = f()', functions: failing }), [{ b: 1 }])).rejects.toThrow(
      'transform: field "a" fails on a record: f: no luck',
    )
  })
})
