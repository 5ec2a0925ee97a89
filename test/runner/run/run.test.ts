import { PassThrough, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { folderWith, plantsPipeline, said } from '../folder.ts'

const plants = 'id,hue\n1,red\n2,blue\n3,green\n'

describe('a run', () => {
  test('writes what comes out and tells how many', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const result = await folder.run(
      plantsPipeline(
        '  - { type: transform, name: t, input: plants, config: { cxl: "filter id > 1\\nemit twice = id * 2" } }\n',
        't',
      ),
    )
    expect(said(result)).toBe('')
    expect(await folder.read('out.csv')).toBe('id,hue,twice\n2,blue,4\n3,green,6\n')
    expect(result).toMatchObject({
      exit: 0,
      complete: true,
      outputs: [{ node: 'out', path: 'out.csv', records: 2, bytes: 32 }],
      stats: {
        records_in: 3,
        records_out: 2,
        filtered: 1,
        added: 0,
        dead: 0,
        unread: 0,
        nodes: [
          { name: 'plants', type: 'source', records_in: 3, records_out: 3 },
          { name: 't', type: 'transform', records_in: 3, records_out: 2 },
          { name: 'out', type: 'output', records_in: 2, records_out: 2 },
        ],
      },
    })
  })

  test('never throws for a pipeline that is wrong', async () => {
    await using folder = await folderWith()
    const result = await folder.run('pipeline: [')
    expect(result).toMatchObject({ exit: 1, complete: false, outputs: [] })
    expect(result.errors[0]?.code).toBe('E000')
  })

  test('gives every reader of a node all its records, and counts them', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const more =
      '  - { type: output, name: also, input: plants, config: { type: json, path: also.json, options: { format: ndjson } } }\n'
    const unread = '  - { type: transform, name: t, input: plants, config: { cxl: emit a = 1 } }\n'
    const result = await folder.run(plantsPipeline(unread + more))
    expect(await folder.read('out.csv')).toBe(plants)
    expect(await folder.read('also.json')).toBe('{"id":1,"hue":"red"}\n{"id":2,"hue":"blue"}\n{"id":3,"hue":"green"}\n')
    const { records_in, added, records_out, filtered, dead, unread: lost } = result.stats
    expect([records_in, added, records_out, filtered, dead, lost]).toEqual([3, 6, 6, 0, 0, 3])
  })

  test('reads several files by name and decompresses by name or first bytes', async () => {
    await using folder = await folderWith({
      'in/b.csv': 'id,hue\n3,green\n',
      'in/a.csv.gz': gzipSync('id,hue\n1,red\n'),
      'in/b.dat': gzipSync('hue,id\nblue,2\n'),
    })
    const result = await folder.run(plantsPipeline().replace('path: plants.csv', 'glob: in/*'))
    expect(said(result)).toBe('')
    expect(await folder.read('out.csv')).toBe('id,hue\n1,red\n3,green\n2,blue\n')
  })

  test.each(['csv', 'json'])('rows are numbered through the files of a %s source', async (type) => {
    const rows = type === 'csv' ? ['id,hue\n1,a\n2,b\n', 'id,hue\n3,c\n'] : ['{"id":1}\n{"id":2}\n', '{"id":3}\n']
    await using folder = await folderWith({ 'in/1': rows[0] as string, 'in/2': rows[1] as string })
    const number =
      '  - { type: transform, name: t, input: plants, config: { cxl: "emit row = $source.row\\nemit file = $source.file" } }\n'
    const text = plantsPipeline(number, 't')
      .replace('type: csv\n      path: plants.csv', `type: ${type}\n      glob: in/*`)
      .replace('{ name: hue, type: string }', '{ name: hue, type: nullable(string) }')
      .replace('path: out.csv', 'path: out.csv, exclude: [hue]')
    expect(said(await folder.run(text))).toBe('')
    expect(await folder.read('out.csv')).toBe('id,row,file\n1,1,in/1\n2,2,in/1\n3,3,in/2\n')
  })

  test('a transform that does nothing is warned of, one that only picks records is not', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue\n1,red\n' })
    const nodes = (cxl: string) => `  - { type: transform, name: t, input: plants, config: { cxl: "${cxl}" } }\n`
    const idle = await folder.run(plantsPipeline(nodes('let n = id'), 't'))
    expect(idle.warnings).toEqual([
      'W000: transform "t": the program emits nothing\n  pipeline.yaml:11:64\n  11 |   - { type: transform, name: t, input: plants, config: { cxl: "let n = id" } }\n     |                                                                ^\n  add \'emit name = …\'',
    ])
    const picking = await folder.run(plantsPipeline(nodes('filter id > 1'), 't'))
    expect([picking.exit, picking.warnings]).toEqual([0, []])
  })

  test('a damaged compressed file is a format failure that names it', async () => {
    await using folder = await folderWith({ 'plants.csv': gzipSync(plants).subarray(0, 20), 'out.csv': 'old\n' })
    const result = await folder.run(plantsPipeline())
    expect(result.exit).toBe(4)
    expect(said(result)).toContain(
      'FormatFailure: source "plants": the compressed file "plants.csv" is damaged: unexpected end of file',
    )
    expect(await folder.read('out.csv')).toBe('old\n')
  })

  test('reads and writes standard streams', async () => {
    await using folder = await folderWith()
    const stdout = new PassThrough()
    const result = await folder.run(
      plantsPipeline().replace('path: plants.csv', 'path: "-"').replace('path: out.csv', 'path: "-"'),
      { stdin: Readable.from([Buffer.from(plants)]), stdout },
    )
    expect(result.exit).toBe(0)
    expect(stdout.read().toString()).toBe(plants)
    expect(stdout.writableEnded).toBe(false)
  })

  test('a sample is printed and no file is written', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const stdout = new PassThrough()
    const result = await folder.run(plantsPipeline(), { sample: 2, stdout })
    expect(stdout.read().toString()).toBe('id,hue\n1,red\n2,blue\n')
    expect(result).toMatchObject({ exit: 0, outputs: [] })
    expect(await folder.names()).toEqual(['plants.csv'])
  })
})

