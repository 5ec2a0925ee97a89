// The field cases that test/run-field.mjs cannot express: those marked `library` or `property` in their case.json.
import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, readFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { csv, ndjson } from 'clinker-streams'
import { describe, expect, test } from 'vitest'
import { command, temporaryFolder } from './support/command.ts'

const field = path.join(import.meta.dirname, 'field')

async function text(stream: Readable): Promise<string> {
  let all = ''
  for await (const chunk of stream) all += String(chunk)
  return all
}

describe('csv-cut-anywhere', async () => {
  const input = await readFile(path.join(field, 'csv-cut-anywhere/in.csv'))
  const expected = await readFile(path.join(field, 'csv-cut-anywhere/expected.ndjson'), 'utf8')
  const schema = [
    { name: 'id', type: 'int' },
    { name: 'name', type: 'string' },
    { name: 'note', type: 'string' },
  ]
  const read = (chunks: Buffer[]): Promise<string> =>
    text(Readable.from(chunks).pipe(csv.parse({ schema })).pipe(ndjson.stringify()))

  test('every cut in two gives the same records', async () => {
    for (let at = 0; at <= input.length; at++) {
      expect(await read([input.subarray(0, at), input.subarray(at)]), `cut at ${at}`).toBe(expected)
    }
  })

  test('one byte a chunk gives the same records', async () => {
    expect(await read([...input].map((byte) => Buffer.from([byte])))).toBe(expected)
  })
})

test('csv-formula-cells: the guard marks text cells that a spreadsheet would run, and nothing else', async () => {
  const input = createReadStream(path.join(field, 'csv-formula-cells/in.ndjson'))
  const schema = [
    { name: 'n', type: 'float' },
    { name: 't', type: 'string' },
  ]
  const output = input.pipe(ndjson.parse({ schema })).pipe(csv.stringify({ escape_formulas: true }))
  expect(await text(output)).toBe("n,t\n-5,'=1+1\n-0.5,'+49 30 1\n1,'@x\n2,'-2+3\n3,a=b\n")
})

describe('error-in-the-middle', () => {
  const input = path.join(field, 'error-in-the-middle/in.csv')
  const third = (record: { id: string }): boolean => record.id === '3'
  const schema = [
    { name: 'id', type: 'string' },
    { name: 't', type: 'string' },
  ]

  const stages = {
    'a transform that throws': () =>
      new Transform({
        objectMode: true,
        transform(record, _encoding, done) {
          if (third(record)) throw new Error('boom at 3')
          done(null, record)
        },
      }),
    'a transform that fails': () =>
      new Transform({
        objectMode: true,
        transform(record, _encoding, done) {
          done(third(record) ? new Error('boom at 3') : null, record)
        },
      }),
    'an async generator that rejects': () =>
      async function* (source: AsyncIterable<{ id: string }>) {
        for await (const record of source) {
          if (third(record)) throw new Error('boom at 3')
          yield record
        }
      },
  }

  test.each(['a transform that fails', 'an async generator that rejects'] as const)(
    '%s: the pipeline fails once, with its error',
    async (name) => {
      await using folder = await temporaryFolder()
      const warnings: string[] = []
      const warned = (warning: Error): void => void warnings.push(warning.message)
      process.on('warning', warned)
      for (let turn = 0; turn < 100; turn++) {
        const streams = [
          createReadStream(input),
          csv.parse({ schema }),
          stages[name](),
          csv.stringify(),
          createWriteStream(path.join(folder.path, 'out.csv')),
        ] as const
        await expect(pipeline(streams as never)).rejects.toThrow('boom at 3')
        for (const stream of streams) if (typeof stream !== 'function') expect(stream.destroyed).toBe(true)
      }
      await sleep(10)
      process.off('warning', warned)
      expect(warnings).toEqual([])
    },
  )
})

describe('slow-consumer', async () => {
  test('a slow reader slows the producer, also when everything came in one buffer', async () => {
    await using folder = await temporaryFolder()
    await copyFile(path.join(field, 'slow-consumer/make.mjs'), path.join(folder.path, 'make.mjs'))
    execFileSync(process.execPath, ['make.mjs'], { cwd: folder.path })
    const file = path.join(folder.path, 'in.csv')

    const source = createReadStream(file)
    const parsed = source.pipe(csv.parse())
    let seen = 0
    for await (const _record of parsed) {
      if (++seen === 100) break
      if (seen % 10 === 0) await sleep(10)
    }
    expect(source.bytesRead).toBeLessThan(1 << 20)
    source.destroy()

    const whole = csv.parse()
    whole.on('error', () => {})
    whole.write(await readFile(file))
    await sleep(50)
    whole.read()
    await sleep(50)
    expect(whole.readableLength).toBeLessThan(5000)
    whole.destroy()
  })
})

test('group-one-giant: two_pass in 8M writes what the whole group in memory writes', async () => {
  await using folder = await temporaryFolder()
  for (const name of ['make.mjs', 'pipeline.yaml', 'two-pass.yaml']) {
    await copyFile(path.join(field, 'group-one-giant', name), path.join(folder.path, name))
  }
  execFileSync(process.execPath, ['make.mjs'], { cwd: folder.path })
  expect((await command('clinker', ['run', 'pipeline.yaml'], { cwd: folder.path })).exit).toBe(0)
  expect((await command('clinker', ['run', 'two-pass.yaml', '--memory-limit', '8M'], { cwd: folder.path })).exit).toBe(
    0,
  )
  const right = (await readFile(path.join(folder.path, 'in.csv'), 'utf8')).replace('\nx,5\n', '\nx,0\n')
  expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe(right)
  expect(await readFile(path.join(folder.path, 'out2.csv'), 'utf8')).toBe(right)
})
