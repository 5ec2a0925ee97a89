import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { MemoryBudget } from '../../lib/memory/index.ts'
import * as loaded from '../../streams/index.ts'

type Streams = typeof loaded

/** A node as the contract looks at it. */
export interface Subject {
  readonly title: string
  /** Makes the node; `options` are to be added to its own. */
  make(streams: Streams, options: loaded.NodeOptions): Duplex
  /** Enough records to spill at 8K, in groups of which each fits. */
  readonly input: readonly object[]
  /** What comes out, in order. */
  readonly output: readonly object[]
  /** A node of the same kind over a column with the given name: {@link hostileNames} are tried. */
  hostile(
    streams: Streams,
    column: string,
    options: loaded.NodeOptions,
  ): { node: Duplex; input: object[]; output: object[] }
  /** Whether records leave while others come in: then a slow reader holds the input back. */
  readonly streams: boolean
}

/** Column names that mean something to JavaScript or to generated code. */
export const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  '',
  ' ',
  '2024',
  'a.b',
  "it's",
  '"quoted"',
  'a`${1}`',
  'line\nbreak',
  '\u2028',
  'k0',
  'row',
  'return',
  'größe',
]

/** What every node does, whatever it computes. */
export function describeContract(subject: Subject): void {
  describe(`${subject.title}: the contract of every node`, () => {
    const folders: string[] = []
    const spillFolder = (): string => {
      const folder = mkdtempSync(path.join(tmpdir(), 'clinker-contract-'))
      folders.push(folder)
      return folder
    }
    afterEach(() => {
      vi.unstubAllGlobals()
      vi.resetModules()
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
    })
    const made = (options: loaded.NodeOptions): Duplex => subject.make(loaded, options)
    const output = plain(subject.output)

    test.each([1, 2, 7, 512, 10_000])('takes batches of %i records and gives single ones', async (size) => {
      expect(await run(made({}), batches(subject.input, size))).toEqual(output)
    })

    test('takes single records and batches mixed', async () => {
      const mixed = batches(subject.input, 3).flatMap((batch, index): unknown[] => (index % 2 ? [batch] : batch))
      expect(await run(made({}), mixed)).toEqual(output)
    })

    test('gives batches when asked to, with the same records', async () => {
      const chunks: unknown[] = []
      const node = made({ batch: true })
      await pipeline(Readable.from([...subject.input]), node, collect(chunks))
      expect(chunks.every(Array.isArray)).toBe(true)
      expect(plain(chunks.flat())).toEqual(output)
    })

    test('waits for a slow reader', async () => {
      const node = made({})
      let taken = 0
      const endless = function* () {
        for (let round = 0; round < 200; round++) for (const record of subject.input) yield (taken++, { ...record })
      }
      if (!subject.streams) {
        for (const record of subject.input) node.write({ ...record })
        node.end()
      } else Readable.from(endless()).pipe(node)
      const iterator = node[Symbol.asyncIterator]()
      for (let read = 0; read < 5; read++) {
        await iterator.next()
        for (let turn = 0; turn < 20; turn++) await setImmediate()
        expect(node.readableLength).toBeLessThanOrEqual(1024)
      }
      if (subject.streams) expect(taken).toBeLessThanOrEqual(4096)
      await iterator.return?.()
      expect(node.destroyed).toBe(true)
    })

    test('frees memory and spill files when the reader stops early', async () => {
      const [memory, spill_dir] = [new MemoryBudget('8K'), spillFolder()]
      const node = made({ memory, spill_dir })
      let read = 0
      await pipeline(Readable.from(batches(subject.input, 10)), node, async (source) => {
        for await (const _ of source) if (++read === 3) break
      }).catch(ignorePrematureClose)
      await closed(node)
      expect([memory.used, filesIn(spill_dir)]).toEqual([0, []])
    })

    test('frees memory and spill files when destroyed at any moment', async () => {
      for (let moment = 0; moment < 24; moment++) {
        const [memory, spill_dir] = [new MemoryBudget('8K'), spillFolder()]
        const node = made({ memory, spill_dir })
        let seen = 0
        const stop = (): void => {
          if (++seen === 1 + moment * 5) node.destroy()
        }
        const counting = function* () {
          for (const batch of batches(subject.input, 5)) {
            stop()
            yield batch
          }
        }
        await pipeline(Readable.from(counting()), node, async (source) => {
          for await (const _ of source) stop()
        }).catch(ignorePrematureClose)
        node.destroy()
        await closed(node)
        expect([moment, memory.used, filesIn(spill_dir)]).toEqual([moment, 0, []])
      }
    })

    test('closes quietly when its signal is aborted', async () => {
      const controller = new AbortController()
      const memory = new MemoryBudget('1M')
      const node = made({ memory, signal: controller.signal })
      for (const record of subject.input.slice(0, 10)) node.write({ ...record })
      controller.abort()
      await closed(node)
      expect(memory.used).toBe(0)
    })

    test.each(['8K', '64K', '1M', '64M'])('gives the same with a budget of %s', async (limit) => {
      const [memory, spill_dir] = [new MemoryBudget(limit), spillFolder()]
      expect(await run(made({ memory, spill_dir }), batches(subject.input, 50))).toEqual(output)
      expect([memory.used, filesIn(spill_dir)]).toEqual([0, []])
    })

    test('gives the same where code generation is not allowed', async () => {
      const streams = await withoutGeneration()
      expect(await run(subject.make(streams, {}), [...subject.input])).toEqual(output)
      for (const name of hostileNames) {
        const { node, input, output } = subject.hostile(streams, name, {})
        expect([name, await run(node, input)]).toEqual([name, plain(output)])
      }
    })

    test('takes objects of other code, frozen ones and ones without a prototype', async () => {
      const frozen = subject.input.map((record) => Object.freeze({ ...record }))
      expect(await run(made({}), frozen)).toEqual(output)
      const bare = subject.input.map((record) => Object.assign(Object.create(null), record))
      expect(await run(made({}), bare)).toEqual(output)
    })

    test('leaves the records it is given as they were', async () => {
      const given = subject.input.map((record) => ({ ...record }))
      await run(made({}), given)
      expect(given).toEqual(subject.input)
    })

    test.each(hostileNames)('works over a column named %j', async (name) => {
      const { node, input, output } = subject.hostile(loaded, name, {})
      const result = await run(node, input)
      expect(result).toEqual(plain(output))
      for (const record of result) expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
    })

    test('refuses an unknown option, naming the nearest one', () => {
      expect(() => subject.make(loaded, { batched: true } as loaded.NodeOptions)).toThrow(
        /^E000: .*unknown key `batched`/,
      )
    })
  })
}

