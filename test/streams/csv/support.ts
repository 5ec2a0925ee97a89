import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { type ParseOptions, parse, type StringifyOptions, stringify } from '../../../streams/csv/index.ts'

/** The records of a CSV file, as plain data: `input` as a text, or in the pieces in which it arrives. */
export async function read(
  input: string | readonly (string | Uint8Array)[],
  options: ParseOptions = {},
): Promise<object[]> {
  const parser = parse(options)
  const pieces = typeof input === 'string' ? [input] : input
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)))
  const records: object[] = []
  for await (const record of Readable.from(bytes, { objectMode: false }).pipe(parser).records())
    records.push({ ...record })
  return records
}

/** The whole text of the error that reading, or making the parser, ends with. */
export function refused(input: string | readonly (string | Uint8Array)[], options: ParseOptions = {}): Promise<string> {
  return formatted(async () => read(input, options))
}

/** The text of a CSV file with these records. */
export async function write(records: readonly object[], options: StringifyOptions = {}): Promise<string> {
  return text(Readable.from(records).pipe(stringify(options)))
}

/** The whole text of the error that writing, or making the writer, ends with. */
export function notWritten(records: readonly object[], options: StringifyOptions = {}): Promise<string> {
  return formatted(async () => write(records, options))
}

async function formatted(run: () => Promise<unknown>): Promise<string> {
  try {
    await run()
  } catch (error) {
    if (error instanceof ClinkerError) return error.format()
    throw error
  }
  throw new Error('nothing was refused')
}
