import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import type { Row } from '../../../lib/record/value.ts'
import { parse } from '../../../streams/csv/index.ts'
import { temporaryFolder } from '../../support/command.ts'
import { read, refused } from './support.ts'

describe('rows', () => {
  test('LF, CRLF and CR end a row, also mixed', async () => {
    expect(await read('id,note\r\n1,a\n2,b\r3,c\r\n')).toEqual([
      { id: '1', note: 'a' },
      { id: '2', note: 'b' },
      { id: '3', note: 'c' },
    ])
  })

  test.each(['\n', '\r\n', '\r', ''])('the last row may end with %j', async (end) => {
    expect(await read(`id,note\n1,a\n2,${end}`)).toEqual([
      { id: '1', note: 'a' },
      { id: '2', note: '' },
    ])
  })

  test('blank lines are no rows, before the header neither', async () => {
    expect(await read('\n\r\nid,note\n\n1,a\n\r\n\n\r2,b\n\n')).toEqual([
      { id: '1', note: 'a' },
      { id: '2', note: 'b' },
    ])
  })

  test('a line of delimiters is a row of empty cells', async () => {
    expect(await read('id,note\n,\n')).toEqual([{ id: '', note: '' }])
  })

  test('in a single column "" is a row and an empty line is none', async () => {
    expect(await read('note\nfern\n""\n\nmoss\n')).toEqual([{ note: 'fern' }, { note: '' }, { note: 'moss' }])
  })

  test('NUL is a character like others', async () => {
    expect(await read('a,b\nx\0y,"\0"\n')).toEqual([{ a: 'x\0y', b: '\0' }])
  })

  test('a header without rows has no records', async () => {
    expect(await read('id,note\n')).toEqual([])
    expect(await read('id,note')).toEqual([])
  })
})

