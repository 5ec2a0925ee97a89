import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Bytes } from '../../../streams/csv/bytes.ts'

function written(write: (out: Bytes) => void): string {
  const out = new Bytes()
  write(out)
  return out.take().toString()
}

test('numbers have the digits JavaScript gives them', () => {
  const edge = [1, -1, 9, 10, 99, 100, 2 ** 31 - 1, -(2 ** 31), 1_000_000_000]
  for (const value of edge) expect(written((out) => out.int(value))).toBe(`${value}`)
  const float = fc.oneof(
    fc.double({ min: 1e-6, max: 1e21, minExcluded: true, maxExcluded: true }),
    fc.integer({ min: 1, max: 2 ** 32 }).map((hundredths) => hundredths / 100),
    fc.constantFrom(0.1, 0.05, 0.29, 1.005, 21474836.47, 21474836.48, 0.1 + 0.2, 4.35 * 100),
  )
  fc.assert(fc.property(fc.integer(), (value) => written((out) => out.int(value)) === `${value}`))
  fc.assert(fc.property(float, (value) => written((out) => out.float(value)) === `${value}`))
})

test('what one has taken stays while others write', () => {
  const taken: { bytes: Buffer; text: string }[] = []
  for (let turn = 0; turn < 40; turn++) {
    const text = String.fromCodePoint(0x1f600 + turn).repeat(turn * 500)
    const out = new Bytes()
    out.ascii('begun,')
    const other = new Bytes()
    other.text(text)
    out.text(text)
    taken.push({ bytes: other.take(), text }, { bytes: out.take(), text: `begun,${text}` })
  }
  for (const { bytes, text } of taken) expect(bytes.toString()).toBe(text)
})
