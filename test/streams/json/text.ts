import { pipeline } from 'node:stream/promises'
import type { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import type { Row } from '../../../lib/record/value.ts'
import {
  json,
  type JsonParse,
  type JsonParseOptions,
  type JsonStringifyOptions,
  ndjson,
} from '../../../streams/json/index.ts'

/** The records of an NDJSON text, fed in one piece or in the given ones. */
export async function read(text: string | readonly Uint8Array[], options: JsonParseOptions = {}): Promise<Row[]> {
  return collect(typeof text === 'string' ? [Buffer.from(text)] : text, ndjson.parse(options))
}

/** The records of objects one after another. */
export async function readObjects(
  text: string | readonly Uint8Array[],
  options: JsonParseOptions = {},
): Promise<Row[]> {
  return collect(typeof text === 'string' ? [Buffer.from(text)] : text, json.parse(options))
}

async function collect(pieces: readonly Uint8Array[], parser: JsonParse): Promise<Row[]> {
  const records: Row[] = []
  await pipeline(pieces, parser, async (source) => {
    for await (const record of source) records.push(record as Row)
  })
  return records
}

/** What the writer makes of records. */
export async function write(records: Iterable<object>, options: JsonStringifyOptions = {}): Promise<string> {
  let text = ''
  await pipeline([...records], json.stringify(options), async (source: AsyncIterable<Buffer>) => {
    const pieces: Buffer[] = []
    for await (const piece of source) pieces.push(piece)
    text = Buffer.concat(pieces).toString()
  })
  return text
}

/** NDJSON through records and back. */
export async function through(text: string | readonly Uint8Array[], options: JsonParseOptions = {}): Promise<string> {
  return write(await read(text, options), { format: 'ndjson' })
}

/** The whole text of the error that something ends with. */
export async function refusal(attempt: () => unknown): Promise<string> {
  try {
    await attempt()
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

/** The names of a record's columns in order, with a bar before the carried ones, and its row number. */
export function columns(record: Row): string {
  const shape = shapeOf(record)
  if (!shape) return 'no shape'
  const names = shape.columns.map(({ name, type }) => `${name}: ${type}`)
  return `${rowOf(record)} ${names.slice(0, shape.declared).join(', ')} | ${names.slice(shape.declared).join(', ')}`
}
