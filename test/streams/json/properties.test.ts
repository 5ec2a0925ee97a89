import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readObjects, read, through, write } from './text.ts'

/** JSON in the form the writer gives, with keys that a record keeps: no null (it is left out), numbers by their text. */
const numberText = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.integer().map(String),
  fc.integer({ min: -1000, max: 1000 }).map((n) => `${n}.0`),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: 1e-5, max: 1e15 })
    .map((n) => (Number.isInteger(n) ? `${n}.0` : `${n}`)),
)
const text = fc.string({ unit: 'binary', maxLength: 6 }).map((s) => JSON.stringify(s))
const key = fc.oneof(
  fc.constantFrom('a', 'b', 'a.b', '', '__proto__', '1', '0', 'id', 'C:\\'),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const { value } = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, numberText, text, fc.constantFrom('true', 'false'), tie('list'), tie('map')),
  list: fc.array(fc.oneof(tie('value'), fc.constant('null')), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  map: members(tie('value') as fc.Arbitrary<string>),
}))
const line = members(value)

function members(item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .uniqueArray(fc.tuple(key, item), { maxLength: 4, selector: ([name]) => name })
    .map((entries) => `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${item}`).join(',')}}`)
}

/** Pieces of a text, cut at any bytes. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text)
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

describe('round trip', () => {
  test('keeps the bytes of every line in the writer’s own form', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
        const text = lines.map((line) => `${line}\n`).join('')
        expect(await through(text)).toBe(text)
        // Many records of each layout: the generated code says the same.
        expect(await through(text.repeat(6))).toBe(text.repeat(6))
      }),
    )
  })

  test('pretty output means the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 3 }), async (lines) => {
        const records = await read(lines.join('\n'))
        const pretty = await write(records, { format: 'ndjson', pretty: true })
        expect(await write(await readObjects(pretty), { format: 'ndjson' })).toBe(
          await write(records, { format: 'ndjson' }),
        )
      }),
    )
  })
})

describe('any cut of the bytes gives the same records', () => {
  test('of lines and of objects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (lines, places) => {
          const text = `\uFEFF${lines.join('\r\n\n')}`
          const whole = await read(text)
          expect(await read(cut(text, places))).toEqual(whole)
          expect(await readObjects(cut(text, places))).toEqual(whole)
        },
      ),
    )
  })

  test('at every byte', async () => {
    const text =
      '\uFEFF{"s":"é\\u00e9\\ud83d\\ude00😀\\\\\\"","n":-12.50e+1}\n\n{"id":9007199254740993,"l":[1,"x"],"u":null}\r\n{"a":{"b":{}}}'
    const whole = await read(text)
    for (let place = 0; place <= Buffer.byteLength(text); place++) {
      expect(await read(cut(text, [place]))).toEqual(whole)
      expect(await readObjects(cut(text, [place]))).toEqual(whole)
    }
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]))
    expect(await read(bytes)).toEqual(whole)
    expect(await readObjects(bytes)).toEqual(whole)
  })
})
