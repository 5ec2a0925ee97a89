import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemoryBudget, TextSpool } from '../../../lib/memory/index.ts'
import { temporarySpill } from './rows.ts'

function open(limit: string) {
  const { folder, files } = temporarySpill()
  const budget = new MemoryBudget(limit)
  return { spool: new TextSpool({ budget, folder, node: 'output "out"' }), budget, folder, files }
}

const bytesOf = (spool: TextSpool): Buffer => Buffer.concat(Array.from(spool.read(), (piece) => Buffer.from(piece)))

describe('text', () => {
  test('stays in memory while there is room', () => {
    const { spool, budget, files } = open('8K')
    spool.write('a,b\n')
    spool.write('1,é\n')
    expect([...spool.read()]).toEqual(['a,b\n1,é\n'])
    expect([budget.used, files()]).toEqual([56, []])
    spool.release()
    expect(budget.used).toBe(0)
  })

  test('goes to disk beyond, and comes back as bytes', () => {
    const { spool, budget, files } = open('8K')
    const line = 'some text with é and 😀\n'
    for (let index = 0; index < 10_000; index++) spool.write(line)
    expect(budget.peak).toBeLessThanOrEqual(8192)
    expect(files()).toHaveLength(1)
    expect(bytesOf(spool).equals(Buffer.from(line.repeat(10_000)))).toBe(true)
    expect(bytesOf(spool)).toHaveLength(10_000 * Buffer.byteLength(line))
    spool.release()
    spool.release()
    expect([budget.used, files()]).toEqual([0, []])
  })

  test('can be read and written on', () => {
    const { spool } = open('8K')
    for (let index = 0; index < 500; index++) spool.write(`line ${index}\n`)
    const before = bytesOf(spool).toString()
    spool.write('end')
    expect(bytesOf(spool).toString()).toBe(`${before}end`)
    spool.release()
  })

  test('of nothing is nothing', () => {
    expect([...open('8K').spool.read()]).toEqual([])
  })

  test('is the same whatever the limit, also where a piece ends between surrogates', () => {
    const unit = fc.constantFrom('a', 'é', '\ud83d', '\ude00', '\n', 'long '.repeat(100))
    const pieces = fc.array(fc.string({ unit, maxLength: 5 }), { maxLength: 100, size: 'max' })
    fc.assert(
      fc.property(pieces, (texts) => {
        for (const limit of ['8K', '1M']) {
          const { spool, folder } = open(limit)
          for (const text of texts) spool.write(text)
          expect(bytesOf(spool).equals(Buffer.from(texts.join('')))).toBe(true)
          spool.release()
          folder.close()
        }
      }),
    )
  })

  test('is gone after release(), also while it is read', () => {
    const { spool, files } = open('8K')
    for (let index = 0; index < 50_000; index++) spool.write('a line of text\n')
    const reading = spool.read()
    reading.next()
    spool.release()
    expect(files()).toEqual([])
    expect(reading.next().done).toBe(true)
  })
})
