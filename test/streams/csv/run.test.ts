import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { Origin, SourceFile } from '../../../lib/record/origin.ts'
import { ShapeTable } from '../../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import type { Row } from '../../../lib/record/value.ts'
import { Header } from '../../../streams/csv/header.ts'
import { CsvParse, type ParseOptions, type ParseRun } from '../../../streams/csv/parse.ts'
import { CsvStringify } from '../../../streams/csv/stringify.ts'
import type { DeadLetter } from '../../../streams/node.ts'

async function records(csv: string, options: ParseOptions, run: ParseRun): Promise<Row[]> {
  const parser = new CsvParse<Row>(options, run)
  parser.end(csv)
  return parser.toArray()
}

test('files of one source share shapes and count rows on', async () => {
  const shapes = new ShapeTable()
  const origin = new Origin(new SourceFile('plants', 'b.csv'))
  const [one] = (await records('a,b\n1,2\n', {}, { shapes })) as [Row]
  const [other] = (await records('a,b\n3,4\n', {}, { shapes, rowsBefore: 7, origin })) as [Row]
  expect(shapeOf(other)).toBe(shapeOf(one))
  expect([originOf(other), rowOf(one), rowOf(other)]).toEqual([origin, 1, 8])
})

test('columns that nobody needs are not cut out: carried ones are left out, texts are null, others are checked all the same', async () => {
  const needed = new Set(['id', 'box'])
  const options: ParseOptions = { schema: { id: 'int', note: 'string', n: 'int' } }
  expect(await records('note,id,box,n,x\n"a,\nb",1,c,7,d\nz,2,c,8,d\n', options, { needed })).toEqual([
    { id: 1, note: null, n: 7, box: 'c' },
    { id: 2, note: null, n: 8, box: 'c' },
  ])
  await expect(records('id,note,n\n1,a,b\n', options, { needed })).rejects.toThrow('field="n": declared int')
})

test('refused rows go to the run', async () => {
  const letters: DeadLetter[] = []
  const options: ParseOptions = { schema: { id: 'int' }, on_error: 'continue', name: 'plants', file: 'b.csv' }
  await records('id\nx\n', options, { rowsBefore: 3, report: (letter) => letters.push(letter) })
  expect(letters.map(({ source }) => source)).toEqual([{ name: 'plants', file: 'b.csv', row: 4 }])
})

test('files of one output share a union header, which is final when all have their records', async () => {
  const header = new Header(['id'])
  const files = [
    { id: 1, a: 2 },
    { id: 3, b: 4 },
  ].map((record) => {
    const writer = new CsvStringify({ header: 'union' }, { header })
    writer.write(record)
    return writer
  })
  await new Promise(setImmediate)
  const texts = files.map((writer) => {
    writer.end()
    return text(writer)
  })
  expect(await Promise.all(texts)).toEqual(['id,a,b\n1,2,\n', 'id,a,b\n3,,4\n'])
})

test('files of one output share the first record, too', async () => {
  const header = new Header()
  const write = (record: object): Promise<string> =>
    text(Readable.from([record]).pipe(new CsvStringify({ header: 'first' }, { header })))
  expect(await write({ id: 1, a: 2 })).toBe('id,a\n1,2\n')
  expect(await write({ id: 3 })).toBe('id,a\n3,\n')
  await expect(write({ id: 3, b: 4 })).rejects.toThrow('SchemaDrift')
})
