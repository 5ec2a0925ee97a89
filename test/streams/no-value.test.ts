import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { csv, json, ndjson } from '../../streams/index.ts'

test.each([
  ['csv', csv.stringify, 'UnwritableValue: output "csv": column "a" cannot be written: a function is no value'],
  [
    'ndjson',
    ndjson.stringify,
    'UnwritableValue: output "json": column `a` of a record cannot be written as JSON: a function is no value',
  ],
  [
    'json',
    json.stringify,
    'UnwritableValue: output "json": column `a` of a record cannot be written as JSON: a function is no value',
  ],
])('%s refuses a function where a value should be, and names its column', async (_, stringify, message) => {
  await expect(text(Readable.from([{ a: () => 1 }]).compose(stringify()))).rejects.toThrow(message)
})

test('a symbol is refused the same way', async () => {
  await expect(text(Readable.from([{ a: Symbol('x') }]).compose(csv.stringify()))).rejects.toThrow(
    'UnwritableValue: output "csv": column "a" cannot be written: a symbol is no value',
  )
})
