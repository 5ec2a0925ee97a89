import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { makeMap, mapKeys } from '../../lib/record/map.ts'
import { checkOptions, columnMap, cxl, readOptions, text, wholeNumber } from '../../streams/options.ts'

const schema = v.strictObject({
  partition_by: v.array(text('a column name')),
  order_by: v.optional(
    v.array(v.strictObject({ field: text('a column name'), order: v.optional(v.picklist(['asc', 'desc'])) })),
  ),
  limit: v.optional(wholeNumber(1), 512),
  header: v.optional(v.boolean()),
  shape: v.optional(v.union([text('a path'), v.array(v.strictObject({ name: text('a name') }))])),
  format: v.optional(
    v.variant('type', [
      v.strictObject({ type: v.literal('csv'), delimiter: v.optional(v.string()) }),
      v.strictObject({ type: v.literal('json') }),
    ]),
  ),
  rules: v.optional(v.array(v.strictObject({ name: text('a name'), set: v.optional(columnMap(cxl())) }))),
})

function faults(given: unknown): string[] {
  return readOptions(schema, given, { node: 'cull "old"' }).errors.map((error) => error.format())
}

describe('checkOptions', () => {
  test('gives the options with their defaults', () => {
    expect(checkOptions(schema, { partition_by: ['a'] }, { node: 'cull' })).toEqual({ partition_by: ['a'], limit: 512 })
  })

  test('takes an undefined option as left out', () => {
    expect(faults({ partition_by: [], order_by: undefined, limit: undefined })).toEqual([])
  })

  test('throws all faults as one error', () => {
    expect(() => checkOptions(schema, { partition_by: 1, limit: 0 }, { node: 'cull' })).toThrow(
      'E000: cull: partition_by must be a list of column names, got 1\nE000: cull: limit must be a whole number of at least 1, got 0',
    )
  })
})

describe('messages', () => {
  test.each([
    [{}, 'partition_by is missing: it must be a list of column names'],
    [{ partition_by: undefined }, 'partition_by is missing: it must be a list of column names'],
    [{ partition_by: null }, 'partition_by must be a list of column names, got null'],
    [{ partition_by: [1] }, 'partition_by[0] must be a column name, got 1'],
    [{ partition_by: [], order_by: 'a' }, 'order_by must be a list of { field, order }, got "a"'],
    [
      { partition_by: [], order_by: [{ field: 'a', order: 'up' }] },
      'order_by[0].order must be `asc` or `desc`, got "up"',
    ],
    [{ partition_by: [], order_by: [[]] }, 'order_by[0] must be { field, order }, got []'],
    [{ partition_by: [], limit: 1.5 }, 'limit must be a whole number of at least 1, got 1.5'],
    [{ partition_by: [], header: 'yes' }, 'header must be `true` or `false`, got "yes"'],
    [{ partition_by: [], shape: 5 }, 'shape must be a path or a list of { name }, got 5'],
    [
      { partition_by: [], rules: [{ name: 'r', set: 'a' }] },
      'rule "r": set must be a map from columns to CXL, got "a"',
    ],
    [{ partition_by: [], shape: [{ name: 5 }] }, 'shape[0].name must be a name, got 5'],
    [
      { partition_by: [], rules: [{ name: 'r', set: ['a'] }] },
      'rule "r": set must be a map from columns to CXL, got ["a"]',
    ],
  ])('of %j', (given, message) => {
    expect(faults(given)).toContain(`E000: cull "old": ${message}`)
  })

  test('suggest quotes where YAML made a value of CXL', () => {
    expect(faults({ partition_by: [], rules: [{ name: 'r', set: { free: false } }] })).toEqual([
      'E000: cull "old": rule "r": set.free must be CXL text, got false\n  write it as text: "false"',
    ])
  })

  test('cut what they show', () => {
    const [message] = faults({ partition_by: 'x'.repeat(5000) })
    expect(Buffer.byteLength(message as string)).toBeLessThan(400)
  })
})

describe('unknown keys', () => {
  test('are named with the nearest known one, or with all', () => {
    expect(faults({ partition_bx: [], partition_by: [] })).toEqual([
      'E000: cull "old": unknown key `partition_bx`\n  did you mean `partition_by`? known keys: partition_by, order_by, limit, header, shape, format, rules',
    ])
    expect(faults({ partition_by: [], order_by: [{ field: 'a', nulls_come: 'first' }] })).toEqual([
      'E000: cull "old": unknown key `nulls_come` in order_by[0]\n  known keys: field, order',
    ])
  })

  test('are no missing key as well when it is clear which one is meant', () => {
    expect(faults({ partition_bx: [] })).toEqual([
      'E000: cull "old": unknown key `partition_bx`\n  did you mean `partition_by`? known keys: partition_by, order_by, limit, header, shape, format, rules',
    ])
    expect(faults({ partition_by: [], shape: [{ nmae: 'a' }, { title: 'b' }] })).toEqual([
      'E000: cull "old": unknown key `nmae` in shape[0]\n  did you mean `name`? known keys: name',
      'E000: cull "old": unknown key `title` in shape[1]\n  known keys: name',
      'E000: cull "old": shape[1].name is missing: it must be a name',
    ])
  })

  test('are found in alternatives too', () => {
    expect(faults({ partition_by: [], shape: [{ name: 'a', typ: 1 }] })).toEqual([
      'E000: cull "old": unknown key `typ` in shape "a"\n  known keys: name',
    ])
    expect(faults({ partition_by: [], format: { type: 'csv', delimitr: ';' } })).toEqual([
      'E000: cull "old": unknown key `delimitr` in format\n  did you mean `delimiter`? known keys: type, delimiter',
    ])
  })

  test.each(['toString', 'constructor', '__proto__'])('are found when they are called %s', (key) => {
    const given = Object.defineProperty({ partition_by: [] }, key, { value: 1, enumerable: true })
    expect(faults(given)[0]).toContain(`unknown key \`${key}\``)
  })
})

describe('places', () => {
  test('are asked for by path, of a key when the key is at fault', () => {
    const asked: unknown[] = []
    const place = (path: unknown, options?: unknown) => {
      asked.push([path, options])
      return { line: asked.length, column: 1, file: 'p.yaml' }
    }
    const { errors } = readOptions(
      schema,
      { partition_by: [1], rules: [{ name: 'r', sett: 1 }] },
      { node: 'cull "old"', place },
    )
    expect(asked).toEqual([
      [['rules', 0], { key: 'sett' }],
      [['partition_by', 0], undefined],
    ])
    expect(errors.map((error) => error.place?.line)).toEqual([1, 2])
  })
})

describe('column maps', () => {
  test('keep columns of any name, in their order', () => {
    const set = makeMap([
      ['2024', '1'],
      ['__proto__', '2'],
      ['constructor', '3'],
      ['1999', '4'],
    ])
    const { rules } = checkOptions(schema, { partition_by: [], rules: [{ name: 'r', set }] }, { node: 'cull' })
    expect(mapKeys(rules?.[0]?.set as never)).toEqual(['2024', '__proto__', 'constructor', '1999'])
  })
})
