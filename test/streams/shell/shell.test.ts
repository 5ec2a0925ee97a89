import { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { shapeOf } from '../../../lib/record/stamp.ts'
import type { Row } from '../../../lib/record/value.ts'
import {
  Blocking,
  markOwn,
  Parsing,
  type Results,
  recordsOf,
  type ShellOptions,
  Streaming,
  Stringifying,
} from '../../../streams/shell/index.ts'

/** Passes records on, and notes what it was given. */
class Pass extends Streaming {
  readonly batches: number[] = []
  released = 0

  override release(): void {
    this.released++
  }

  *process(batch: Row[]): Generator<Row[]> {
    this.batches.push(batch.length)
    yield batch
  }
}

/** Holds all records; gives them in batches of ten. */
class Hold extends Blocking {
  readonly held: Row[] = []
  given = 0
  released = 0

  add(batch: Row[]): void {
    this.held.push(...batch)
  }

  *rows(): Generator<Row[]> {
    for (; this.given < this.held.length; this.given += 10) yield this.held.slice(this.given, this.given + 10)
  }

  override release(): void {
    this.released++
  }
}

/** Does what it is told. */
class Told extends Streaming {
  readonly #process: (batch: Row[]) => Results<Row[]>
  readonly #finish: () => Results<Row[]>

  constructor(
    process: (batch: Row[]) => Results<Row[]>,
    finish: () => Results<Row[]> = () => [],
    options?: ShellOptions,
  ) {
    super(options)
    this.#process = process
    this.#finish = finish
  }

  process(batch: Row[]): Results<Row[]> {
    return this.#process(batch)
  }

  override finish(): Results<Row[]> {
    return this.#finish()
  }
}

/** Reads lines. */
class Lines extends Parsing<{ line: string }> {
  made = 0
  #rest: string

  constructor() {
    super()
    this.#rest = ''
  }

  *process(piece: Buffer): Generator<Row[]> {
    const lines = (this.#rest + piece.toString('latin1')).split('\n')
    this.#rest = lines.pop() as string
    for (let at = 0; at < lines.length; at += 100) {
      const batch = lines.slice(at, at + 100).map((line) => ({ line }))
      this.made += batch.length
      yield batch
    }
  }

  *finish(): Generator<Row[]> {
    if (this.#rest !== '') yield [{ line: this.#rest }]
  }
}

/** Writes a line for each record. */
class Print extends Stringifying {
  *process(batch: Row[]): Generator<string> {
    yield batch.map((row) => `${row['i']}\n`).join('')
  }

  *finish(): Generator<string> {
    yield 'end\n'
  }
}

const numbered = (count: number): { i: number }[] => Array.from({ length: count }, (_, i) => ({ i }))

const inBatches = (count: number, size: number): { i: number }[][] =>
  Array.from({ length: Math.ceil(count / size) }, (_, batch) => numbered(count).slice(batch * size, (batch + 1) * size))

async function all(source: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks
}

describe('chunks', () => {
  test('gives single records, whether single ones or batches came', async () => {
    expect(await all(Readable.from(numbered(3)).pipe(new Pass()))).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }])
    expect(await all(Readable.from(inBatches(3, 2)).pipe(new Pass()))).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }])
  })

  test('gives batches with `batch: true`', async () => {
    expect(await all(Readable.from(inBatches(3, 2)).pipe(new Pass({ batch: true })))).toEqual([
      [{ i: 0 }, { i: 1 }],
      [{ i: 2 }],
    ])
  })

  test('gathers single records that are written in one go', async () => {
    const node = new Pass()
    for (const record of numbered(1200)) node.write(record)
    node.end()
    expect(await all(node)).toHaveLength(1200)
    expect(node.batches).toEqual([512, 512, 176])
  })

  test('does not wait for more when nothing comes', async () => {
    const node = new Pass()
    node.write({ i: 1 })
    await setImmediate()
    expect(node.read()).toEqual({ i: 1 })
  })

  test('keeps the order when batches follow single records', async () => {
    const node = new Pass()
    node.write({ i: 0 })
    node.write([{ i: 1 }, { i: 2 }])
    node.write({ i: 3 })
    node.end()
    expect(await all(node)).toEqual(numbered(4))
  })

  test('passes over an empty batch, in and out', async () => {
    const node = new Told(() => [[], [{ i: 1 }], []])
    node.write([])
    node.write([{ i: 0 }])
    node.end()
    expect(await all(node)).toEqual([{ i: 1 }])
  })

  test('leaves the arrays it is given alone', async () => {
    const node = new Pass()
    const [empty, full] = [[], [{ i: 0 }]]
    node.write(empty)
    node.write({ i: 1 })
    node.write(full)
    node.write({ i: 2 })
    node.end()
    expect(await all(node)).toEqual([{ i: 1 }, { i: 0 }, { i: 2 }])
    expect([empty, full]).toEqual([[], [{ i: 0 }]])
  })

  test('reads bytes of any kind, and strings', async () => {
    const node = new Lines()
    node.write('a\nb')
    node.write(new Uint8Array([99, 10]))
    node.end('d')
    expect(await all(node)).toEqual([{ line: 'a' }, { line: 'bc' }, { line: 'd' }])
  })

  test('writes text', async () => {
    expect(Buffer.concat((await all(Readable.from(numbered(3)).pipe(new Print()))) as Buffer[]).toString()).toBe(
      '0\n1\n2\nend\n',
    )
  })

  test.each([
    ['undefined', undefined, 'Pass takes records (objects) or arrays of them, got undefined'],
    ['a text', 'x', 'Pass takes records (objects) or arrays of them, got "x"'],
    ['a number', 7, 'Pass takes records (objects) or arrays of them, got 7'],
    ['bytes', Buffer.from('x'), 'Pass takes records (objects) or arrays of them, got a Buffer'],
    ['a batch in a batch', [[]], 'Pass takes records (objects) or arrays of them, got an array'],
    ['a batch with a gap', [{ i: 1 }, null], 'Pass takes records (objects) or arrays of them, got null'],
  ])('refuses %s', async (_, chunk, message) => {
    const node = new Pass()
    const failed = new Promise((resolve) => node.once('error', resolve))
    node.write(chunk)
    expect(await failed).toEqual(new TypeError(message))
  })

  test('refuses null as every object stream does', () => {
    expect(() => new Pass().write(null)).toThrow('May not write null values to stream')
  })
})