/** The records a node gives for chunks of input, as plain data. */
export async function run(node: Duplex, chunks: Iterable<unknown>): Promise<object[]> {
  const records: unknown[] = []
  await pipeline(Readable.from(chunks), node, collect(records))
  return plain(records.flat())
}

/** Copies of records, without what the engine keeps on them. */
export function plain(records: readonly unknown[]): object[] {
  return records.map((record) => ({ ...(record as object) }))
}

/** Records in arrays of `size`, each a new object. */
export function batches(records: readonly object[], size: number): object[][] {
  const found: object[][] = []
  for (let from = 0; from < records.length; from += size) {
    found.push(records.slice(from, from + size).map((record) => ({ ...record })))
  }
  return found
}

/** The package as it loads in a process that may not generate code. */
export async function withoutGeneration(): Promise<Streams> {
  vi.resetModules()
  vi.stubGlobal('Function', function Function() {
    throw new EvalError('Code generation from strings disallowed for this context')
  })
  const streams = await import('../../streams/index.ts')
  const { canGenerate } = await import('../../lib/record/generate.ts')
  expect(canGenerate()).toBe(false)
  return streams
}

function collect(into: unknown[]) {
  return async (source: AsyncIterable<unknown>): Promise<void> => {
    for await (const chunk of source) into.push(chunk)
  }
}

async function closed(node: Duplex): Promise<void> {
  if (!node.closed) await new Promise((resolve) => node.once('close', resolve))
}

function ignorePrematureClose(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.name !== 'AbortError') throw error
}

/** Files at any depth: a folder may stay until the process ends. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
}
