import { pipeline } from 'node:stream/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { hostileNames, withoutGeneration } from '../contract.ts'

type Streams = Awaited<ReturnType<typeof withoutGeneration>>

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** NDJSON through records and back, or the message it ends with. */
async function through({ ndjson }: Streams, text: string, schema?: object): Promise<string> {
  let written = ''
  const options = schema ? { schema } : {}
  try {
    await pipeline([Buffer.from(text)], ndjson.parse(options), ndjson.stringify(), async (source) => {
      for await (const piece of source) written += piece
    })
  } catch (error) {
    return (error as ClinkerError).message
  }
  return written
}

const hostile = hostileNames.map((name) => `{${JSON.stringify(name)}:1,"x":{${JSON.stringify(name)}:"y"}}`).join('\n')

test.each([
  ['{"id":1,"f":2.0,"n":{"a":{},"b":[1,2.0]},"s":"\\u00e9"}\n', undefined],
  ['{"id":1,"f":2.5,"d":1.50,"t":"2024-01-02","z":null}\n', { id: 'int', f: 'float', d: 'decimal', t: 'date' }],
  ['{"id":9007199254740993,"x":0.10000000000000001}\n', { id: 'int' }],
  ['{"id":1}\n{"id":2.5}\n', { id: 'int' }],
  ['{"id":1,"id":2}\n', undefined],
  [hostile, undefined],
])('%j reads and writes the same where code generation is not allowed', async (text, schema) => {
  const lines = text.repeat(8)
  const generated = await through(await import('../../../streams/index.ts'), lines, schema)
  expect(await through(await withoutGeneration(), lines, schema)).toBe(generated)
})
