#!/usr/bin/env node
// Runs the golden cases in test/golden against the built package and prints, per area, how many hold.
//
//   npm run golden [-- AREA… ] [--commands] [--closures] [--only TEXT] [--jobs N]
//
// AREA is a folder of test/golden/pipelines, or `cxl`. Without --commands the cases run inside this process, through the same
// entry points the commands call; with it every case is a process of its own, and with --closures that process may not generate
// code, so that CXL runs on its other back end. A case that needs a node, format or language
// feature which is not built yet is listed as waiting, with what it waits for. Exit status 1 when a case that could hold does not.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import YAML from 'yaml'
import { runCommand } from './run-command.mjs'

const golden = path.join(import.meta.dirname, 'golden')
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commands: { type: 'boolean', default: false },
    closures: { type: 'boolean', default: false },
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
})

const processes = options.commands || options.closures

/** What is not built yet, and how a case shows that it needs it. A line leaves this list when its feature is there. */
const waiting = [
  ...['route', 'merge', 'combine', 'aggregate', 'cull', 'envelope', 'composition'].map((type) => [
    type,
    (test) => test.nodeTypes.has(type),
  ]),
  ['xml', (test) => test.formats.has('xml')],
  ['fixed width', (test) => test.formats.has('fixed_width')],
  ['JSON documents', (test) => Object.entries(test.files ?? {}).some(isJsonDocument) || /record_path|split_to_rows|format: (array|object)/.test(sourcesOf(test.text))],
  ['multi-record files', (test) => /discriminator:/.test(test.text)],
  ['envelope', (test) => /\benvelope:|reconstruct_envelope/.test(test.text)],
  ['watermarks', (test) => /\bwatermark:/.test(test.text)],
  ['windows', (test) => /analytic_window|\$window/.test(test.text)],
  ['correlation keys', (test) => /correlation_key/.test(test.text)],
]

/** Cases whose expectation contradicts itself or the specification: they run, and are reported apart. */
const doubted = {
  'csv/duplicate-header': 'exit 4 and yet an output file',
  'csv/unclosed-quote': 'exit 4 and yet an output file',
  'files/regex': 'refused without a reason, where spec/4 lets a regex find files',
}

const areas = [...(await readdir(path.join(golden, 'pipelines'))).sort(), 'cxl']
const unknown = positionals.filter((area) => !areas.includes(area))
if (unknown.length > 0) {
  console.error(`no area ${unknown.join(', ')}; the areas are ${areas.join(' ')}`)
  process.exit(1)
}

let failed = 0
let passed = 0
for (const area of positionals.length > 0 ? positionals : areas) {
  const cases = (await casesOf(area)).filter((test) => !options.only || `${area}/${test.name}`.includes(options.only))
  const reasons = new Map()
  const ready = []
  for (const test of cases) {
    const needs = waiting.filter(([, needed]) => needed(test)).map(([name]) => name)
    if (needs.length === 0) ready.push(test)
    else for (const name of needs) reasons.set(name, (reasons.get(name) ?? 0) + 1)
  }
  const failures = await runAll(ready)
  const sure = failures.filter(([test]) => !doubted[`${area}/${test.name}`])
  for (const [test] of failures) if (!sure.some(([other]) => other === test)) console.log(`doubted ${area}/${test.name}: ${doubted[`${area}/${test.name}`]}`)
  for (const [test, problem] of sure) console.log(`FAIL ${area}/${test.name} ${test.title ?? ''}\n  ${problem}`)
  const waits = cases.length - ready.length
  const list = [...reasons].map(([name, count]) => `${name} ${count}`).join(', ')
  const figures = `${ready.length - failures.length} passed, ${sure.length} failed`
  console.log(`${area}: ${figures}${waits > 0 ? `, ${waits} waiting (${list})` : ''}`)
  failed += sure.length
  passed += ready.length - failures.length
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function casesOf(area) {
  if (area === 'cxl') {
    const cases = []
    for (const file of (await readdir(path.join(golden, 'cxl'))).sort()) {
      for (const line of (await readFile(path.join(golden, 'cxl', file), 'utf8')).split('\n')) {
        if (line.trim() === '' || line.startsWith('//')) continue
        const test = JSON.parse(line)
        cases.push({ ...test, name: test.id, text: line, line, nodeTypes: new Set(), formats: new Set(), run: runProgram })
      }
    }
    return cases
  }
  const folder = path.join(golden, 'pipelines', area)
  const cases = []
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort()) {
    const text = await readFile(path.join(folder, file), 'utf8')
    const test = YAML.parse(text)
    const types = new Set([...text.matchAll(/\btype: ([a-z_]+)/g)].map(([, type]) => type))
    cases.push({ ...test, args: test.run, name: path.basename(file, '.yaml'), text, nodeTypes: types, formats: types, run: runPipeline })
  }
  return cases
}

