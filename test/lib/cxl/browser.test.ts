import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { build } from 'vite'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/command.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const entry = path.join(root, 'dist', 'lib', 'cxl', 'index.js')

/** Runs a program on a record with a decimal and shows what comes of it; then what is wrong with another one. */
const script = `
  const options = { columns: { price: 'decimal', qty: 'int', day: 'date', name: 'string' } }
  const program = cxl.compile(
    'emit total = price * qty\\nemit year = day.year()\\nemit key = name.upper()\\nemit ok = name.matches("a.*")\\nemit half = qty / 2.0',
    options,
  )
  const shown = [JSON.stringify(program.run({ price: '19.90', qty: 3, day: '2024-02-29', name: 'abc' }))]
  try {
    cxl.compile('emit total = prise * qty', options)
  } catch (error) {
    shown.push(error.format())
  }
  shown.join('\\n')
`

const expected = `[{"price":"19.90","qty":3,"day":"2024-02-29","name":"abc","total":"59.70","year":2024,"key":"ABC","ok":true,"half":1.5}]
E203: unknown name 'prise'
  <inline>:1:14
  1 | emit total = prise * qty
    |              ^^^^^
  did you mean 'price'?`

let bundle: string
let imports: readonly string[]

beforeAll(async () => {
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'cxl' } },
  })
  const [result] = built as unknown as { output: { code: string; imports: string[]; dynamicImports: string[] }[] }[]
  const [chunk] = result?.output ?? []
  bundle = chunk?.code ?? ''
  imports = [...(chunk?.imports ?? ['none was built']), ...(chunk?.dynamicImports ?? [])]
})

describe('outside of Node the language', () => {
  test('needs no module that a bundle would not hold', () => {
    expect(imports).toStrictEqual([])
    expect(bundle).not.toMatch(/\b(?:require|process|Buffer)\b[.(]/)
  })

  test('runs where only JavaScript itself is', () => {
    const context = createContext({})
    runInContext(bundle, context)
    expect(runInContext(script, context)).toBe(expected)
  })

  test('runs as closures where no code may be generated', () => {
    const context = createContext({}, { codeGeneration: { strings: false, wasm: false } })
    runInContext(bundle, context)
    expect(runInContext(script, context)).toBe(expected)
  })
})

describe('a process that disallows code generation', () => {
  const flag = '--disallow-code-generation-from-strings'

  test('gets the same results from the language', () => {
    const program = `import * as cxl from ${JSON.stringify(entry)}
      function run() {${script.replace(/shown\.join.*/, 'return $&')}}
      console.log(run())`
    const print = (...flags: string[]): string =>
      execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], { encoding: 'utf8' })
    expect(print(flag)).toBe(`${expected}\n`)
    expect(print()).toBe(`${expected}\n`)
  })

  test('runs a pipeline to the same bytes', async () => {
    await using folder = await temporaryFolder()
    const pipeline = `
pipeline: { name: closures }
nodes:
  - type: source
    name: orders
    config: { name: orders, type: csv, path: orders.csv, schema: [{ name: id, type: int }, { name: price, type: decimal }, { name: day, type: date }] }
  - { type: transform, name: net, input: orders, config: { cxl: "emit gross = price * 2\\nemit due = day.add_days(30)\\nfilter id > 0" } }
  - type: reshape
    name: fix
    input: net
    config: { partition_by: [day], order_by: [{ field: id }], rules: [{ name: large, when: price > 10.to_decimal(), mutate: { set: { id: id + 1000 } } }] }
  - { type: output, name: out, input: fix, config: { name: out, type: csv, path: out.csv } }
`
    await writeFile(path.join(folder.path, 'pipeline.yaml'), pipeline)
    await writeFile(
      path.join(folder.path, 'orders.csv'),
      'id,price,day\n2,19.90,2024-02-29\n1,5.00,2024-02-29\n0,1.00,2024-01-01\n',
    )
    const commandFile = path.join(root, 'dist', 'runner', 'commands', 'clinker.js')
    for (const flags of [[flag], []]) {
      execFileSync(process.execPath, [...flags, commandFile, 'run', 'pipeline.yaml', '--quiet'], { cwd: folder.path })
      expect(await readFile(path.join(folder.path, 'out.csv'), 'utf8')).toBe(
        'id,price,day,gross,due\n1,5.00,2024-02-29,10.00,2024-03-30\n1002,19.90,2024-02-29,39.80,2024-03-30\n',
      )
    }
  })
})
