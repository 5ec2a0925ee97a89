import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { DeadLetter } from '../../../streams/node.ts'
import { notWritten, write } from './support.ts'

const rows = [
  { id: 1, t: ['a', 'b'] },
  { id: 2, t: [] },
  { id: 3, t: 'solo' },
  { id: 4, t: [''] },
  { id: 5, t: ['x,y', 'z'] },
]

test('arrays are joined by ; unless told otherwise', async () => {
  expect(await write(rows)).toBe('id,t\n1,a;b\n2,\n3,solo\n4,\n5,"x,y;z"\n')
  expect(await write(rows, { join_values: ['t'] })).toBe('id,t\n1,a;b\n2,\n3,solo\n4,\n5,"x,y;z"\n')
})

test('delimiter: another text', async () => {
  expect(await write(rows, { join_values: [{ field: 't', delimiter: '|' }] })).toBe(
    'id,t\n1,a|b\n2,\n3,solo\n4,\n5,"x,y|z"\n',
  )
})

test('elements have the text they have as cells', async () => {
  expect(await write([{ id: 1, t: [1, 2.5, true, null, 10n ** 18n] }])).toBe(
    'id,t\n1,1;2.5;true;;1000000000000000000\n',
  )
})

describe('on_conflict', () => {
  test('error, the default: an element that holds the delimiter is refused', async () => {
    expect(await notWritten([{ id: 1, tags: ['a;b', 'c'] }], { name: 'copy' })).toBe(
      'MultiValueJoinCollision: output "copy": column "tags": the element "a;b" holds ";", which separates the elements\n' +
        '  give "tags" another `delimiter` in `join_values`, or `on_conflict: escape` or `encode_json`',
    )
  })

  test('error under continue: the record becomes a dead letter, the others are written', async () => {
    const letters: DeadLetter[] = []
    const dead_letters = new Writable({
      objectMode: true,
      write: (letter, _, done) => void (letters.push(letter), done()),
    })
    const many = Array.from({ length: 300 }, (_, id) => ({ id, t: id % 100 === 50 ? ['x', 'y;z'] : ['x'] }))
    for (const header of ['first', 'union'] as const) {
      const text = await write(many, { on_error: 'continue', dead_letters, header, name: 'copy' })
      expect(text.split('\n')).toHaveLength(299)
    }
    expect(letters).toHaveLength(6)
    expect(letters[0]).toEqual({
      category: 'multi_value_join_collision',
      detail: 'column "t": the element "y;z" holds ";", which separates the elements',
      stage: 'output:copy',
      trigger: true,
      field: 't',
      value: 'y;z',
      record: { id: 50, t: ['x', 'y;z'] },
      source: { name: '', file: '', row: 0 },
    })
  })

  test('escape: puts the escape before it, and before itself', async () => {
    const record = { id: 1, tags: ['a;b', 'c\\d'] }
    expect(await write([record], { join_values: [{ field: 'tags', on_conflict: 'escape' }] })).toBe(
      'id,tags\n1,a\\;b;c\\\\d\n',
    )
    expect(await write([record], { join_values: [{ field: 'tags', on_conflict: 'escape', escape: '^' }] })).toBe(
      'id,tags\n1,a^;b;c\\d\n',
    )
  })

  test('encode_json: a JSON array, of anything', async () => {
    const join_values = [{ field: 't', on_conflict: 'encode_json' as const }]
    const values = [['a;b', 'c"d'], [], ['é'], [[1], { a: null }], 'solo']
    expect(
      await write(
        values.map((t, id) => ({ id, t })),
        { join_values },
      ),
    ).toBe('id,t\n0,"[""a;b"",""c\\""d""]"\n1,[]\n2,"[""é""]"\n3,"[[1],{""a"":null}]"\n4,solo\n')
  })
})

test.each([
  ['t', 'join_values must be a list of fields or { field, delimiter, on_conflict, escape }, got "t"'],
  [[7], 'join_values[0] must be a field or { field, delimiter, on_conflict, escape }, got 7'],
  [[{ delimiter: ';' }], 'join_values[0] must name a field, got null'],
  [
    [{ field: 't', joiner: ';' }],
    'join_values[0] has the unknown key `joiner`; known keys: field, delimiter, on_conflict, escape',
  ],
  [
    [{ field: 't', on_conflict: 'drop' }],
    'join_values[0] must have error, escape or encode_json for on_conflict, got "drop"',
  ],
  [[{ field: 't', delimiter: '' }], 'join_values[0] must have a text of at least one character for delimiter, got ""'],
  [[{ field: 't', delimiter: '|', escape: '|' }], 'join_values[0] has "|" for both delimiter and escape'],
  [['t', 't'], 'join_values[1] names "t" a second time'],
])('%j: E362', async (join_values, message) => {
  expect(await notWritten([], { join_values: join_values as [] })).toBe(`E362: output "csv": ${message}`)
})
