// Measures the language: a program of 30 typical expressions over typed columns, by generated code and by closures, against the same
// logic written in JavaScript; and how long a program of 200 lines takes to compile.
//
//   npm run bench -- cxl [--no-write]
import { deepStrictEqual } from 'node:assert'
import { spawnSync } from 'node:child_process'
import { Bench } from 'tinybench'
import { bareEnvironment, compileTransform } from '../dist/lib/cxl/engine.js'
import { CivilDate } from '../dist/lib/record/civil.js'
import { unknownOrigin } from '../dist/lib/record/origin.js'
import { ShapeTable } from '../dist/lib/record/shape.js'
import { Type } from '../dist/lib/record/type.js'
import { writeSection } from './page.mjs'

const columns = [
  ['id', Type.of('int')],
  ['name', Type.of('string')],
  ['city', Type.of('string', true)],
  ['count', Type.of('int')],
  ['amount', Type.of('float')],
  ['rate', Type.of('float', true)],
  ['day', Type.of('date')],
  ['active', Type.of('bool')],
  ['note', Type.of('string', true)],
  ['code', Type.of('string')],
]

const program = `
emit total = amount * 1.2
emit net = total - amount
emit gross = (amount * 1.19).round(2)
emit next = count + 1
emit half = count / 2
emit even = count % 2 == 0
emit share = count * 100 / 7
emit key = name.upper()
emit label = name + "/" + code
emit short = name.left(5)
emit said = note.trim()
emit first = code.starts_with("4")
emit has = name.contains("an")
emit size = name.length()
emit padded = code.pad_left(8, "0")
emit swapped = code.replace("1", "-")
emit band = if amount > 500.0 then "high" else "low"
emit kind = match count { 0 => "none", 1 => "one", _ => "many" }
emit grade = match { amount > 900.0 => "a", amount > 500.0 => "b", _ => "c" }
emit place = city ?? "unknown"
emit weighted = (rate ?? 1.0) * amount
emit silent = note.is_null()
emit large = amount > 100.0 and count < 50
emit either = active or count > 10
emit year = day.year()
emit late = day > #2023-06-01#
emit due = day.add_days(30)
emit age = day.diff_days(#2020-01-01#)
emit number = code.to_int()
emit text = count.to_string()
`

const june = CivilDate.of(2023, 6, 1)
const start = CivilDate.of(2020, 1, 1).days

/** The same in JavaScript, as somebody would write it who knows the data. */
function byHand(row) {
  const { id, name, city, count, amount, rate, day, active, note, code } = row
  const total = amount * 1.2
  const scaled = amount * 1.19 * 100
  return {
    id,
    name,
    city,
    count,
    amount,
    rate,
    day,
    active,
    note,
    code,
    total,
    net: total - amount,
    gross: (Math.sign(scaled) * Math.round(Math.abs(scaled))) / 100,
    next: count + 1,
    half: Math.trunc(count / 2),
    even: count % 2 === 0,
    share: Math.trunc((count * 100) / 7),
    key: name.toUpperCase(),
    label: `${name}/${code}`,
    short: name.slice(0, 5),
    said: note === null ? null : note.trim(),
    first: code.startsWith('4'),
    has: name.includes('an'),
    size: name.length,
    padded: code.padStart(8, '0'),
    swapped: code.replaceAll('1', '-'),
    band: amount > 500 ? 'high' : 'low',
    kind: count === 0 ? 'none' : count === 1 ? 'one' : 'many',
    grade: amount > 900 ? 'a' : amount > 500 ? 'b' : 'c',
    place: city ?? 'unknown',
    weighted: (rate ?? 1) * amount,
    silent: note === null,
    large: amount > 100 && count < 50,
    either: active || count > 10,
    year: day.year,
    late: day.compare(june) > 0,
    due: day.addDays(30),
    age: day.days - start,
    number: Number.parseInt(code, 10),
    text: String(count),
  }
}

