import { describe, expect, test } from 'vitest'
import { plan } from '../../../runner/index.ts'

const head = `pipeline: { name: x }
nodes:
  - { type: source, name: s, config: { type: csv, path: a.csv, schema: [{ name: id, type: int }] } }
  - { type: transform, name: t, input: s, config: { cxl: emit a = 1 } }
  - { type: transform, name: u, input: t, config: { cxl: emit b = 1 } }
`

async function refused(config: string): Promise<string> {
  const text = `${head}  - { type: output, name: o, input: s, config: { ${config} } }\n`
  return plan({ text, file: 'p.yaml' }).then(
    () => '',
    (error) => error.format(),
  )
}

/** What `header: auto` means for the first output of these. */
async function headerOf(...outputs: string[]): Promise<string> {
  const lines = outputs.map((output, index) => `  - { type: output, name: o${index}, ${output} }`)
  const { nodes } = await plan({ text: `${head}${lines.join('\n')}\n` })
  const [first] = nodes.flatMap((node) => (node.kind === 'output' && node.name === 'o0' ? [node] : []))
  return first?.header ?? ''
}

describe('which CSV outputs stream', () => {
  test('behind a transform that alone reads a source', async () => {
    const text = head.replace(/.*name: u.*\n/, '')
    const { nodes } = await plan({
      text: `${text}  - { type: output, name: o, input: t, config: { type: csv, path: o.csv } }\n`,
    })
    expect(nodes.at(-1)).toMatchObject({ header: 'first' })
  })

  test('not straight behind a source, behind a second transform or beside another reader', async () => {
    expect(await headerOf('input: s, config: { type: csv, path: o.csv }')).toBe('union')
    expect(await headerOf('input: u, config: { type: csv, path: o.csv }')).toBe('union')
    expect(await headerOf('input: t, config: { type: csv, path: o.csv }')).toBe('union')
  })

  test.each(['sort_order: [id]', 'split: { max_records: 2 }'])('not with %s', async (key) => {
    const text = head.replace(/.*name: u.*\n/, '')
    const { nodes } = await plan({
      text: `${text}  - { type: output, name: o, input: t, config: { type: csv, path: o.csv, ${key} } }\n`,
    })
    expect(nodes.at(-1)).toMatchObject({ header: 'union' })
  })

  test('not with a path for each file', async () => {
    const text = head.replace(/.*name: u.*\n/, '')
    const { nodes } = await plan({
      text: `${text}  - { type: output, name: o, input: t, config: { type: csv, path: "{source_file}.csv" } }\n`,
    })
    expect(nodes.at(-1)).toMatchObject({ header: 'union' })
  })
})

describe('refused', () => {
  test.each([
    ['type: csv, path: o.csv, includ_unmapped: true', 'E000: output "o": unknown key `includ_unmapped`'],
    [
      'type: csv, path: o.csv, if_exists: append',
      'if_exists must be `overwrite`, `error` or `unique_suffix`, got "append"',
    ],
    ['type: parquet, path: o.csv', 'type must be `csv`, `json`, `xml` or `fixed_width`, got "parquet"'],
    ['type: xml, path: o.xml', 'E000: output "o": writing xml is not built yet'],
    [
      'type: json, path: o.json, join_values: [id]',
      'E362: output "o": join_values is for formats whose values are text, JSON writes arrays',
    ],
    ['type: csv, path: ../o.csv', 'E-SEC-001: output "o": the path "../o.csv" has a `..` in it'],
    [
      'type: csv, path: o.csv, split: { naming: "{stem}_{seq}.{ext}" }',
      'E367: output "o": split.naming "{stem}_{seq}.{ext}" must hold one number {seq:N} with 1 to 20 digits, and {seq} is unknown',
    ],
  ])('%s', async (config, message) => {
    expect(await refused(config)).toContain(message)
  })

  test('two outputs with one file', async () => {
    const other = '  - { type: output, name: p, input: s, config: { type: csv, path: ./o.csv } }\n'
    const text = `${head}  - { type: output, name: o, input: s, config: { type: csv, path: o.csv } }\n${other}`
    await expect(plan({ text })).rejects.toThrow('E322: output "p": it writes "o.csv", and so does output "o"')
  })
})
