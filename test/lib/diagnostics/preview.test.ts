import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../../../lib/record/decimal.ts'
import { preview } from '../../../lib/diagnostics/index.ts'

const itself: Record<string, unknown> = {}
itself['me'] = itself

test.each([
  ['abc', '"abc"'],
  ['a"b\nc', '"a\\"b\\nc"'],
  ['', '""'],
  [null, 'null'],
  [undefined, 'null'],
  [5, '5'],
  [2n ** 60n, '1152921504606846976'],
  [true, 'true'],
  [Decimal.of(750n, 2), '7.50'],
  [{ a: [1, 2n] }, '{"a":[1,"2"]}'],
  [[], '[]'],
  [Object.create(null), '{}'],
  [itself, '[object Object]'],
  [new Map(), '[object Map]'],
])('%o is shown as %s', (value, shown) => {
  expect(preview(value)).toBe(shown)
})

test('is cut at 256 bytes, between characters', () => {
  expect(preview('a'.repeat(254))).toBe(`"${'a'.repeat(254)}"`)
  expect(preview('a'.repeat(255))).toBe(`"${'a'.repeat(251)}…"`)
  expect(preview('😀'.repeat(100))).toBe(`"${'😀'.repeat(62)}…"`)
  expect(preview(Array(1000).fill(1))).toMatch(/^\[1,1,.*…$/)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      expect(Buffer.byteLength(preview(text))).toBeLessThanOrEqual(256)
      expect(preview(text)).not.toMatch(/[\n\r]/)
    }),
  )
})
