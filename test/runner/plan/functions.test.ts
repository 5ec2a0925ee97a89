import { describe, expect, test } from 'vitest'
import { folderWith, said } from '../folder.ts'

const orders = 'id,amount,country\n1,10.50,NO\n2,99.00,SE\n'

function pipeline(functions: string, cxl: string): string {
  return `pipeline:
  name: functions
  functions: ${functions}
nodes:
  - type: source
    name: orders
    config:
      type: csv
      path: orders.csv
      schema: [{ name: id, type: int }, { name: amount, type: decimal }, { name: country, type: string }]
  - { type: transform, name: t, input: orders, config: { cxl: '${cxl}' } }
  - { type: output, name: out, input: t, config: { type: csv, path: out.csv } }
`
}

const risk = `export default {
  risk: { signature: '(amount: decimal, country: string) -> string', run: (amount, country) => \`\${country}:\${amount}\` },
}
`

describe('pipeline.functions', () => {
  test('gives functions of the default export to CXL', async () => {
    await using folder = await folderWith({ 'orders.csv': orders, 'lib/functions.mjs': risk })
    expect(said(await folder.run(pipeline('./lib/functions.mjs', 'emit risk = risk(amount, country)')))).toBe('')
    expect(await folder.read('out.csv')).toBe('id,amount,country,risk\n1,10.50,NO,NO:10.50\n2,99.00,SE,SE:99.00\n')
  })

  test('gives functions exported by name', async () => {
    const named = `export const twice = { signature: '(n: int) -> int', run: (n) => n * 2 }\n`
    await using folder = await folderWith({ 'orders.csv': orders, 'functions.mjs': named })
    expect(said(await folder.run(pipeline('functions.mjs', 'emit id = twice(id)')))).toBe('')
    expect(await folder.read('out.csv')).toBe('id,amount,country\n2,10.50,NO\n4,99.00,SE\n')
  })

  test('a function that fails stops the run, and names itself', async () => {
    const failing = `export const f = { signature: '(n: int) -> int', run: (n) => { if (n > 1) throw new Error('too large'); return n } }\n`
    await using folder = await folderWith({ 'orders.csv': orders, 'functions.mjs': failing })
    const result = await folder.run(pipeline('functions.mjs', 'emit id = f(id)'))
    expect(result.exit).toBe(3)
    expect(said(result)).toContain('transform "t": field "id" fails on row 2 of "orders" (orders.csv): f: too large')
  })

  test.each<[title: string, file: string, module: string, cxl: string, text: string]>([
    [
      'a file that is not there',
      'other.mjs',
      risk,
      'emit a = 1',
      'E000: pipeline.functions: there is no file "other.mjs"\n  pipeline.yaml:3:14',
    ],
    [
      'a path out of the workspace',
      '../functions.mjs',
      risk,
      'emit a = 1',
      'E-SEC-001: pipeline.functions: the path "../functions.mjs" has a `..` in it\n  pipeline.yaml:3:14',
    ],
    [
      'an absolute path',
      '/functions.mjs',
      risk,
      'emit a = 1',
      'E-SEC-001: pipeline.functions: the path "/functions.mjs" is absolute\n  pipeline.yaml:3:14',
    ],
    [
      'a value that is no path',
      '[1]',
      risk,
      'emit a = 1',
      'E000: pipeline: functions must be the path of a module, got [1]\n  pipeline.yaml:3:14',
    ],
    [
      'a module that throws',
      'functions.mjs',
      'throw new Error("no")',
      'emit a = 1',
      'E000: pipeline.functions: "functions.mjs" does not load: no\n  pipeline.yaml:3:14',
    ],
    [
      'a module without functions',
      'functions.mjs',
      'export default {}',
      'emit a = 1',
      'E000: pipeline.functions: "functions.mjs" exports no function\n  pipeline.yaml:3:14',
    ],
    [
      'an export that is no function',
      'functions.mjs',
      'export const rate = 5',
      'emit a = 1',
      'E000: pipeline.functions: "functions.mjs".rate must be { signature, run }, got int 5\n  pipeline.yaml:3:14',
    ],
    [
      'a signature that is none',
      'functions.mjs',
      'export const f = { signature: "int", run: () => 1 }',
      'emit a = 1',
      'E000: pipeline.functions: "functions.mjs".f: malformed signature: int\n  pipeline.yaml:3:14',
    ],
    [
      'a call of another name',
      'functions.mjs',
      risk,
      'emit a = rsk(amount, country)',
      'E203: transform "t": cxl: there is no function \'rsk\'\n  pipeline.yaml:11:73',
    ],
    [
      'a call with wrong arguments',
      'functions.mjs',
      risk,
      'emit a = risk(id)',
      'E200: transform "t": cxl: \'risk(amount: decimal, country: string) -> string\' takes 2 arguments, got 1\n  pipeline.yaml:11:73',
    ],
  ])('refuses %s', async (_, file, module, cxl, text) => {
    await using folder = await folderWith({ 'orders.csv': orders, 'functions.mjs': module })
    const result = await folder.run(pipeline(file, cxl))
    expect(result.exit).toBe(1)
    expect(said(result)).toContain(text)
    expect(await folder.read('out.csv')).toBe(null)
  })
})
