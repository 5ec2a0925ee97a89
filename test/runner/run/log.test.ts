import { describe, expect, test } from 'vitest'
import { main } from '../../../runner/commands/clinker-main.ts'
import { run } from '../../../runner/index.ts'
import { call } from '../commands/streams.ts'
import { folderWith, plantsPipeline, said } from '../folder.ts'

const plants = 'id,hue\n1,red\n2,blue\n3,teal\n'

describe('log directives', () => {
  const nodes = `  - type: transform
    name: process
    input: plants
    config:
      cxl: emit half = 6 / (id - 2)
      log:
        - { name: transform.start, level: debug, when: before_transform, message: Begins }
        - { name: transform.seen, level: info, when: per_record, every: 2, message: Processed record, fields: [id, hue] }
        - { name: transform.odd, level: trace, when: per_record, every: 1, message: Odd, condition: id % 2 == 1 }
        - { name: transform.bad, level: warn, when: on_error, message: Refused, fields: [id] }
        - { name: transform.end, level: info, when: after_transform, message: Ends }
`
  const text = plantsPipeline(nodes, 'process', 'error_handling: { strategy: continue, dlq: { path: dead.csv } }\n')
  const all = [
    'debug: transform "process": transform.start: Begins',
    'trace: transform "process": transform.odd row 1: Odd',
    'info: transform "process": transform.seen row 2: Processed record; id=2; hue="blue"',
    'warn: transform "process": transform.bad row 2: Refused; id=2',
    'trace: transform "process": transform.odd row 3: Odd',
    'info: transform "process": transform.end: Ends',
  ]

  test.each([
    ['trace', /./],
    ['debug', /^(debug|info|warn)/],
    [undefined, /^(info|warn)/],
    ['warn', /^warn/],
    ['error', /^error/],
  ])('are lines of standard error from --log-level %s up, and change no file', async (level, shown) => {
    await using folder = await folderWith({ 'plants.csv': plants, 'p.yaml': text })
    const flags = level === undefined ? [] : ['--log-level', level]
    const { exit, stdout, stderr } = await call(main, ['run', folder.file('p.yaml'), ...flags])
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    expect(lines.pop()).toMatch(/^3 in, 2 out, 1 dead letter in /)
    expect(lines).toEqual(all.filter((line) => shown.test(line)))
    expect(await folder.read('out.csv')).toBe('id,hue,half\n1,red,-6\n3,teal,6\n')
  })

  test('of a warning a record leave a result of bounded size', async () => {
    const warns = `  - type: transform
    name: t
    input: plants
    config: { cxl: emit n = 1, log: [{ name: seen, level: warn, when: per_record, every: 1, message: Seen }] }
`
    await using folder = await folderWith({
      'plants.csv': `id,hue\n${'1,red\n'.repeat(1500)}`,
      'p.yaml': plantsPipeline(warns, 't'),
    })
    let told = 0
    const { warnings } = await run(folder.file('p.yaml'), { onMessage: (level) => void (level === 'warn' && told++) })
    expect([warnings.length, told]).toEqual([1000, 1500])
  })

  test('of two transforms give one event the same fields', async () => {
    const transforms = (first: string, second: string): string =>
      plantsPipeline(
        `  - type: transform
    name: one
    input: plants
    config: { cxl: '', log: [{ name: seen, level: info, when: per_record, every: 1, message: a, fields: ${first} }] }
  - type: transform
    name: two
    input: one
    config: { cxl: '', log: [{ name: seen, level: warn, when: on_error, message: b, fields: ${second} }] }
`,
        'two',
      )
    await using folder = await folderWith({ 'plants.csv': plants })
    const result = await folder.run(transforms('[id, hue]', '[id]'))
    expect(result.exit).toBe(1)
    expect(said(result)).toMatch(/^E375: transform "two": log "seen" shows id, and in transform "one" id, hue\n/)
    expect(said(result)).toContain('\n  give both the same fields, or rename one')
    expect((await folder.run(transforms('[id, hue]', '[hue, id]'))).exit).toBe(0)
  })

  test('are refused where they stand', async () => {
    await using folder = await folderWith({ 'plants.csv': plants })
    const result = await folder.run(text.replace('every: 2', 'every: 0').replace('[id, hue]', '[id, heu]'))
    expect(said(result)).toContain(
      'E011: transform "process": log "transform.seen": every must be a whole number of at least 1, got 0\n  pipeline.yaml:18:',
    )
    expect(said(result)).toContain('E374: transform "process": log "transform.seen": fields names `heu`')
  })
})