async function runAll(cases) {
  const failures = []
  const jobs = processes ? Number(options.jobs) : 1
  let next = 0
  const work = async () => {
    while (next < cases.length) {
      const test = cases[next++]
      const folder = await mkdtemp(path.join(tmpdir(), 'golden-'))
      try {
        const problem = await test.run(test, folder).catch((error) => `the case itself failed: ${error.stack}`)
        if (problem) failures.push([test, problem])
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return failures
}

function call(command, args, cwd, more = {}) {
  const flags = options.closures ? ['--disallow-code-generation-from-strings'] : []
  return runCommand(command, args, { cwd, inProcess: !processes, flags, ...more })
}

/** Whether a file is JSON other than one object a line. */
function isJsonDocument([name, content]) {
  if (!name.endsWith('.json') || typeof content !== 'string') return false
  return content.trim() !== '' && !/^\uFEFF?\s*\{.*\}\s*$/m.test(content.split('\n').find((line) => line.trim() !== ''))
}

/** The part of a pipeline that stands before its first other node: the sources. */
function sourcesOf(text) {
  return text.slice(0, text.search(/type: output|type: transform|type: reshape/))
}

// --- programs ------------------------------------------------------------------------------------------------------

async function runProgram(test, folder) {
  await writeFile(path.join(folder, 'program.cxl'), test.program)
  const record = /"record":(\{.*?\}),"program"/.exec(test.line)?.[1]
  const args = test.check
    ? ['check', 'program.cxl']
    : ['eval', 'program.cxl', ...(test.record === undefined ? [] : ['--record', record ?? JSON.stringify(test.record)])]
  const got = await call('cxl', args, folder)
  const { expect } = test
  if (expect.error) {
    if (got.exit === 0) return `expected an error (${expect.error}), got ${got.stdout.trim()}`
    const missing = lacking(got.stderr, expect.mentions)
    return missing.length > 0 ? `the message lacks ${JSON.stringify(missing)}: ${got.stderr.trim()}` : undefined
  }
  if (got.exit !== 0) return `exit ${got.exit}: ${got.stderr.trim()}`
  if (test.check) return undefined
  const absent = [].concat(expect.text ?? []).filter((text) => !got.stdout.includes(text))
  if (absent.length > 0) return `the output lacks the text ${JSON.stringify(absent)}: ${got.stdout.trim()}`
  const from = test.line.indexOf('"expect":{"output":')
  const wanted = from < 0 ? JSON.stringify(expect.output) : valueText(test.line, from + '"expect":{"output":'.length)
  const actual = JSON.parse(longNumbersAsText(got.stdout))
  const expected = JSON.parse(longNumbersAsText(wanted))
  if (isDeepStrictEqual(Object.entries(actual), Object.entries(expected))) return undefined
  return `expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
}

/** Integers outside the safe range keep their digits: they are compared as text. */
function longNumbersAsText(text) {
  return text.replace(/("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g, (all, string, number) => {
    return string ?? (/^-?\d{16,}$/.test(number) ? `"int:${number}"` : all)
  })
}

/** The text of the JSON object or array that starts at `from`. */
function valueText(line, from) {
  let depth = 0
  let quoted = false
  for (let at = from; at < line.length; at++) {
    const character = line[at]
    if (quoted) {
      if (character === '\\') at++
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return line.slice(from, at + 1)
  }
  return undefined
}

// --- pipelines -----------------------------------------------------------------------------------------------------

async function runPipeline(test, folder) {
  await writeFiles(folder, test.files)
  const got = await call('clinker', test.args ?? ['run', 'pipeline.yaml'], folder, { input: test.stdin, env: test.env })
  const { expect = {} } = test
  const stderr = masked(got.stderr, folder)
  const problems = []
  if (got.exit !== (expect.exit ?? 0)) problems.push(`exit ${got.exit}, expected ${expect.exit ?? 0}: ${stderr.trim().slice(0, 600)}`)
  for (const [name, content] of Object.entries(expect.files ?? {})) {
    const actual = await readFile(path.join(folder, name), 'utf8').then(
      (text) => masked(text, folder),
      () => null,
    )
    const same =
      content !== null && actual !== null && typeof content === 'object'
        ? isDeepStrictEqual(JSON.parse(actual), content.json)
        : actual === (typeof content === 'string' ? masked(content, folder) : content)
    if (!same) problems.push(`${name}: expected\n${shown(content)}\n    got\n${shown(actual)}`)
  }
  for (const text of lacking(stderr, expect.stderr)) problems.push(`stderr lacks ${JSON.stringify(text)}: ${stderr.trim().slice(0, 600)}`)
  if (expect.stdout !== undefined) {
    const stdout = masked(got.stdout, folder)
    if (Array.isArray(expect.stdout)) {
      for (const text of lacking(stdout, expect.stdout)) problems.push(`stdout lacks ${JSON.stringify(text)}`)
    } else if (stdout !== expect.stdout) problems.push(`stdout: expected\n${shown(expect.stdout)}\n    got\n${shown(stdout)}`)
  }
  return problems.length > 0 ? problems.join('\n  ') : undefined
}

async function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files ?? {})) {
    const target = path.join(folder, name)
    await mkdir(path.dirname(target), { recursive: true })
    if (typeof content === 'string') await writeFile(target, content)
    else if (content.base64) await writeFile(target, Buffer.from(content.base64, 'base64'))
    else {
      const row = new Function('i', `return \`${content.row}\``)
      await writeFile(target, (content.header ?? '') + Array.from({ length: content.repeat }, (_, i) => row(i)).join(''))
    }
  }
}