describe('files', () => {
  test('a missing one is named, and nothing is written', async () => {
    await using folder = await folderWith()
    const result = await folder.run(plantsPipeline())
    expect(result.exit).toBe(4)
    expect(said(result)).toContain(
      'E216: source "plants": cannot read "plants.csv": no such file or directory (ENOENT)',
    )
    expect(await folder.names()).toEqual([])
  })

  test('a folder is no file', async () => {
    await using folder = await folderWith({ 'plants.csv/x': '' })
    expect(said(await folder.run(plantsPipeline()))).toContain(
      'E216: source "plants": cannot read "plants.csv": it is a folder',
    )
  })

  test('a glob without a match may be skipped', async () => {
    await using folder = await folderWith()
    const messages: string[] = []
    const result = await folder.run(
      plantsPipeline().replace('path: plants.csv', 'glob: in/*.csv\n      files: { on_no_match: warn }'),
      {
        onMessage: (level, message) => messages.push(`${level} ${message}`),
      },
    )
    expect(result.exit).toBe(0)
    expect(messages).toEqual(['warn source "plants": no file matches the glob "in/*.csv"'])
    expect(await folder.read('out.csv')).toBe('id,hue\n')
  })

  test('take_last, sort_order and exclude choose among them', async () => {
    await using folder = await folderWith({
      'a1.csv': 'id,hue\n1,a\n',
      'a2.csv': 'id,hue\n2,a\n',
      'a3.csv': 'id,hue\n3,a\n',
      'a4.csv': 'id,hue\n4,a\n',
    })
    const choice = 'glob: a*.csv\n      exclude: [a4.csv]\n      files: { sort_order: desc, take_last: 2 }'
    await folder.run(plantsPipeline().replace('path: plants.csv', choice))
    expect(await folder.read('out.csv')).toBe('id,hue\n2,a\n1,a\n')
  })

  test('a regex searches the paths below the folder', async () => {
    await using folder = await folderWith({ 'in/day-1.csv': 'id,hue\n1,a\n', 'in/day-x.csv': 'id,hue\n2,a\n' })
    await folder.run(plantsPipeline().replace('path: plants.csv', () => "regex: 'day-[0-9]+[.]csv$'"))
    expect(await folder.read('out.csv')).toBe('id,hue\n1,a\n')
  })
})

