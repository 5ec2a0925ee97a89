import { describe, expect, test } from 'vitest'
import { parse } from '../../../streams/csv/index.ts'
import { read, refused } from './support.ts'

const tags = { name: 'tags', type: 'string', multiple: true }

test('a field alone is split at ;, and elements are not trimmed', async () => {
  expect(
    await read('tags,x\na;b; c,\n,\none,\na;;b,\n"x,y;z",\n', { schema: [tags], split_values: ['tags'] }),
  ).toMatchObject([
    { tags: ['a', 'b', ' c'] },
    { tags: [] },
    { tags: ['one'] },
    { tags: ['a', '', 'b'] },
    { tags: ['x,y', 'z'] },
  ])
})

test('elements are of the type of the column', async () => {
  const schema = [{ name: 'n', type: 'int', multiple: true, source_name: 'numbers' }]
  expect(await read('numbers\n3|04|-5\n', { schema, split_values: [{ field: 'numbers', delimiter: '|' }] })).toEqual([
    { n: [3, 4, -5] },
  ])
  expect(await refused('numbers\n3;x\n', { schema, split_values: ['numbers'] })).toContain(
    'E126: source "csv": row=1 column=1 field="n": declared int, got "3;x"',
  )
})

test('a whole float among the elements shows that it is one', async () => {
  const schema = [{ name: 'n', type: 'float', multiple: true }]
  expect(JSON.stringify(await read('n\n2;2.5\n', { schema, split_values: ['n'] }))).toBe('[{"n":[2,2.5]}]')
})

test('escape: a delimiter, or the escape itself, that belongs to an element', async () => {
  const split_values = [{ field: 'tags', escape: '\\' }]
  expect(await read('tags\na\\;b;c\\\\d;\\e\\\n', { schema: [tags], split_values })).toEqual([
    { tags: ['a;b', 'c\\d', 'e\\'] },
  ])
})

test('json: the cell is a JSON array', async () => {
  const split_values = [{ field: 'tags', json: true }]
  expect(await read('tags,x\n"[""a;b"",""c""]",\n[],\n,\n', { schema: [tags], split_values })).toMatchObject([
    { tags: ['a;b', 'c'] },
    { tags: [] },
    { tags: [] },
  ])
  for (const cell of ['a', '"{""a"":1}"', '[1]', '[']) {
    expect(await refused(`tags\n${cell}\n`, { schema: [tags], split_values })).toContain('E126')
  }
})

describe('errors', () => {
  test.each([
    ['tags', 'split_values must be a list of fields or { field, delimiter, escape, json }, got "tags"'],
    [[7], 'split_values[0] must be a field or { field, delimiter, escape, json }, got 7'],
    [[{ delimiter: ';' }], 'split_values[0] must name a field, got null'],
    [
      [{ field: 'tags', seperator: ';' }],
      'split_values[0] has the unknown key `seperator`; known keys: field, delimiter, escape, json',
    ],
    [
      [{ field: 'tags', delimiter: '' }],
      'split_values[0] must have a text of at least one character for delimiter, got ""',
    ],
    [[{ field: 'tags', json: 1 }], 'split_values[0] must have true or false for json, got 1'],
    [[{ field: 'tags', delimiter: '|', escape: '|' }], 'split_values[0] has "|" for both delimiter and escape'],
    [['tags', 'tags'], 'split_values[1] names "tags" a second time'],
    [['tags', 'one'], 'split_values[1] names "one", which is a single value\n  declare the column `multiple: true`'],
    [['tags', 'tgas'], 'split_values[1] names "tgas", which no column reads\n  did you mean `tags`?'],
  ])('%j: E358', async (split_values, message) => {
    const schema = [tags, { name: 'one', type: 'int' }]
    expect(await refused('', { schema, split_values: split_values as [] })).toContain(`E358: source "csv": ${message}`)
  })

  test('a multiple column without an entry: E361', () => {
    expect(() => parse({ schema: [tags] })).toThrow(
      'E361: source "csv": column "tags" is `multiple`, but a cell holds one value',
    )
  })
})