/** Hides what changes from run to run: the folder; ids, times and wording in dead-letter files. */
function masked(text, folder) {
  const plain = text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')
  return plain.startsWith('_cxl_dlq_id,') ? maskedDeadLetters(plain) : plain
}

function maskedDeadLetters(text) {
  const rows = []
  let row = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ',') {
      rows.push(row)
      row = []
    }
  }
  if (rows.at(-1)?.join('') === '') rows.pop()
  const hidden = ['_cxl_dlq_id', '_cxl_dlq_timestamp', '_cxl_dlq_error_detail'].map((name) => rows[0].indexOf(name))
  const quote = (cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return rows
    .map((cells, n) => `${cells.map((cell, i) => quote(n > 0 && hidden.includes(i) ? '*' : cell)).join(',')}\n`)
    .join('')
}

// --- both ----------------------------------------------------------------------------------------------------------

/** Those of `texts` that `output` does not hold, in any case. */
function lacking(output, texts) {
  return [].concat(texts ?? []).filter((text) => !output.toLowerCase().includes(text.toLowerCase()))
}

function shown(content) {
  if (content === null || content === undefined) return '    (no file)'
  const text = typeof content === 'object' ? JSON.stringify(content.json) : content
  return text
    .split('\n')
    .map((line) => `    | ${line}`)
    .join('\n')
    .slice(0, 3000)
}
