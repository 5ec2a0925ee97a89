import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import type { Row } from '../../lib/record/value.ts'
import * as csv from '../../streams/csv/index.ts'
import { json, ndjson } from '../../streams/json/index.ts'

/** The records of a file, one at a time. */
export class RecordFile {
  readonly #records: AsyncIterator<Row>

  constructor(file: string) {
    const parser = parserOf(file)
    // An error of the file reaches the reader of the records through the parser.
    pipeline(createReadStream(file), parser, () => {})
    this.#records = parser[Symbol.asyncIterator]() as AsyncIterator<Row>
  }

  /** Undefined at the end. */
  async next(): Promise<Row | undefined> {
    const { value, done } = await this.#records.next()
    return done ? undefined : value
  }

  async close(): Promise<void> {
    await this.#records.return?.()
  }
}

function parserOf(file: string): ReturnType<typeof csv.parse> | ReturnType<typeof json.parse> {
  switch (file.split('.').at(-1)?.toLowerCase()) {
    case 'ndjson':
    case 'jsonl':
      return ndjson.parse({ name: file, file })
    case 'json':
      return json.parse({ name: file, file })
    default:
      return csv.parse({ name: file, file })
  }
}
