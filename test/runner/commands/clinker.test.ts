import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { main } from '../../../runner/commands/clinker-main.ts'
import { progressLine } from '../../../runner/commands/progress.ts'
import { folderWith, plantsPipeline } from '../folder.ts'
import { call, type Said } from './streams.ts'

const clinker = (args: string[], input?: string): Promise<Said> => call(main, args, input)
const plants = 'id,hue\n1,red\n2,blue\n'

describe('arguments', () => {
  test('an unknown command is suggested, and is no run with dead letters', async () => {
    const { exit, stderr } = await clinker(['rnu'])
    expect(exit).toBe(1)
    expect(stderr).toContain("error: unknown command 'rnu'\n(Did you mean run?)")
  })

  test('an unknown flag', async () => {
    const { exit, stderr } = await clinker(['run', 'p.yaml', '--froce'])
    expect(exit).toBe(1)
    expect(stderr).toContain("error: unknown option '--froce'\n(Did you mean --force?)")
  })

  test('run needs a file', async () => {
    expect(await clinker(['run'])).toMatchObject({ exit: 1, stdout: '' })
  })

  test('-n goes with --dry-run', async () => {
    expect(await clinker(['run', 'p.yaml', '-n', '1'])).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'error: -n works only together with --dry-run\n',
    })
  })

  test('an unknown form of a plan', async () => {
    expect(await clinker(['run', 'p.yaml', '--explain', 'pdf'])).toMatchObject({
      exit: 1,
      stderr: 'error: --explain must be one of text, json, dot, mermaid, got "pdf"\n',
    })
  })

  test('a file that is not there', async () => {
    expect(await clinker(['run', 'nope.yaml'])).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'E000: cannot read the pipeline file "nope.yaml": it does not exist\n',
    })
  })

  test('--version and --help are no errors', async () => {
    expect(await clinker(['--version'])).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
    const { exit, stdout } = await clinker(['--help'])
    expect(exit).toBe(0)
    expect(stdout).toContain('run a pipeline file')
  })
})

describe('run', () => {
  test('writes the files and tells, on standard error, what became of the records', async () => {
    await using folder = await folderWith({
      'plants.csv': plants,
      'p.yaml': plantsPipeline(
        '  - { type: transform, name: t, input: plants, config: { cxl: filter id > 1 } }\n',
        't',
      ),
    })
    const { exit, stdout, stderr } = await clinker(['run', folder.file('p.yaml')])
    expect([exit, stdout]).toEqual([0, ''])
    expect(stderr).toMatch(/^2 in, 1 out, 1 filtered in \d+\.\d\d s; wrote out\.csv\n$/)
    expect(await folder.read('out.csv')).toBe('id,hue\n2,blue\n')
  })

  test('tells how much went to disk', async () => {
    await using folder = await folderWith({
      'plants.csv': `id,hue\n${Array.from({ length: 2000 }, (_, id) => `${id},some shade of green\n`).join('')}`,
      'p.yaml': plantsPipeline(
        '  - { type: reshape, name: r, input: plants, config: { partition_by: [id], rules: [] } }\n',
        'r',
      ),
    })
    const { stderr } = await clinker(['run', folder.file('p.yaml'), '--memory-limit', '8K'])
    expect(stderr).toMatch(/^2000 in, 2000 out in \d+\.\d\d s; wrote out\.csv; spilled \d+\.\d MB\n$/)
  })

  test('--quiet says nothing', async () => {
    await using folder = await folderWith({ 'plants.csv': plants, 'p.yaml': plantsPipeline() })
    expect(await clinker(['run', folder.file('p.yaml'), '--quiet'])).toEqual({ exit: 0, stdout: '', stderr: '' })
  })

  test('data on standard output is not mixed with anything', async () => {
    await using folder = await folderWith({
      'p.yaml': plantsPipeline().replace('plants.csv', '"-"').replace('out.csv', '"-"'),
    })
    expect(await clinker(['run', folder.file('p.yaml'), '--quiet'], plants)).toEqual({
      exit: 0,
      stdout: plants,
      stderr: '',
    })
  })

  test('dead letters end with 2', async () => {
    await using folder = await folderWith({
      'plants.csv': 'id,hue\nx,red\n2,blue\n',
      'p.yaml': plantsPipeline('', 'plants', 'error_handling: { strategy: continue, dlq: { path: dead.csv } }\n'),
    })
    const { exit, stderr } = await clinker(['run', folder.file('p.yaml')])
    expect(exit).toBe(2)
    expect(stderr).toMatch(/^2 in, 1 out, 1 dead letter in .* s; wrote out\.csv, dead\.csv\n$/)
  })

  test('an empty --memory-limit is as good as none, a malformed one is named', async () => {
    await using folder = await folderWith({ 'plants.csv': plants, 'p.yaml': plantsPipeline() })
    expect((await clinker(['run', folder.file('p.yaml'), '--memory-limit', ''])).exit).toBe(0)
    const { exit, stderr } = await clinker(['run', folder.file('p.yaml'), '--memory-limit', '4GB'])
    expect(exit).toBe(1)
    expect(stderr).toContain('--memory-limit must be a whole number of bytes')
  })

  test('--dry-run checks and writes nothing', async () => {
    await using folder = await folderWith({ 'p.yaml': plantsPipeline() })
    expect(await clinker(['run', folder.file('p.yaml'), '--dry-run'])).toEqual({
      exit: 0,
      stdout: 'out: out.csv (if_exists: overwrite)\n',
      stderr: '',
    })
    expect(await folder.names()).toEqual(['p.yaml'])
  })

  test('several outputs of a sample are told apart', async () => {
    const also =
      '  - { type: output, name: also, input: plants, config: { type: json, path: a.json, options: { format: ndjson } } }\n'
    await using folder = await folderWith({ 'plants.csv': plants, 'p.yaml': plantsPipeline(also) })
    const { stdout } = await clinker(['run', folder.file('p.yaml'), '--dry-run', '-n', '1'])
    expect(stdout).toBe('==> a.json <==\n{"id":1,"hue":"red"}\n==> out.csv <==\nid,hue\n1,red\n')
  })
})

