import fc from 'fast-check'
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ClinkerError } from '../../../lib/diagnostics/error.ts'
import { SpillFile } from '../../../lib/memory/spill-file.ts'
import { temporarySpill } from './rows.ts'

const copies = (frames: Iterable<Buffer>): Buffer[] => Array.from(frames, (frame) => Buffer.from(frame))

describe('frames', () => {
  test('come back as they were written, whatever is collected or read at once', () => {
    const { folder } = temporarySpill()
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 })),
        fc.integer({ min: 8, max: 400 }),
        fc.integer({ min: 1, max: 400 }),
        (bodies, collected, read) => {
          const file = new SpillFile(folder, collected)
          for (const body of bodies) file.append(body)
          expect(copies(file.frames({ from: 0, to: file.end }, read))).toEqual(bodies.map((body) => Buffer.from(body)))
          file.remove()
        },
      ),
    )
  })

  test('are read from an extent, also between writes', () => {
    const { folder } = temporarySpill()
    const file = new SpillFile(folder)
    file.append(Buffer.from('one'))
    const from = file.end
    file.append(Buffer.from('two'), Buffer.from(''), Buffer.from('three'))
    const to = file.end
    expect(copies(file.frames({ from, to }))).toEqual([Buffer.from('twothree')])
    file.append(Buffer.from('four'))
    expect(copies(file.frames({ from, to: file.end }))).toEqual([Buffer.from('twothree'), Buffer.from('four')])
  })

  test('larger than a megabyte come back', () => {
    const { folder } = temporarySpill()
    const file = new SpillFile(folder)
    const body = Buffer.alloc(3_000_000, 'clinker')
    file.append(body)
    expect(copies(file.frames({ from: 0, to: file.end }))[0]?.equals(body)).toBe(true)
  })

  test('are gone with remove()', () => {
    const { folder, files } = temporarySpill()
    const file = new SpillFile(folder)
    file.append(Buffer.from('one'))
    expect(files()).toHaveLength(1)
    file.remove()
    file.remove()
    expect(existsSync(file.path)).toBe(false)
  })
})

describe('errors', () => {
  const damage = (change: (path: string) => void): string => {
    const { folder } = temporarySpill()
    const file = new SpillFile(folder, 16)
    file.append(Buffer.from('some rows that are longer than 16 bytes'))
    change(file.path)
    try {
      copies(file.frames({ from: 0, to: file.end }))
    } catch (error) {
      expect([(error as ClinkerError).code, (error as ClinkerError).exit]).toEqual(['E321', 4])
      return (error as ClinkerError).format().replace(file.path, 'FILE')
    }
    throw new Error('nothing was thrown')
  }
  const help = 'run again; if it happens again, check the disk or name another folder with --spill-dir (spill_dir)'

  test('a changed byte is found by the checksum', () => {
    const change = (path: string): void => {
      const bytes = readFileSync(path)
      bytes[20] = (bytes[20] as number) ^ 1
      writeFileSync(path, bytes)
    }
    expect(damage(change)).toBe(`E321: the spill file FILE is damaged: a checksum is wrong\n  ${help}`)
  })

  test('a file that was cut is told', () => {
    const cut = (path: string): void => truncateSync(path, 20)
    expect(damage(cut)).toBe(`E321: the spill file FILE is damaged: it ends too early\n  ${help}`)
  })

  test('a length that cannot be is told', () => {
    const change = (path: string): void => {
      const bytes = readFileSync(path)
      bytes[2] = 255
      writeFileSync(path, bytes)
    }
    expect(damage(change)).toBe(`E321: the spill file FILE is damaged: a frame goes beyond its end\n  ${help}`)
  })
})
