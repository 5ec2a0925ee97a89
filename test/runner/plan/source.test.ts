import { describe, expect, test } from 'vitest'
import { plan } from '../../../runner/index.ts'
import { folderWith } from '../folder.ts'

/** What is said of a source with this config. */
async function refused(config: string, baseDir?: string): Promise<string> {
  const text = `pipeline: { name: x }
nodes:
  - type: source
    name: shelf
    config: { ${config} }
  - { type: output, name: o, input: shelf, config: { type: csv, path: o.csv } }
`
  return plan({ text, file: 'p.yaml' }, baseDir === undefined ? {} : { baseDir }).then(
    () => '',
    (error) => error.format(),
  )
}

const schema = 'schema: [{ name: k, type: int }]'

describe('files', () => {
  test.each([
    [`type: csv, ${schema}`, 'E211: source "shelf": it does not say which files it reads'],
    [
      `type: csv, path: a, glob: b, ${schema}`,
      'E210: source "shelf": it says by `path` and `glob` which files it reads',
    ],
    [`type: csv, glob: "a[1", ${schema}`, 'E212: source "shelf": the glob "a[1" has a bracket that is never closed'],
    [`type: csv, regex: "a(", ${schema}`, 'E213: source "shelf": the regex "a(" does not parse'],
    [
      `type: csv, path: a, files: { take_first: 1, take_last: 1 }, ${schema}`,
      'E218: source "shelf": files has take_first and take_last together',
    ],
    [`type: csv, glob: ../*.csv, ${schema}`, 'E-SEC-001: source "shelf": the path "../*.csv" has a `..` in it'],
  ])('%s', async (config, message) => {
    expect(await refused(config)).toContain(message)
  })
})

describe('schema', () => {
  test('is required', async () => {
    expect(await refused('type: csv, path: a.csv')).toContain('E201: source "shelf": it has no schema')
  })

  test('may stand in a file of its own', async () => {
    await using folder = await folderWith({ 'a.schema.yaml': '- { name: k, type: int }\n' })
    expect(await refused('type: csv, path: a.csv, schema: a.schema.yaml', folder.path)).toBe('')
  })

  test('faults in that file are shown there', async () => {
    await using folder = await folderWith({ 'a.schema.yaml': '- { name: k, type: int }\n- { name: l, typ: int }\n' })
    expect(await refused('type: csv, path: a.csv, schema: a.schema.yaml', folder.path)).toContain('a.schema.yaml:2:14')
  })

  test('a file that is not there is named', async () => {
    expect(await refused('type: csv, path: a.csv, schema: zz.schema.yaml')).toContain(
      'E157: source "shelf": cannot read the schema file "zz.schema.yaml": no such file or directory (ENOENT)',
    )
  })
})

describe('keys', () => {
  test('on_unmapped is a mapping', async () => {
    expect(await refused(`type: csv, path: a.csv, on_unmapped: drop, ${schema}`)).toContain(
      'E000: source "shelf": on_unmapped must be { mode: auto_widen }, { mode: drop } or { mode: reject }, got "drop"',
    )
  })

  test('an option of another name is suggested, with its place', async () => {
    expect(await refused(`type: csv, path: a.csv, options: { delimeter: ";" }, ${schema}`)).toContain(
      'E000: source "shelf": unknown key `delimeter`\n  p.yaml:5:50',
    )
  })

  test.each([
    ['correlation_key: j', 'E153: source "shelf": correlation_key names `j`, which is not in the schema'],
    ['watermark: { column: j }', 'E154: source "shelf": watermark.column names `j`, which is not in the schema'],
    [
      'watermark: { column: k }',
      'E155: source "shelf": watermark.column `k` has the type int, it must be date or date_time',
    ],
    ['array_paths: []', 'E360: source "shelf": `array_paths` is no key any more'],
    ['sort_order: [k]', 'E000: source "shelf": `sort_order` is not built yet'],
  ])('%s', async (key, message) => {
    expect(await refused(`type: csv, path: a.csv, ${schema}, ${key}`)).toContain(message)
  })
})
