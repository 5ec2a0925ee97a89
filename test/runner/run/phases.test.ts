import { expect, test } from 'vitest'
import { folderWith, said } from '../folder.ts'

const head = `pipeline: { name: airport }
nodes:
  - { type: source, name: limits, config: { type: csv, path: limits.csv, schema: [{ name: cap, type: int }] } }
  - { type: source, name: bags, config: { type: csv, path: bags.csv, schema: [{ name: kg, type: int }] } }
`
const init = `  - type: transform
    name: pre
    input: limits
    config: { phase: init, declares: [{ name: cap, scope: pipeline, type: int }], cxl: emit $pipeline.cap = cap }
`
const files = { 'limits.csv': 'cap\n10\n20\n', 'bags.csv': 'kg\n15\n25\n' }

test('an init transform fills a variable before any record of the main phase is read', async () => {
  await using folder = await folderWith(files)
  const result =
    await folder.run(`${head}  - { type: transform, name: t, input: bags, config: { cxl: emit over = kg > $pipeline.cap } }
${init}  - { type: output, name: o, input: t, config: { type: csv, path: out.csv } }
`)
  expect(said(result)).toBe('')
  expect(await folder.read('out.csv')).toBe('kg,over\n15,false\n25,true\n')
})

test('a source that both phases read is read twice', async () => {
  await using folder = await folderWith(files)
  const result =
    await folder.run(`${head}${init}  - { type: transform, name: t, input: limits, config: { cxl: emit top = $pipeline.cap } }
  - { type: output, name: o, input: t, config: { type: csv, path: out.csv } }
`)
  expect(said(result)).toBe('')
  expect(await folder.read('out.csv')).toBe('cap,top\n10,20\n20,20\n')
})

test('rows of the init phase do not leave it', async () => {
  await using folder = await folderWith(files)
  const result =
    await folder.run(`${head}${init}  - { type: output, name: o, input: pre, config: { type: csv, path: out.csv } }
`)
  expect(result.exit).toBe(1)
  expect(said(result)).toContain(
    'E164: output "o": it reads the rows of transform "pre", which belongs to the init phase',
  )
})

test('the init phase cannot read what the main phase writes', async () => {
  await using folder = await folderWith(files)
  const result = await folder.run(`${head}  - type: transform
    name: w
    input: bags
    config: { declares: [{ name: cap, scope: pipeline, type: int }], cxl: emit $pipeline.cap = kg }
  - type: transform
    name: pre
    input: limits
    config: { phase: init, declares: [{ name: x, scope: pipeline, type: int }], cxl: emit $pipeline.x = $pipeline.cap }
  - { type: output, name: o, input: w, config: { type: csv, path: out.csv } }
`)
  expect(said(result)).toContain(
    'E175: transform "pre": $pipeline.cap is written by transform "w" in the main phase, which comes later',
  )
})
