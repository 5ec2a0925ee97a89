#!/usr/bin/env node
// Measures whole processes on generated data and prints ratios against a peer in the same run.
//
//   npm run bench [-- --rows N] [--repeat N] [--no-write] [NAME…]
//   npm run bench -- cxl [--no-write]
//
// The table of a full run (1 M rows) goes to docs/benchmarks.md; `cxl` measures the language alone.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { generated } from './data.mjs'
import { writeSection } from './page.mjs'

const root = path.join(import.meta.dirname, '..')
const work = path.join(import.meta.dirname, 'data')
const clinker = path.join(root, 'dist/runner/commands/clinker.js')
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '1000000' },
    repeat: { type: 'string', default: '3' },
    'no-write': { type: 'boolean', default: false },
  },
})
if (positionals[0] === 'cxl') await import('./cxl.mjs')
else await processes()

async function processes() {
  const rows = Number(options.rows)
  const input = await generated(rows)
  const large = await generated(rows * 5)
  const group = await generated(rows, { group: true })
  await writePipelines()
  const limited = ['--memory-limit', rows < 100_000 ? '1M' : '64M']
  const plan = [
    { name: 'peer', title: 'csv-parse → Transform → csv-stringify', command: [path.join(import.meta.dirname, 'peers/csv-parse.mjs'), input, out('peer')] },
    { name: 'copy', title: 'CSV → typed records → CSV, `clinker run`', command: run('copy', input), against: 'peer', faster: 5, memory: 160 },
    { name: 'copy-5x', title: 'the same, five times the rows', command: run('copy', large, 'copy-5x'), memory: 160 },
    { name: 'single', title: 'CSV → CSV, single records through `pipeline()`', command: [path.join(import.meta.dirname, 'peers/single-records.mjs'), input, out('single')], against: 'peer', faster: 3.5 },
    { name: 'transforms', title: 'three chained transforms, ten expressions', command: run('transforms', input), against: 'copy', slower: 1.6 },
    { name: 'reshape', title: 'Reshape by id, one rule on 10 % of the rows', command: run('reshape', input), against: 'copy', slower: 4 },
    { name: 'reshape-spilled', title: `the same with ${limited.join(' ')}`, command: run('reshape', input, 'reshape-spilled', limited), against: 'reshape', slower: 3, memory: 300, same: 'reshape' },
    { name: 'giant', title: 'one group of all rows, `two_pass`, resident', command: run('giant', group), memory: undefined },
    { name: 'giant-spilled', title: `the same with ${limited.join(' ')}`, command: run('giant', group, 'giant-spilled', limited), against: 'giant', memory: 300, same: 'giant' },
  ]
  const chosen = positionals.length > 0 ? plan.filter(({ name }) => positionals.includes(name)) : plan
  const measured = new Map()
  for (const entry of chosen) {
    const best = { seconds: Infinity, megabytes: 0 }
    for (let turn = 0; turn < Number(options.repeat); turn++) {
      const { seconds, megabytes } = await measure(entry.command)
      best.seconds = Math.min(best.seconds, seconds)
      best.megabytes = Math.max(best.megabytes, megabytes)
    }
    measured.set(entry.name, best)
    if (entry.same && measured.has(entry.same) && (await digest(out(entry.name))) !== (await digest(out(entry.same)))) {
      throw new Error(`${entry.name} and ${entry.same} wrote different bytes`)
    }
    console.log(line(entry, measured))
  }
  for (const { name } of plan) await rm(out(name), { force: true })
  if (positionals.length === 0 && rows === 1_000_000 && !options['no-write']) await writePage(chosen, measured, rows)
}

function run(pipeline, input, output = pipeline, more = []) {
  return [clinker, 'run', path.join(work, `${pipeline}-${output}-${path.basename(input)}.yaml`), '--quiet', ...more]
}

function out(name) {
  return path.join(work, `out-${name}.csv`)
}

async function writePipelines() {
  await mkdir(work, { recursive: true })
  const rows = Number(options.rows)
  const text = await readFile(path.join(import.meta.dirname, 'pipelines.yaml'), 'utf8')
  const parts = Object.fromEntries(text.split(/^# --- /m).slice(1).map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n') + 1)]))
  const jobs = [
    ['copy', 'copy', `rows-${rows}.csv`],
    ['copy', 'copy-5x', `rows-${rows * 5}.csv`],
    ['transforms', 'transforms', `rows-${rows}.csv`],
    ['reshape', 'reshape', `rows-${rows}.csv`],
    ['reshape', 'reshape-spilled', `rows-${rows}.csv`],
    ['giant', 'giant', `one-group-${rows}.csv`],
    ['giant', 'giant-spilled', `one-group-${rows}.csv`],
  ]
  for (const [pipeline, output, input] of jobs) {
    const nodes = parts[pipeline]
    await writeFile(
      path.join(work, `${pipeline}-${output}-${input}.yaml`),
      `${parts.source.replace('INPUT', input)}${nodes}${parts.output.replace('OUTPUT', `out-${output}.csv`).replace('LAST', pipeline === 'copy' ? 'rows' : 'last')}`,
    )
  }
}

function measure(command) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, ['--import', path.join(import.meta.dirname, 'report-memory.mjs'), ...command], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
    })
    let memory = ''
    child.stdio[3].on('data', (chunk) => {
      memory += chunk
    })
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`${command.join(' ')} ended with ${code}`))
      else resolve({ seconds: (performance.now() - started) / 1000, megabytes: Number(memory) / 1024 })
    })
  })
}

async function digest(file) {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** `0.98 s`, `118 MB`, `8.3 × as fast as peer (asked: 5)`. */
function cells(entry, measured) {
  const { seconds, megabytes } = measured.get(entry.name)
  const other = entry.against && measured.get(entry.against)
  let ratio = ''
  if (other && entry.faster) ratio = `${(other.seconds / seconds).toFixed(1)} × as fast as \`${entry.against}\` (asked: ${entry.faster})`
  else if (other) ratio = `${(seconds / other.seconds).toFixed(2)} × the time of \`${entry.against}\`${entry.slower ? ` (allowed: ${entry.slower})` : ''}`
  return [`\`${entry.name}\``, entry.title, `${seconds.toFixed(2)} s`, `${megabytes.toFixed(0)} MB${entry.memory ? ` (allowed: ${entry.memory})` : ''}`, ratio]
}

function line(entry, measured) {
  const [name, title, seconds, memory, ratio] = cells(entry, measured)
  return `${name.padEnd(18)} ${seconds.padStart(8)}  ${memory.padEnd(22)} ${ratio}  ${title}`
}

async function writePage(entries, measured, rows) {
  const table = entries.map((entry) => `| ${cells(entry, measured).join(' | ')} |`)
  const text = `## Whole processes

Written by \`npm run bench\`: best of ${options.repeat}, ${rows.toLocaleString('en')} generated rows × 6 columns with a fixed seed (an int id, two
texts, an int, a float, a date). Ratios are taken within one run; seconds are those of the machine it ran on (Node ${process.version},
${cpus().length} cores).

| name | what | time | peak memory | ratio |
|---|---|---|---|---|
${table.join('\n')}
`
  await writeSection('processes', text)
}