describe('outputs', () => {
  test('split goes on in another file, each with the header of all', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue\n1,red\n2,blue\n' })
    const result = await folder.run(
      plantsPipeline().replace('path: out.csv', 'path: out.csv, split: { max_records: 1 }'),
    )
    expect(await folder.read('out_0001.csv')).toBe('id,hue\n1,red\n')
    expect(await folder.read('out_0002.csv')).toBe('id,hue\n2,blue\n')
    expect(result.outputs.map(({ path, records }) => [path, records])).toEqual([
      ['out_0001.csv', 1],
      ['out_0002.csv', 1],
    ])
  })

  test('a column that comes later is in the header of the files before', async () => {
    await using folder = await folderWith({ 'in/1.csv': 'id,hue\n1,red\n', 'in/2.csv': 'id,hue,size\n2,blue,9\n' })
    const text = plantsPipeline()
      .replace('path: plants.csv', 'glob: in/*.csv')
      .replace('path: out.csv', 'path: "{source_file}.csv"')
    expect(said(await folder.run(text))).toBe('')
    expect(await folder.read('1.csv')).toBe('id,hue,size\n1,red,\n')
    expect(await folder.read('2.csv')).toBe('id,hue,size\n2,blue,9\n')
  })

  test('write_meta adds a sidecar', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const result = await folder.run(plantsPipeline().replace('path: out.csv', 'path: out.csv, write_meta: true'), {
      batchId: 'b7',
    })
    expect(result.exit).toBe(0)
    expect(JSON.parse((await folder.read('out.csv.meta.json')) ?? '')).toMatchObject({
      output: 'out',
      batch_id: 'b7',
      records: 3,
      bytes: 28,
      columns: [
        { name: 'id', type: 'int' },
        { name: 'hue', type: 'string' },
      ],
    })
  })

  test('a folder must exist', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const result = await folder.run(plantsPipeline().replace('path: out.csv', 'path: no/out.csv'))
    expect(result.exit).toBe(4)
    expect(said(result)).toBe('OutputFailure: cannot write "no/out.csv": there is no folder "no"')
  })
})

describe('a run that stops', () => {
  const failing = '  - { type: transform, name: t, input: plants, config: { cxl: emit a = 6 / (id - 2) } }\n'

  test('leaves old files as they were and nothing beside them', async () => {
    await using folder = await folderWith({ 'plants.csv': plants, 'out.csv': 'old\n' })
    const result = await folder.run(plantsPipeline(failing, 't'))
    expect(result.exit).toBe(3)
    expect(said(result)).toContain('division by zero')
    expect(await folder.read('out.csv')).toBe('old\n')
    expect(await folder.names()).toEqual(['out.csv', 'plants.csv'])
  })

  test('is cancelled by a signal', async () => {
    await using folder = await folderWith({ 'out.csv': 'old\n' })
    const controller = new AbortController()
    const stdin = new PassThrough()
    stdin.write('id,hue\n1,red\n')
    const running = folder.run(plantsPipeline().replace('path: plants.csv', 'path: "-"'), {
      stdin,
      signal: controller.signal,
      onStart: () => setTimeout(() => controller.abort(), 20),
    })
    expect(await running).toMatchObject({ exit: 130, complete: false, errors: [], outputs: [] })
    expect(await folder.read('out.csv')).toBe('old\n')
    expect(await folder.names()).toEqual(['out.csv'])
  })

  test('ends quietly when the reader of standard output has gone', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const stdout = new PassThrough()
    stdout.on('error', () => undefined)
    stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    const result = await folder.run(plantsPipeline().replace('path: out.csv', 'path: "-"'), { stdout })
    expect(result).toMatchObject({ exit: 0, complete: false, errors: [] })
  })
})

describe('progress', () => {
  test('tells records, bytes and memory', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    let progress = () => ({}) as object
    await folder.run(plantsPipeline(), {
      onStart: (tell) => {
        progress = tell
      },
    })
    expect(progress()).toEqual({
      records: 3,
      bytes: 28,
      bytesInAll: 28,
      memory: 0,
      memoryLimit: 512 * 2 ** 20,
      spilled: 0,
    })
  })
})
