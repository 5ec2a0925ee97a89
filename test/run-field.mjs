#!/usr/bin/env node
// Runs the field cases in test/field through the built commands, each in a fresh copy of its folder (test/field/README.md
// describes the `check` form).
//
//   npm run field [-- NAME…]
//
// A case that needs a node or format which is not built yet is listed as waiting. What a case marks `library` or `property` is a
// test in code (test/field.test.ts). Exit status 1 when a case that could hold does not.
import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { commandPath } from './run-command.mjs'

const field = path.join(import.meta.dirname, 'field')
const names = process.argv.slice(2)

/** What is not built yet. A line leaves this list when its feature is there. */
const waiting = [
  ...['route', 'merge', 'combine', 'aggregate', 'cull', 'envelope', 'composition'].map((type) => [type, new RegExp(`type: ${type}\\b`)]),
  ['JSON documents', /format: (array|object)|record_path|^\uFEFF?\s*\[|'\['\.repeat/],
  ['xml', /type: xml\b/],
  ['fixed width', /type: fixed_width\b/],
]

/** Cases whose expectation contradicts itself or the specification: they run, and are reported apart. */
const doubted = {
  'date-not-guessed': 'expected.csv lacks the header and row 1, which the case says is accepted',
}

/** The keys of `check` that this runner knows. */
const handled = new Set(
  `make run shell for_each write vary exit exit_each exit_first stderr stderr_each stderr_not stderr_empty stdout_lines equal same_lines
  same_set json_set json_equal csv_rows csv_match contains empty json_path absent unchanged no_new_files one_of one_of_each max_seconds
  max_rss_mb library property`.split(/\s+/),
)

let passed = 0
let failed = 0
const waits = []
const doubts = []
const known = (await readdir(field, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name)
const bin = await commandFolder()
try {
  for (const name of known.sort()) {
    if (names.length > 0 && !names.includes(name)) continue
    const needs = await needsOf(name)
    if (needs.length > 0) {
      waits.push(`${name} (${needs.join(', ')})`)
      continue
    }
    const problems = await runCase(name).catch((error) => [`the case itself failed: ${error.stack}`])
    if (problems.length === 0) passed++
    else if (doubted[name]) doubts.push(`${name} (${doubted[name]})`)
    else {
      failed++
      console.log(`FAIL ${name}\n  ${problems.join('\n  ')}`)
    }
  }
} finally {
  await rm(bin, { recursive: true, force: true })
}
if (waits.length > 0) console.log(`${waits.length} waiting: ${waits.join(', ')}`)
if (doubts.length > 0) console.log(`${doubts.length} doubted: ${doubts.join(', ')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

/** A folder with `clinker` and `cxl` in it, for the front of PATH. */
async function commandFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'field-bin-'))
  for (const command of ['clinker', 'cxl']) {
    await writeFile(path.join(folder, command), `#!/bin/sh\nexec '${process.execPath}' '${commandPath(command)}' "$@"\n`, { mode: 0o755 })
  }
  return folder
}

async function needsOf(name) {
  const files = (await readdir(path.join(field, name))).filter((file) => /\.(yaml|json|mjs)$/.test(file) && file !== 'case.json')
  const texts = await Promise.all(files.map((file) => readFile(path.join(field, name, file), 'utf8')))
  const needed = waiting.filter(([, pattern]) => texts.some((text) => pattern.test(text))).map(([feature]) => feature)
  return [...new Set(needed)]
}

async function runCase(name) {
  const { check } = JSON.parse(await readFile(path.join(field, name, 'case.json'), 'utf8'))
  const unknown = Object.keys(check).filter((key) => !handled.has(key))
  if (unknown.length > 0) return [`this runner does not know ${unknown.join(', ')}`]
  const problems = []
  const entries = check.for_each ? JSON.parse(await readFile(path.join(field, name, check.for_each), 'utf8')) : [undefined]
  for (const entry of entries) {
    for (const { env = {}, args = [] } of check.vary ?? [{}]) {
      const folder = await mkdtemp(path.join(tmpdir(), `field-${name}-`))
      try {
        await cp(path.join(field, name), folder, { recursive: true })
        if (entry) await writeFile(path.join(folder, check.write), entry.text)
        const label = entry ? `${JSON.stringify(entry.text).slice(0, 80)}: ` : Object.keys(env).length > 0 ? `${JSON.stringify(env)}: ` : ''
        for (const problem of await runOnce(check, folder, { env, args })) problems.push(label + problem)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
  }
  return problems
}

async function runOnce(check, folder, { env, args }) {
  if (check.make) await execute(check.make, folder, env)
  const before = await snapshot(folder)
  const lines = check.shell ? [].concat(check.shell).map((line) => ['bash', '-c', withFirstStatus(line)]) : commands(check.run)
  const results = []
  const problems = []
  const started = performance.now()
  for (const [index, line] of lines.entries()) {
    const got = await execute([...line, ...args], folder, env)
    results.push(got)
    const options = check.one_of_each?.[index]
    if (options) problems.push(...(await oneOf(options, [got], folder, before)))
  }
  const seconds = (performance.now() - started) / 1000
  problems.push(...(await judge(check, results, folder, before)))
  if (check.one_of) problems.push(...(await oneOf(check.one_of, results, folder, before)))
  if (check.max_seconds && seconds > check.max_seconds) problems.push(`took ${seconds.toFixed(1)} s, allowed ${check.max_seconds}`)
  const peak = Math.max(...results.map(({ rss }) => rss))
  if (check.max_rss_mb && peak > check.max_rss_mb) problems.push(`used ${peak.toFixed(0)} MB, allowed ${check.max_rss_mb}`)
  return problems
}

/** The exit status of the pipeline's first command, behind everything on stderr. */
function withFirstStatus(line) {
  return line.includes('clinker') && line.includes('|') ? `${line}; echo "status \${PIPESTATUS[@]}" >&3` : line
}

function commands(run) {
  if (!run) return []
  return Array.isArray(run[0]) ? run : [run]
}

function execute([command, ...args], cwd, env) {
  return new Promise((resolve) => {
    const child = spawn(command === 'node' ? process.execPath : command, args, {
      cwd,
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      timeout: 300_000,
    })
    const texts = ['', '', '']
    for (const [index, stream] of [child.stdout, child.stderr, child.stdio[3]].entries()) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        texts[index] += text
      })
    }
    let rss = 0
    const watch = setInterval(async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
      rss = Math.max(rss, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    }, 50)
    child.on('close', (code, signal) => {
      clearInterval(watch)
      resolve({ exit: code ?? `signal ${signal}`, stdout: texts[0], stderr: texts[1], statuses: texts[2].replace('status ', '').trim().split(' '), rss })
    })
  })
}

