import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { shapeOf } from '../../../lib/record/stamp.ts'
import type { DeadLetter } from '../../../streams/node.ts'
import { read, refused } from './support.ts'

function letterBox(): { letters: DeadLetter[]; dead_letters: Writable } {
  const letters: DeadLetter[] = []
  const dead_letters = new Writable({
    objectMode: true,
    write(letter: DeadLetter, _, done) {
      letters.push(letter)
      done()
    },
  })
  return { letters, dead_letters }
}

const schema = { id: 'int', v: 'int' }

test('continue: a row with a bad cell becomes a dead letter, as it was read', async () => {
  const { letters, dead_letters } = letterBox()
  const options = { schema, on_error: 'continue' as const, dead_letters, name: 'rows', file: 'rows.csv' }
  expect(await read('id,extra,v\n1,a,5\n2,"b ""b""",x\ny,c,z\n4,d,6\n', options)).toEqual([
    { id: 1, v: 5, extra: 'a' },
    { id: 4, v: 6, extra: 'd' },
  ])
  expect(letters).toEqual([
    {
      category: 'type_coercion_failure',
      detail: 'rows.csv row=2 column=3 field="v": declared int, got "x"',
      stage: 'source',
      trigger: true,
      field: 'v',
      value: 'x',
      record: { id: '2', extra: 'b "b"', v: 'x' },
      source: { name: 'rows', file: 'rows.csv', row: 2 },
    },
    {
      category: 'type_coercion_failure',
      detail: 'rows.csv row=3 column=1 field="id": declared int, got "y"',
      stage: 'source',
      trigger: true,
      field: 'id',
      value: 'y',
      record: { id: 'y', extra: 'c', v: 'z' },
      source: { name: 'rows', file: 'rows.csv', row: 3 },
    },
  ])
  expect(shapeOf(letters[0]?.record as object)?.names).toEqual(['id', 'extra', 'v'])
})

test('continue: a declared column that the file lacks refuses every row', async () => {
  const { letters, dead_letters } = letterBox()
  expect(await read('id\n1\n2\n', { schema, on_error: 'continue', dead_letters })).toEqual([])
  expect(letters.map(({ field, value, record, source }) => [field, value, record, source.row])).toEqual([
    ['v', null, { id: '1' }, 1],
    ['v', null, { id: '2' }, 2],
  ])
})

test('continue: without a place for dead letters the rows are left out', async () => {
  expect(await read('id,v\n1,x\n2,3\n', { schema, on_error: 'continue' })).toEqual([{ id: 2, v: 3 }])
})

test('continue does not forgive input that is no CSV', async () => {
  const { letters, dead_letters } = letterBox()
  expect(await refused('id,v\n1\n', { schema, on_error: 'continue', dead_letters })).toContain('FormatFailure')
  expect(letters).toEqual([])
})

test('fail_fast, the default: the first bad cell ends the stream', async () => {
  expect(await refused('id,v\n1,x\n', { schema })).toContain('E126')
})
