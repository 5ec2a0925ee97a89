import { describe, expect, test } from 'vitest'
import { hostileNames } from '../contract.ts'
import { columns, read, through } from './text.ts'

describe('keys', () => {
  test.each(hostileNames)('%j is a column like any other', async (name) => {
    const line = `${JSON.stringify({ before: 1 }).slice(0, -1)},${JSON.stringify(name)}:"x","after":2}\n`
    const text = line.repeat(10)
    expect(await through(text)).toBe(text)
    const column = name.replace('.', '\\.')
    const records = await read(text, { schema: { [column]: 'string' } })
    expect(records.at(-1)).toEqual(
      Object.fromEntries([
        [column, 'x'],
        ['before', 1],
        ['after', 2],
      ]),
    )
    expect(Object.getPrototypeOf(records.at(-1))).toBe(Object.prototype)
  })

  test.each(hostileNames)('%j nests', async (name) => {
    const key = JSON.stringify(name)
    const text = `{${key}:{${key}:1,"x":{${key}:{}}},"l":[{${key}:1}]}\n`.repeat(10)
    expect(await through(text)).toBe(text)
  })

  test('that look like integers keep their place', async () => {
    const text = '{"b":1,"10":2,"2":3,"a":{"1":1,"0":2},"l":[{"2":1,"1":2}]}\n'.repeat(10)
    expect(await through(text)).toBe(text)
    const [record] = await read(text)
    expect(columns(record as never)).toBe('1 b: any, 10: any, 2: any, a.1: any, a.0: any, l: any | ')
  })

  test('of one kind share one shape, whatever stands between them', async () => {
    const line = (index: number) =>
      index % 3 === 0 ? '{"id":1,"x":1}' : index % 3 === 1 ? '{"id":1}' : '{"x":{"y":1},"id":1}'
    const records = await read(Array.from({ length: 30 }, (_, index) => line(index)).join('\n'), {
      schema: { id: 'int' },
    })
    const { shapeOf } = await import('../../../lib/record/stamp.ts')
    expect(new Set(records.map(shapeOf)).size).toBe(3)
    expect(records.slice(-3)).toEqual([{ id: 1, x: 1 }, { id: 1 }, { id: 1, 'x.y': 1 }])
  })

  test('that are data do not pile up', async () => {
    const text = Array.from({ length: 3000 }, (_, index) => `{"id":${index},"k${index}":{"v${index}":1}}`).join('\n')
    const records = await read(text, { schema: { id: 'int' } })
    expect(records[2999]).toEqual({ id: 2999, 'k2999.v2999': 1 })
  })
})

describe('values', () => {
  test('an empty object stays one, an array is one value', async () => {
    const text = '{"id":1,"pos":{},"tags":{"a":{"b":{}}},"l":[],"m":[{"k":1},[2]]}\n{"id":2,"pos":{"dec":3}}\n'
    expect(await through(text)).toBe(text)
    expect(await read(text)).toEqual([
      { id: 1, pos: {}, 'tags.a.b': {}, l: [], m: [{ k: 1 }, [2]] },
      { id: 2, 'pos.dec': 3 },
    ])
  })

  test('escapes, surrogate pairs and control characters', async () => {
    expect(await through('{"s":"\\u00e9\\ud83d\\ude00\\n\\t\\"\\\\\\/\\u0007\\u2028"}')).toBe(
      '{"s":"é😀\\n\\t\\"\\\\/\\u0007\u2028"}\n',
    )
  })
})
