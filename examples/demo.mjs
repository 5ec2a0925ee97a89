// npm run demo: mends examples/backfill/plans.csv with the pipeline beside it, then shows what changed.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const backfill = path.join(import.meta.dirname, 'backfill')
const clinker = path.join(import.meta.dirname, '..', 'dist', 'runner', 'commands', 'clinker.js')
const folder = mkdtempSync(path.join(tmpdir(), 'clinker-demo-'))
try {
  for (const name of ['pipeline.yaml', 'plans.csv']) copyFileSync(path.join(backfill, name), path.join(folder, name))
  console.log('$ clinker run examples/backfill/pipeline.yaml\n')
  const { status } = spawnSync(process.execPath, [clinker, 'run', 'pipeline.yaml'], { cwd: folder, stdio: 'inherit' })
  if (status !== 2) throw new Error(`the demo should end with status 2 (finished, with dead letters), not ${status}`)

  const [header, ...rows] = readFileSync(path.join(folder, 'mended.csv'), 'utf8').trimEnd().split('\n')
  const touched = new Set(rows.filter((row) => !row.endsWith(',')).map((row) => row.split(',')[0]))
  const shown = rows.filter((row) => touched.has(row.split(',')[0])).slice(0, 14)
  console.log(`\nmended.csv: ${rows.length} rows; the first groups that a rule touched:\n`)
  console.log(columns([header, ...shown]))
  console.log('\n`region` is not in the schema of the pipeline: it rode along. `change` tells what Reshape did to a row.')

  const [letterHeader, ...letters] = readFileSync(path.join(folder, 'conflicts.csv'), 'utf8').trimEnd().split('\n')
  const names = letterHeader.split(',')
  const pick = ['_cxl_dlq_source_row', '_cxl_dlq_error_category', '_cxl_dlq_stage', '_cxl_dlq_triggering_field', 'employee_id', 'plan_start']
  console.log('\nconflicts.csv: two rules wanted the same cell of one row, so the whole group of that employee stayed out:\n')
  console.log(columns([pick.join(','), ...letters.map((letter) => pick.map((name) => cells(letter)[names.indexOf(name)]).join(','))]))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function cells(line) {
  return [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)].map(([, quoted, plain]) => quoted ?? plain).slice(0, -1)
}

function columns(lines) {
  const table = lines.map((line) => line.split(','))
  const widths = table[0].map((_, index) => Math.max(...table.map((row) => (row[index] ?? '').length)))
  return table.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index])).join('  ')}`.trimEnd()).join('\n')
}