describe('records of other code', () => {
  test('stamps plain objects', async () => {
    const node = new Told((batch) => {
      expect(batch.map((record) => shapeOf(record)?.names)).toEqual([['a'], ['b', 'c']])
      return [batch]
    })
    node.write([{ a: 1 }, { b: 1, c: 2 }])
    node.end()
    await all(node)
  })

  test('sees columns that a transform between two nodes has changed', async () => {
    const change = new Transform({
      objectMode: true,
      transform(record, _, callback) {
        record.more = true
        delete record.i
        callback(null, record)
      },
    })
    const last = new Told((batch) => {
      expect(batch.map((record) => shapeOf(record)?.names)).toEqual([['more']])
      return [batch]
    })
    await pipeline(Readable.from([{ i: 1 }]), new Pass(), change, last, all)
  })

  test.each([
    ['piped from a node', (): Readable => new Pass() as unknown as Readable],
    [
      'piped from a stream marked as ours',
      (): Readable => new Transform({ objectMode: true, transform: (r, _, c) => c(null, r) }),
    ],
  ])('trusts the stamp of records %s', async (_, make) => {
    const source = make()
    markOwn(source)
    const seen: unknown[] = []
    const node = new Told((batch) => {
      seen.push(...batch.map((record) => shapeOf(record)?.names))
      return [batch]
    })
    source.pipe(node)
    ;(source as unknown as Writable).write({ a: 1 })
    ;(source as unknown as Writable).end()
    expect(await all(node)).toEqual([{ a: 1 }])
    expect(seen).toEqual([['a']])
  })
})