async function oneOf(options, results, folder, before) {
  const failures = []
  for (const option of options) {
    const problems = await judge(option, results, folder, before)
    if (problems.length === 0) return []
    failures.push(problems.join('; '))
  }
  return [`none of the allowed outcomes: ${failures.join(' | ')}`]
}

async function judge(check, results, folder, before) {
  const problems = []
  const read = (name) => readFile(path.join(folder, name), 'utf8').catch(() => undefined)
  for (const [index, got] of results.entries()) {
    const allowed = check.exit_each?.[index] ?? check.exit
    if (allowed && !allowed.includes(got.exit)) problems.push(`exit ${got.exit}, allowed ${allowed}: ${got.stderr.slice(0, 500)}`)
    const patterns = [...(check.stderr ?? []), ...(check.stderr_each?.[index] ?? [])]
    for (const pattern of patterns) if (!new RegExp(pattern).test(got.stderr)) problems.push(`stderr lacks /${pattern}/: ${got.stderr.slice(0, 500)}`)
    for (const pattern of check.stderr_not ?? []) if (new RegExp(pattern).test(got.stderr)) problems.push(`stderr has /${pattern}/: ${got.stderr}`)
    if (check.stderr_empty && got.stderr !== '') problems.push(`stderr is not empty: ${got.stderr.slice(0, 500)}`)
    const lines = check.stdout_lines?.[index]
    if (lines !== undefined && got.stdout.split('\n').length - 1 !== lines) problems.push(`stdout has not ${lines} lines: ${got.stdout.slice(0, 500)}`)
    const status = got.statuses.find((_, place) => place === (results.length > 1 && index === 1 ? 1 : 0))
    if (check.exit_first && !check.exit_first.map(String).includes(status)) problems.push(`exit of clinker ${status}`)
  }
  const files = {
    equal: async (actual, expected) => actual === (await read(expected)),
    same_lines: async (actual, expected) => trimmed(actual) === trimmed(await read(expected)),
    same_set: async (actual, expected) => isDeepStrictEqual(linesOf(actual).sort(), linesOf(await read(expected)).sort()),
    json_set: async (actual, expected) => isDeepStrictEqual(canonicalLines(actual).sort(), canonicalLines(await read(expected)).sort()),
    json_equal: (actual, expected) => isDeepStrictEqual(JSON.parse(actual), expected),
    csv_rows: (actual, expected) => {
      const rows = csvRows(actual)
      return rows.length === expected.length && expected.every((row, index) => Object.entries(row).every(([name, cell]) => rows[index][name] === cell))
    },
    csv_match: (actual, expected) => csvRows(actual).every((row) => Object.entries(expected).every(([name, pattern]) => new RegExp(pattern).test(row[name]))),
    contains: (actual, expected) => expected.every((text) => actual.includes(text)),
    json_path: (actual, { count, ids, row2_contains }) => {
      const rows = linesOf(actual).map((line) => JSON.parse(line))
      return rows.length === count && isDeepStrictEqual(rows.map((row) => row.id), ids) && row2_contains.every((text) => JSON.stringify(rows[1]).includes(text))
    },
  }
  for (const [key, holds] of Object.entries(files)) {
    for (const [name, expected] of Object.entries(check[key] ?? {})) {
      const actual = await read(name)
      if (actual === undefined) problems.push(`${name} does not exist`)
      else if (!(await holds(actual, expected))) problems.push(`${name} is not ${key} ${JSON.stringify(expected)}: ${actual.slice(0, 600)}`)
    }
  }
  for (const name of check.empty ?? []) if ((await read(name)) !== '') problems.push(`${name} is not an empty file`)
  for (const name of check.absent ?? []) if ((await read(name)) !== undefined) problems.push(`${name} exists`)
  for (const name of check.unchanged ?? []) if ((await read(name)) !== before.get(name)) problems.push(`${name} has changed`)
  if (check.no_new_files) {
    const added = [...(await snapshot(folder)).keys()].filter((name) => !before.has(name))
    if (added.length > 0) problems.push(`new files: ${added.join(', ')}`)
  }
  return problems
}

async function snapshot(folder) {
  await mkdir(folder, { recursive: true })
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
  return new Map(await Promise.all(files.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')])))
}

function trimmed(text) {
  return text?.replace(/\n$/, '')
}

function linesOf(text) {
  return (text ?? '').split('\n').filter((line) => line !== '')
}

/** JSON lines with sorted keys, so that equal values are equal texts. */
function canonicalLines(text) {
  const sorted = (value) =>
    value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value
  return linesOf(text).map((line) => JSON.stringify(sorted(JSON.parse(line))))
}

function csvRows(text) {
  const rows = []
  let row = []
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  const [header = [], ...cells] = rows.filter((cellsOfRow) => cellsOfRow.join('') !== '')
  return cells.map((values) => Object.fromEntries(header.map((name, index) => [name, values[index]])))
}