const shapes = new ShapeTable()
const shape = shapes.of(columns.map(([name, type]) => ({ name, type })))
const records = Array.from({ length: 1000 }, (_, at) => {
  const day = CivilDate.fromDays(19_000 + (at % 700))
  const nullable = (value) => (at % 5 === 0 ? null : value)
  const values = [at, `Anna Banana ${at}`, nullable('Trondheim'), at % 97, at * 1.37, nullable(0.25), day, at % 3 === 0, nullable(`  a note ${at} `), `${40_000 + at}`]
  return shape.make(values, unknownOrigin, at + 1)
})
const scope = { columns: new Map(columns) }
const environment = bareEnvironment()

function bound(backend) {
  const run = compileTransform(program, scope, { backend }).bind(shape, shapes)
  return () => {
    const out = []
    for (let at = 0; at < records.length; at++) run(records[at], environment, out)
    return out
  }
}

const runs = {
  'by hand': () => {
    const out = []
    for (let at = 0; at < records.length; at++) out.push(byHand(records[at]))
    return out
  },
  generated: bound('generated'),
  closures: bound('closures'),
}
// Every expression twice and more, under names of its own.
const long = Array.from({ length: 7 }, (_, at) => program.replaceAll(/emit (\w+) =/g, `emit $1_${at} =`).replaceAll('total -', `total_${at} -`))
  .join('')
  .split('\n')
  .filter((line) => line !== '')
  .slice(0, 200)
  .join('\n')
const compiling = {
  'compile generated': () => compileTransform(long, scope, { backend: 'generated' }).bind(shape, new ShapeTable()),
  'compile closures': () => compileTransform(long, scope, { backend: 'closures' }).bind(shape, new ShapeTable()),
}
// What a command pays, which compiles once: nothing is warm. Best of some processes, each of which only does this.
if (process.argv.includes('--first-compile')) {
  const begin = performance.now()
  compiling['compile generated']()
  console.log(performance.now() - begin)
  process.exit()
}
const firsts = Array.from({ length: 7 }, () => Number(spawnSync(process.execPath, [import.meta.filename, '--first-compile']).stdout))

for (const name of ['generated', 'closures']) deepStrictEqual(runs[name](), runs['by hand'](), name)

const bench = new Bench({ time: 1000, warmupTime: 500 })
for (const [name, run] of Object.entries({ ...runs, ...compiling })) bench.add(name, run)
await bench.run()

// The least of many turns: what other processes take from this one is no part of it.
const least = (name) => bench.getTask(name).result.latency.min
const perRecord = (name) => (least(name) * 1e6) / records.length
const ratio = (name) => `${(perRecord(name) / perRecord('by hand')).toFixed(2)} ×`
const rows = [
  ['by hand', `${perRecord('by hand').toFixed(0)} ns a record`, ''],
  ['generated', `${perRecord('generated').toFixed(0)} ns a record`, `${ratio('generated')} (allowed: 2.5)`],
  ['closures', `${perRecord('closures').toFixed(0)} ns a record`, `${ratio('closures')} (allowed: 15)`],
  ['compile 200 lines, first time', `${Math.min(...firsts).toFixed(1)} ms`, '(allowed: 30 ms)'],
  ['compile 200 lines, warm', `${least('compile generated').toFixed(1)} ms`, ''],
  ['compile 200 lines to closures, warm', `${least('compile closures').toFixed(1)} ms`, ''],
]
for (const [name, time, against] of rows) console.log(`${name.padEnd(38)} ${time.padStart(18)}  ${against}`)

if (!process.argv.includes('--no-write')) {
  await writeSection(
    'cxl',
    `## The language

Written by \`npm run bench -- cxl\`: a program of 30 typical expressions (texts, numbers, dates, conditions, nulls, conversions) over typed
columns, against the same logic written in JavaScript by hand. Best of many turns over 1,000 records.

| what | time | against by hand |
|---|---|---|
${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
  )
}