describe('back-pressure', () => {
  test('holds the writer back while nobody reads', async () => {
    const node = new Pass()
    let written = 0
    while (node.write({ i: written++ })) if (written % 50 === 0) await setImmediate()
    expect(written).toBeLessThan(1600)
    expect(node.readableLength).toBeLessThanOrEqual(512)
  })

  test('computes no more of a large piece than is read', async () => {
    const node = new Lines()
    node.end('line\n'.repeat(1_000_000))
    const iterator = node.records()[Symbol.asyncIterator]()
    for (let read = 0; read < 100; read++) await iterator.next()
    await setImmediate()
    expect(node.made).toBeLessThanOrEqual(700)
    expect(node.readableLength).toBeLessThanOrEqual(356)
    await iterator.return?.()
  })

  test('holds one batch ahead in batch mode', async () => {
    const node = new Hold({ batch: true })
    node.end(numbered(1000))
    const iterator = node[Symbol.asyncIterator]()
    for (let read = 0; read < 5; read++) await iterator.next()
    await setImmediate()
    expect(node.given).toBeLessThanOrEqual(80)
    await iterator.return?.()
  })

  test('pulls the rows of a blocking node as they are read', async () => {
    const node = new Hold()
    node.end(numbered(10_000))
    const iterator = node[Symbol.asyncIterator]()
    for (let read = 0; read < 100; read++) await iterator.next()
    await setImmediate()
    expect(node.given).toBeLessThanOrEqual(400)
    await iterator.return?.()
  })

  test('waits for the dead letters to drain', async () => {
    const waiting: (() => void)[] = []
    const dead_letters = new Writable({
      objectMode: true,
      highWaterMark: 1,
      write: (_, __, done) => void waiting.push(done),
    })
    let processed = 0
    const node = new Told(
      (batch) => {
        processed++
        dead_letters.write(batch[0])
        return []
      },
      undefined,
      { dead_letters },
    )
    for (let batch = 0; batch < 5; batch++) node.write([{ i: batch }])
    node.end()
    await setImmediate()
    expect(processed).toBe(1)
    const read = all(node)
    while (processed < 5) {
      waiting.shift()?.()
      await setImmediate()
    }
    await setImmediate()
    waiting.shift()?.()
    expect(await read).toEqual([])
    expect(dead_letters.writableEnded).toBe(false)
  })
})

