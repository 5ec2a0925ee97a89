#!/usr/bin/env node
// Writes the reference pages from the declarations in the built package: docs/nodes.md, docs/cxl.md, docs/errors.md.
//
//   npm run docs            write them
//   npm run docs -- --check write nothing, fail when one is stale
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describeBuiltins, exampleRecord } from '../dist/lib/cxl/builtins/index.js'
import { categories, codes } from '../dist/lib/diagnostics/index.js'
import { csvOutputOptions, csvSourceOptions } from '../dist/streams/csv/options.js'
import { jsonSourceOptions } from '../dist/streams/json/parse.js'
import { jsonFormatOptions } from '../dist/streams/json/stringify.js'
import { outputNode } from '../dist/streams/output.js'
import { reshapeNode } from '../dist/streams/reshape.js'
import { transformNode } from '../dist/streams/transform.js'

const pages = { 'nodes.md': nodesPage(), 'cxl.md': cxlPage(), 'errors.md': errorsPage() }
const stale = []
for (const [name, text] of Object.entries(pages)) {
  const file = path.join(import.meta.dirname, name)
  if ((await readFile(file, 'utf8').catch(() => '')) === text) continue
  stale.push(name)
  if (!process.argv.includes('--check')) await writeFile(file, text)
}
if (process.argv.includes('--check')) {
  if (stale.length > 0) console.error(`stale: ${stale.join(', ')}; run npm run docs`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else console.log(stale.length > 0 ? `wrote ${stale.join(', ')}` : 'nothing has changed')

// --- nodes ---------------------------------------------------------------------------------------------------------

function nodesPage() {
  const parts = [
    '# Nodes and formats',
    'Written by `npm run docs` from the declarations that also check a pipeline. The keys are those of `config` in YAML, and the options of the factory in code, where a JavaScript function may stand wherever CXL does.',
  ]
  for (const node of [transformNode, reshapeNode, outputNode]) {
    const memory = node.streams ? 'Streams.' : `Holds its input inside the memory limit, and spills beyond it (priority ${node.priority}).`
    parts.push(`## ${node.type}`, `${node.summary} ${memory}`, optionsTable(node.config))
  }
  const formats = [
    ['Source options: csv', csvSourceOptions],
    ['Output options: csv', csvOutputOptions],
    ['Source options: json', jsonSourceOptions],
    ['Output options: json', jsonFormatOptions],
  ]
  for (const [title, schema] of formats) parts.push(`## ${title}`, optionsTable(schema))
  return `${parts.join('\n\n')}\n`
}

/** A row a key, nested keys with dots; lists show as `rules[]`. */
function optionsTable(schema) {
  const rows = [...optionRows(schema, '')].map(({ key, type, required, fallback, description }) => {
    const absent = required ? 'required' : fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``
    return `| \`${key}\` | ${cell(type)} | ${cell(absent)} | ${cell(description)} |`
  })
  return ['| key | value | default | |', '|---|---|---|---|', ...rows].join('\n')
}

function* optionRows(schema, prefix) {
  for (const [name, entry] of Object.entries(schema.entries)) {
    const { inner, description, fallback } = unwrapped(entry)
    const key = `${prefix}${name}`
    yield { key, type: typeText(inner), required: entry.type !== 'optional', fallback, description }
    if (inner.type === 'strict_object') yield* optionRows(inner, `${key}.`)
    if (inner.type === 'array') {
      const item = unwrapped(inner.item).inner
      if (item.type === 'strict_object') yield* optionRows(item, `${key}[].`)
    }
  }
}

function unwrapped(entry) {
  let inner = entry
  let description
  let fallback
  for (;;) {
    description ??= inner.pipe?.find((part) => part.type === 'description')?.description
    if (inner.pipe && inner.pipe[0] !== inner) inner = inner.pipe[0]
    else if (inner.type === 'optional' || inner.type === 'lazy') {
      fallback ??= typeof inner.default === 'function' ? undefined : inner.default
      inner = inner.wrapped ?? inner.getter()
    } else return { inner, description: description ?? '', fallback }
  }
}

function typeText(schema) {
  switch (schema.type) {
    case 'string':
      return 'text'
    case 'boolean':
      return 'true, false'
    case 'picklist':
      return schema.options.map((option) => `\`${option}\``).join(', ')
    case 'literal':
      return `\`${schema.literal}\``
    case 'array':
      return `list of ${typeText(unwrapped(schema.item).inner)}`
    case 'strict_object':
      return `{ ${Object.keys(schema.entries).join(', ')} }`
    case 'union':
      return [...new Set(schema.options.map((option) => typeText(unwrapped(option).inner)))].join(' or ')
    case 'record':
      return 'map'
    case 'custom':
      return typeof schema.message === 'string' ? schema.message : 'value'
    case 'number':
      return 'number'
    default:
      return 'value'
  }
}

// --- the language --------------------------------------------------------------------------------------------------

function cxlPage() {
  const parts = [
    '# CXL: builtin functions',
    'Written by `npm run docs` from the table that the checker, both back ends and `cxl help` read; every example runs as a test. `docs/cxl-tutorial.md` starts from nothing.',
    `A null receiver gives null, and so does a null argument, unless the text says otherwise. Examples that name a field read this record: \`${JSON.stringify(exampleRecord)}\`.`,
  ]
  const byReceiver = Map.groupBy ? Map.groupBy(describeBuiltins(), ({ receiver }) => receiver) : grouped(describeBuiltins())
  for (const [receiver, entries] of byReceiver) {
    parts.push(`## ${receiver === '' ? 'Functions' : `On ${receiver}`}`)
    for (const { name, signature, doc, examples } of entries) {
      const lines = Object.entries(examples).map(([program, result]) => `${program}  # ${JSON.stringify(result)}`)
      parts.push(`### ${name}`, `\`${name}${signature}\``, doc, `\`\`\`cxl\n${lines.join('\n')}\n\`\`\``)
    }
  }
  return `${parts.join('\n\n')}\n`
}

function grouped(entries) {
  const groups = new Map()
  for (const entry of entries) groups.set(entry.receiver, [...(groups.get(entry.receiver) ?? []), entry])
  return groups
}

// --- codes ---------------------------------------------------------------------------------------------------------

function errorsPage() {
  const parts = [
    '# Diagnostic codes',
    'Written by `npm run docs` from the registry; `clinker explain --code E310` prints the same. A reserved code belongs to a part that is not built yet.',
  ]
  for (const category of categories) {
    parts.push(`## ${category}`)
    for (const entry of codes.values()) {
      if (entry.category !== category) continue
      const status = entry.status === 'active' ? '' : ` (${entry.status})`
      parts.push(
        `### ${entry.code}: ${entry.title}${status}`,
        `${entry.severity}${entry.severity === 'error' ? `, exit ${entry.exit}` : ''}. ${entry.explanation}`,
        `\`\`\`\n${entry.example.trimEnd()}\n\`\`\``,
        `**Fix:** ${entry.fix}`,
      )
    }
  }
  return `${parts.join('\n\n')}\n`
}

function cell(text) {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}