describe('quotes', () => {
  test('hold delimiters, line ends and doubled quotes', async () => {
    expect(await read('a,b\n"x,y","say ""hi"""\n"l\nf","cr\rlf\r\n"\n"""",""\n')).toEqual([
      { a: 'x,y', b: 'say "hi"' },
      { a: 'l\nf', b: 'cr\rlf\r\n' },
      { a: '"', b: '' },
    ])
  })

  test('inside an unquoted cell they are data', async () => {
    expect(await read('id,note\n1,6" pot\n2, "kept"\n3,a""b\n')).toEqual([
      { id: '1', note: '6" pot' },
      { id: '2', note: ' "kept"' },
      { id: '3', note: 'a""b' },
    ])
  })

  test('are taken off the cells of any type', async () => {
    const schema = { i: 'int', f: 'float', d: 'date', b: 'bool' }
    expect(JSON.stringify(await read('i,f,d,b\n"7","1.5","2024-02-29","true"\n', { schema }))).toBe(
      '[{"i":7,"f":1.5,"d":"2024-02-29","b":true}]',
    )
  })

  test('let a cell be long, with line ends and quotes in it, in time that grows with its length', async () => {
    const cell = 'line "one"\nline two\r\n'.repeat(200_000)
    const started = performance.now()
    const csv = Buffer.from(`a,b\n1,"${cell.replaceAll('"', '""')}"\n`)
    const pieces = Array.from({ length: Math.ceil(csv.length / 16_384) }, (_, at) =>
      csv.subarray(at * 16_384, (at + 1) * 16_384),
    )
    const [record] = (await read(pieces)) as Row[]
    expect(record?.['b'] === cell).toBe(true)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('the header', () => {
  test('names columns exactly: blanks, case and quotes are part of them', async () => {
    expect(await read('"size, cm", b ,B,"the ""best"""\n1,2,3,4\n')).toEqual([
      { 'size, cm': '1', ' b ': '2', B: '3', 'the "best"': '4' },
    ])
  })

  test('may have an empty name, and names like members of objects', async () => {
    const [record] = (await read('__proto__,constructor,,toString,10,2\n1,2,3,4,5,6\n')) as [Row]
    expect(Object.getOwnPropertyNames(record).sort()).toEqual(['', '10', '2', '__proto__', 'constructor', 'toString'])
    expect(Object.getOwnPropertyDescriptor(record, '__proto__')?.value).toBe('1')
    expect(({} as Row)['constructor']).toBe(Object)
  })

  test('settles the order of columns, not the object', async () => {
    const parser = parse()
    parser.end('10,b,2,1\n1,2,3,4\n')
    for await (const record of parser.records()) expect(shapeOf(record)?.names).toEqual(['10', 'b', '2', '1'])
  })

  test('may have ten thousand columns', async () => {
    const names = Array.from({ length: 10_000 }, (_, column) => `c${column}`)
    const [record] = (await read(`${names.join()}\n${names.map((_, cell) => cell).join()}\n`)) as Row[]
    expect(Object.keys(record as Row)).toHaveLength(10_000)
    expect(record?.['c9999']).toBe('9999')
  })

  test('is taken without a byte order mark, also before a quote', async () => {
    expect(await read('\uFEFF"sku",qty\nA1,3\n')).toEqual([{ sku: 'A1', qty: '3' }])
    expect(await read([Buffer.from([0xef]), Buffer.from([0xbb]), Buffer.from([0xbf, 0x61]), '\n1\n'])).toEqual([
      { a: '1' },
    ])
  })
})

describe('records', () => {
  test('know their file, source and row', async () => {
    const parser = parse({ name: 'plants', file: 'data/plants.csv' })
    parser.end('id\n7\n\n8\n')
    const seen: unknown[] = []
    for await (const record of parser.records()) {
      const file = originOf(record)?.file
      seen.push([file?.source, file?.path, rowOf(record)])
    }
    expect(seen).toEqual([
      ['plants', 'data/plants.csv', 1],
      ['plants', 'data/plants.csv', 2],
    ])
  })

  test('keep no piece of the file alive', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const pieces = function* (): Generator<string> {
      yield 'a,b\n'
      for (let piece = 0; piece < 2000; piece++) yield `${piece} is kept for ever,${'much text '.repeat(1600)}\n`
    }
    const kept: unknown[] = []
    collect()
    const before = process.memoryUsage().heapUsed
    for await (const { a } of Readable.from(pieces()).pipe(parse()).records()) kept.push(a)
    collect()
    // Its texts have some 20 characters; the file has 32 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(5e6)
    expect(kept).toHaveLength(2000)
  })
})

describe('errors', () => {
  const file = 'in.csv'

  test('a row with too few cells, by the line of the file', async () => {
    expect(await refused('a,b\n"1\n2",x\n3\n', { file })).toBe(
      'FormatFailure: source "csv": in.csv, line 4: the row has 1 cell, the header has 2\n  in.csv:4:1',
    )
  })

  test('a row with too many cells', async () => {
    expect(await refused('a,b\n1,2\n1,2,3\n', { file, name: 'plants' })).toBe(
      'FormatFailure: source "plants": in.csv, line 3: the row has 3 cells, the header has 2\n  in.csv:3:1',
    )
  })

  test('a stream without a name', async () => {
    expect(await refused('a,b\n1\n')).toBe('FormatFailure: source "csv": line 2: the row has 1 cell, the header has 2')
  })

  test('a quote that never closes, by the line where it opened', async () => {
    expect(await refused('a,b\n1,x\n2,"lost\n3,y\n4,z', { file })).toBe(
      'FormatFailure: source "csv": in.csv, line 3: a quote opens here and never closes\n  in.csv:3:1',
    )
    expect(await refused('a,b\n"1\n2","lost', { file })).toContain('line 3:')
  })

  test('text behind a closing quote', async () => {
    expect(await refused('a,b\n1,x\n2,"abc"x\n', { file })).toBe(
      'FormatFailure: source "csv": in.csv, line 3: text follows a closing quote\n  in.csv:3:1',
    )
  })

  test('two columns of one name', async () => {
    expect(await refused('id,hue,hue\n1,red,blue\n', { file })).toBe(
      'FormatFailure: source "csv": in.csv, line 1: the header has two columns named "hue"\n  in.csv:1:1',
    )
  })

  test.each(['', '\n\n', '\uFEFF'])('a file without a header: %j', async (text) => {
    expect(await refused(text, { file })).toMatch(
      /^FormatFailure: source "csv": in\.csv, line \d: the file has no header line\n/,
    )
  })

  test('reach pipeline() once, with code and exit status', async () => {
    const parser = parse({ file })
    let heard = 0
    parser.on('error', () => heard++)
    const error = await pipeline(Readable.from(['a,b\n1\n']), parser, async (source) => {
      for await (const _ of source);
    }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ClinkerError)
    expect(error).toMatchObject({ code: 'FormatFailure', exit: 4, place: { file, line: 2, column: 1 } })
    expect(heard).toBe(1)
  })

  test('come behind the records that are right, wherever the file is cut', async () => {
    for (const cut of [8, 14, 20]) {
      const parser = parse({ file })
      const seen: unknown[] = []
      const csv = Buffer.from('a,b\n1,2\n3,4\n5\n6,7\n')
      const run = pipeline(Readable.from([csv.subarray(0, cut), csv.subarray(cut)]), parser, async (source) => {
        for await (const { a } of source) seen.push(a)
      })
      await expect(run).rejects.toThrow('line 4')
    }
  })
})

describe('memory', () => {
  test('one Buffer of 40 MB becomes records no faster than they are read', async () => {
    const rows = Array.from({ length: 1000 }, (_, row) => `${row},some text ${row},more ${row}\n`).join('')
    const parser = parse()
    parser.end(Buffer.from(`id,a,b\n${rows.repeat(1400)}`))
    const before = process.memoryUsage().heapUsed
    let read = 0
    for await (const _ of parser) {
      expect(parser.readableLength).toBeLessThanOrEqual(256 + 512)
      if (++read === 1000) break
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50e6)
    expect(parser.stats.records_out).toBeLessThanOrEqual(2100)
  })

  test('a slow reader slows the reading of the file down', async () => {
    await using folder = await temporaryFolder()
    const name = path.join(folder.path, 'in.csv')
    await writeFile(name, `id,a\n${'1,some text\n'.repeat(1_000_000)}`)
    const file = createReadStream(name)
    const sink = new Writable({ objectMode: true, highWaterMark: 1, write: () => undefined })
    file.pipe(parse()).pipe(sink)
    for (let turn = 0; turn < 200; turn++) await setImmediate()
    expect(file.bytesRead).toBeLessThan(1_000_000)
    file.destroy()
  })
})