describe('the end', () => {
  test('gives what `finish` gives behind the rest', async () => {
    const node = new Told(
      (batch) => [batch],
      () => [[{ i: 8 }], [{ i: 9 }]],
    )
    node.end([{ i: 1 }])
    expect(await all(node)).toEqual([{ i: 1 }, { i: 8 }, { i: 9 }])
  })

  test('asks async generators, too', async () => {
    const node = new Told(
      async function* (batch) {
        await setImmediate()
        yield batch
      },
      async function* () {
        await setImmediate()
        yield [{ i: 9 }]
      },
    )
    node.write([{ i: 1 }])
    node.write([{ i: 2 }])
    node.end()
    expect(await all(node)).toEqual([{ i: 1 }, { i: 2 }, { i: 9 }])
  })

  test('holds the next batch back while a promise of `add` is pending', async () => {
    const order: string[] = []
    class Slow extends Hold {
      override async add(batch: Row[]): Promise<void> {
        order.push(`begin ${batch[0]?.['i']}`)
        await setImmediate()
        order.push(`end ${batch[0]?.['i']}`)
      }
    }
    const node = new Slow()
    node.write([{ i: 1 }])
    node.write([{ i: 2 }])
    node.end()
    await all(node)
    expect(order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  test('a blocking node finishes its writable side before anybody reads', async () => {
    const node = new Hold()
    await pipeline(Readable.from(numbered(5000)), node)
    expect(node.held).toHaveLength(5000)
    expect(await all(node)).toHaveLength(5000)
  })

  test('releases once, when everything is out', async () => {
    const node = new Hold()
    node.end(numbered(25))
    await all(node)
    await setImmediate()
    expect([node.released, node.closed]).toEqual([1, true])
  })

  test('counts', async () => {
    const node = new Pass()
    await pipeline(Readable.from(inBatches(25, 10)), node, all)
    expect(node.stats).toEqual({ records_in: 25, records_out: 25, bytes_in: 0, bytes_out: 0 })
    const lines = new Lines()
    const print = new Print()
    await pipeline(Readable.from(['1\n', '2\n']), lines, print, all)
    expect(lines.stats).toEqual({ records_in: 0, records_out: 2, bytes_in: 4, bytes_out: 0 })
    expect(print.stats).toEqual({ records_in: 2, records_out: 0, bytes_in: 0, bytes_out: 24 })
  })
})

describe('errors', () => {
  const boom = (): never => {
    throw new Error('boom')
  }

  test.each([
    ['process', (): Told => new Told(boom)],
    [
      'a generator of process',
      (): Told =>
        new Told(function* () {
          yield [{ i: 1 }]
          boom()
        }),
    ],
    [
      'an async generator of process',
      (): Told =>
        new Told(async function* () {
          yield [{ i: 1 }]
          boom()
        }),
    ],
    ['finish', (): Told => new Told((batch) => [batch], boom)],
    [
      'an async generator of finish',
      (): Told =>
        new Told(
          (batch) => [batch],
          async function* () {
            yield boom()
          },
        ),
    ],
  ])('reaches pipeline() once from %s', async (_, make) => {
    const node = make()
    const heard = vi.fn()
    node.on('error', heard)
    await expect(pipeline(Readable.from(numbered(3)), node, all)).rejects.toEqual(new Error('boom'))
    await setImmediate()
    expect(heard).toHaveBeenCalledTimes(1)
    expect(node.destroyed).toBe(true)
  })

  test('fails the write of a node that nobody reads', async () => {
    await expect(pipeline(Readable.from(numbered(3)), new Told((batch) => [batch], boom))).rejects.toEqual(
      new Error('boom'),
    )
  })

  test('releases once when it fails', async () => {
    class Failing extends Hold {
      override *rows(): Generator<Row[]> {
        yield this.held
        boom()
      }
    }
    const node = new Failing()
    await expect(pipeline(Readable.from(numbered(3)), node, all)).rejects.toEqual(new Error('boom'))
    expect(node.released).toBe(1)
  })

  test('reports a failing release', async () => {
    class Failing extends Hold {
      override release(): void {
        boom()
      }
    }
    await expect(pipeline(Readable.from(numbered(3)), new Failing(), all)).rejects.toEqual(new Error('boom'))
  })

  test('makes an error of what is none', async () => {
    const node = new Told(() => {
      throw 'text'
    })
    await expect(pipeline(Readable.from(numbered(1)), node, all)).rejects.toEqual(new Error('a node threw "text"'))
  })
})

describe('leaving early', () => {
  test('closes quietly when the loop of a reader breaks', async () => {
    const node = new Hold()
    node.end(numbered(100))
    for await (const record of node) if (record.i === 3) break
    await setImmediate()
    expect([node.closed, node.errored, node.released]).toEqual([true, null, 1])
  })

  test('closes quietly when the loop over `records()` breaks', async () => {
    const node = new Pass({ batch: true })
    node.write(numbered(100))
    for await (const record of node.records()) if (record['i'] === 3) break
    await setImmediate()
    expect([node.closed, node.errored, node.released]).toEqual([true, null, 1])
  })

  test('does so in a pipeline, too, of which Node says that it ended early', async () => {
    const node = new Pass()
    const heard = vi.fn()
    node.on('error', heard)
    let read = 0
    const run = pipeline(Readable.from(numbered(100_000)), node, async (source) => {
      for await (const _ of source) if (++read === 3) break
    })
    await expect(run).rejects.toMatchObject({ code: expect.stringMatching(/ABORT_ERR|ERR_STREAM_PREMATURE_CLOSE/) })
    expect([read, node.closed, heard.mock.calls, node.released]).toEqual([3, true, [], 1])
  })

  test('does not take an abort inside the work for one of these', async () => {
    const abort = Object.assign(new Error('fetch was aborted'), { name: 'AbortError' })
    const node = new Told(() => {
      throw abort
    })
    await expect(pipeline(Readable.from(numbered(1)), node, all)).rejects.toBe(abort)
  })

  test('closes quietly when aborted, before and while it runs', async () => {
    for (const early of [true, false]) {
      const controller = new AbortController()
      if (early) controller.abort()
      const node = new Hold({ signal: controller.signal })
      const heard = vi.fn()
      node.on('error', heard)
      const closed = new Promise((resolve) => node.once('close', resolve))
      if (!early) {
        node.write(numbered(3))
        await setImmediate()
        controller.abort()
      }
      await closed
      expect([heard.mock.calls, node.released]).toEqual([[], 1])
    }
  })

  test('runs the `finally` of the generator it was in', async () => {
    const finished = vi.fn()
    const node = new Told(function* () {
      try {
        for (;;) yield numbered(512)
      } finally {
        finished()
      }
    })
    node.write([{ i: 1 }])
    await setImmediate()
    node.destroy()
    await setImmediate()
    expect(finished).toHaveBeenCalledTimes(1)
  })

  test('can be destroyed from within its own computation', async () => {
    const order: string[] = []
    class Own extends Pass {
      override *process(batch: Row[]): Generator<Row[]> {
        this.destroy()
        order.push('still computing')
        yield batch
      }

      override release(): void {
        order.push('released')
      }
    }
    const node = new Own()
    node.write([{ i: 1 }])
    await new Promise((resolve) => node.once('close', resolve))
    expect(order).toEqual(['still computing', 'released'])
  })

  test('is disposed of by `await using`', async () => {
    const node = new Hold()
    {
      await using inner = node
      inner.write(numbered(3))
    }
    expect([node.closed, node.errored, node.released]).toEqual([true, null, 1])
  })
})

describe('what is no record, or no text', () => {
  test.each([
    [new Map([['a', 1]]), 'a Map'],
    [new Set([1]), 'a Set'],
    [new Date(0), 'a Date'],
    [Promise.resolve({}), 'a Promise'],
    [Buffer.from('a'), 'a Buffer'],
    ['a', '"a"'],
    [7, '7'],
  ])('is refused: %o', async (given, told) => {
    const node = new Pass()
    node.end(given)
    await expect(all(node)).rejects.toThrow(`Pass takes records (objects) or arrays of them, got ${told}`)
  })

  test('fails a pipeline from records into a parser, and not the process', async () => {
    await expect(pipeline(Readable.from([{ a: 1 }]), new Lines(), new Pass())).rejects.toThrow(
      'Lines takes text or bytes, got an object',
    )
  })
})

describe('with other streams', () => {
  test('composes', async () => {
    const composed = Readable.from(['a\nb\n']).compose(new Lines()).compose(new Pass())
    expect(await all(composed)).toEqual([{ line: 'a' }, { line: 'b' }])
  })

  test('goes through web streams', async () => {
    const source = Readable.toWeb(Readable.from(numbered(1000)))
    const { readable, writable } = Transform.toWeb(new Pass())
    void source.pipeTo(writable as WritableStream<unknown>)
    expect(await all(readable as unknown as AsyncIterable<unknown>)).toEqual(numbered(1000))
  })

  test('has the stream operators of Node', async () => {
    const node = new Hold()
    node.end(numbered(100))
    expect(await node.take(3).toArray()).toEqual(numbered(3))
  })

  test('unpacks the batches of any stream', async () => {
    expect(await all(recordsOf(Readable.from([[1, 2], 3])))).toEqual([1, 2, 3])
  })
})