describe('explain', () => {
  test('exactly one of --code and --list', async () => {
    expect((await clinker(['explain'])).exit).toBe(1)
    expect((await clinker(['explain', '--code', 'E310', '--list'])).exit).toBe(1)
  })

  test('codes are exact', async () => {
    expect((await clinker(['explain', '--code', 'E310'])).stdout).toMatch(/^E310: /)
    const { exit, stderr } = await clinker(['explain', '--code', 'e310'])
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^error: there is no code "e310"; did you mean E310\? the codes are .*E310/)
    expect(await clinker(['explain', 'E310'])).toEqual(await clinker(['explain', '--code', 'E310']))
  })

  test('the list can be narrowed', async () => {
    const { stdout } = await clinker(['explain', '--list', '--category', 'sources'])
    expect(stdout).toContain('E216')
    expect(stdout).not.toContain('E310')
    expect(await clinker(['explain', '--list', '--category', 'food'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('got "food"'),
    })
  })
})

describe('filters', () => {
  test('transform takes its config by flags', async () => {
    expect(await clinker(['transform', '--from', 'csv', '--cxl', 'filter hue == "red"\nemit n = 1'], plants)).toEqual({
      exit: 0,
      stdout: 'id,hue,n\n1,red,1\n',
      stderr: '',
    })
  })

  test('transform takes its program as the first argument', async () => {
    await using folder = await folderWith({ 'plants.csv': plants, 'p.yaml': 'cxl: emit n = 1\n' })
    const file = folder.file('plants.csv')
    const right = { exit: 0, stdout: 'id,hue,n\n1,red,1\n2,blue,1\n', stderr: '' }
    expect(await clinker(['transform', 'emit n = 1', file])).toEqual(right)
    expect(await clinker(['transform', 'emit n = 1', '--from', 'csv'], plants)).toEqual(right)
    expect(await clinker(['transform', '--cxl', 'emit n = 1', file])).toEqual(right)
    expect(await clinker(['transform', '--config', folder.file('p.yaml'), file])).toEqual(right)
    expect((await clinker(['transform', file])).stderr).toBe(
      `error: "${file}" is a file; give the program before it, by --cxl or by --config\n`,
    )
    expect((await clinker(['transform'])).stderr).toBe(
      'error: give the program: as the first argument, by --cxl or by --config\n',
    )
  })

  test('names need no brackets', async () => {
    expect(
      (await clinker(['reshape', '--from', 'csv', '--partition-by', 'id, hue', '--rules', '[]'], plants)).stdout,
    ).toBe(plants)
  })

  test('a file without a record keeps its header, and what the node adds to it', async () => {
    await using folder = await folderWith({ 'none.csv': 'id,"h,ue"\n' })
    expect((await clinker(['convert', folder.file('none.csv')])).stdout).toBe('id,"h,ue"\n')
    expect((await clinker(['transform', 'emit n = 1', folder.file('none.csv')])).stdout).toBe('id,"h,ue",n\n')
    expect((await clinker(['transform', 'emit n = di', folder.file('none.csv')])).exit).toBe(1)
    expect((await clinker(['transform', 'filter false', '--from', 'csv'], plants)).stdout).toBe('id,hue\n')
  })

  test('compressed files, and - for standard input', async () => {
    await using folder = await folderWith({
      'plants.csv.gz': gzipSync(plants),
      'torn.csv.gz': gzipSync(plants).subarray(0, 20),
    })
    expect((await clinker(['convert', folder.file('plants.csv.gz')])).stdout).toBe(plants)
    expect((await clinker(['convert', '-', '--from', 'csv'], plants)).stdout).toBe(plants)
    expect(await clinker(['convert', folder.file('torn.csv.gz')])).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('is damaged: unexpected end of file'),
    })
  })

  test('what is guessed wrongly is told', async () => {
    const { exit, stderr } = await clinker(['convert'], plants)
    expect([exit, stderr.split('\n').at(-2)]).toEqual([
      4,
      '  it is read as ndjson; for another format say --from csv or --from json',
    ])
  })

  test('a config file is told with its places', async () => {
    await using folder = await folderWith({
      'plants.csv': plants,
      'net.yaml': 'cxl: |\n  let n = 1\n  emit m = heu\n',
      'key.yaml': 'clx: emit n = 1\n',
    })
    const file = folder.file('plants.csv')
    const net = folder.file('net.yaml')
    expect((await clinker(['transform', '--config', net, file])).stderr).toBe(
      `E203: transform: cxl: unknown name 'heu'\n  ${net}:3:12\n  3 |   emit m = heu\n    |            ^^^\n  did you mean 'hue'?\n`,
    )
    const key = folder.file('key.yaml')
    expect((await clinker(['transform', '--config', key, file])).stderr).toMatch(
      /^E000: transform: unknown key `clx`\n {2}.*key.yaml:1:1\n/,
    )
  })

  test('a schema types the columns', async () => {
    await using folder = await folderWith({
      'plants.schema.yaml': '[{ name: id, type: int }, { name: hue, type: string }]',
    })
    const args = [
      'transform',
      '--from',
      'csv',
      '--to',
      'ndjson',
      '--schema',
      folder.file('plants.schema.yaml'),
      '--cxl',
      'emit id = id + 1',
    ]
    expect((await clinker(args, plants)).stdout).toBe('{"id":2,"hue":"red"}\n{"id":3,"hue":"blue"}\n')
  })

  test('reshape takes its config from a file, and rows that conflict end with 2', async () => {
    const rules = ['a', 'b'].map(
      (name) =>
        `{ name: ${name}, when: "id == '${name === 'a' ? 1 : '1'}' or hue == '${name}'", mutate: { set: { hue: "'${name}'" } } }`,
    )
    await using folder = await folderWith({ 'fix.yaml': `partition_by: [id]\nrules: [${rules.join(', ')}]\n` })
    const { exit, stdout, stderr } = await clinker(
      ['reshape', '--from', 'csv', '--config', folder.file('fix.yaml')],
      plants,
    )
    expect(exit).toBe(2)
    expect(stdout).toBe('id,hue\n2,blue\n')
    expect(stderr).toContain('mutation_conflict: row 1: ')
  })

  test('keys that are no text are YAML', async () => {
    const rule = '[{ name: up, when: "true", mutate: { set: { hue: hue.upper() } } }]'
    expect((await clinker(['reshape', '--from', 'csv', '--partition-by', '[]', '--rules', rule], plants)).stdout).toBe(
      'id,hue\n1,RED\n2,BLUE\n',
    )
  })

  test('memory and spill folder are as for a run', async () => {
    await using folder = await folderWith({ 'spill/keep': '' })
    const rows = Array.from({ length: 2000 }, (_, row) => `${row % 500},hue ${row}\n`).join('')
    const args = ['reshape', '--from', 'csv', '--partition-by', '[id]', '--rules', '[]']
    const roomy = await clinker(args, `id,hue\n${rows}`)
    const small = await clinker(
      [...args, '--memory-limit', '32K', '--spill-dir', folder.file('spill')],
      `id,hue\n${rows}`,
    )
    expect(small).toEqual(roomy)
    expect(small.exit).toBe(0)
    expect((await clinker([...args, '--memory-limit', '1.5G'], '')).stderr).toContain(
      '--memory-limit must be a whole number',
    )
  })

  test('convert goes by the name of the file', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    expect((await clinker(['convert', folder.file('plants.csv'), '--to', 'ndjson'])).stdout).toBe(
      '{"id":"1","hue":"red"}\n{"id":"2","hue":"blue"}\n',
    )
  })

  test('an unknown format is refused, the known ones are named', async () => {
    expect(await clinker(['convert', '--from', 'tsv'])).toMatchObject({
      exit: 1,
      stderr: 'error: --from must be one of csv, json, ndjson, got "tsv"\n',
    })
  })

  test('a wrong config is said as in a pipeline', async () => {
    const { exit, stderr } = await clinker(['transform', '--from', 'csv', '--cxl', 'emit x = ('], plants)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^E202: transform: cxl: /)
  })

  test('a bad row ends with 4, a failing expression with 3', async () => {
    expect((await clinker(['convert', '--from', 'csv'], 'id,hue\n1\n')).exit).toBe(4)
    expect((await clinker(['transform', '--from', 'csv', '--cxl', 'emit x = 1 / 0'], plants)).exit).toBe(3)
  })
})

test('the progress line', () => {
  const progress = {
    records: 120_000,
    bytes: 50,
    bytesInAll: 200,
    memory: 3 * 2 ** 20,
    memoryLimit: 64 * 2 ** 20,
    spilled: 2 ** 20,
  }
  expect(progressLine(progress, 2)).toBe(
    '120000 rows · 60000 rows/s · 25 % · memory 3.0 MB of 64.0 MB · spilled 1.0 MB',
  )
})
