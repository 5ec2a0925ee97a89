import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import { columnType, parseSchema, type SchemaColumn } from '../../lib/schema/index.ts'
import type { ConfigPath, Edge } from '../../streams/node.ts'
import type { OptionsContext } from '../../streams/options.ts'
import { YamlDocument } from './document.ts'
import type { Faults } from './faults.ts'
import { type FileChoice, fileKeys, readFileChoice } from './files.ts'
import { inputFormats, type InputFormat } from './formats.ts'
import type { GraphNode } from './graph.ts'
import { notBuilt } from './not-built.ts'
import { checkedPath } from './paths.ts'
import { placed } from './settings.ts'
import { reasonOf } from '../run/publication.ts'

/** A checked source: what it reads, and how. */
export interface SourcePlan {
  readonly format: InputFormat
  readonly type: string
  readonly files: FileChoice
  readonly columns: readonly SchemaColumn[]
  /** The list of columns as written. */
  readonly schema: unknown
  readonly on_unmapped: 'auto_widen' | 'drop' | 'reject'
  /** The format's own options, checked. */
  readonly options: object
  readonly split_values: unknown
  readonly output: Edge
}

/** Where the pipeline is, and what it may read. */
export interface SourceContext {
  readonly base: string
  readonly allowAbsolute: boolean
}

const modes = ['auto_widen', 'drop', 'reject'] as const
const formatNames = ['csv', 'json', 'xml', 'fixed_width'] as const

/** Keys that mean something to a later version; a source with one is refused by name. */
const laterKeys = [
  'correlation_key',
  'watermark',
  'envelope',
  'sort_order',
  'on_unsorted',
  'split_to_rows',
  'dlq_granularity',
]

const onUnmapped = '{ mode: auto_widen }, { mode: drop } or { mode: reject }'

const sourceConfig = v.strictObject({
  name: v.optional(v.string()),
  type: v.picklist(formatNames),
  ...fileKeys,
  schema: v.optional(v.unknown()),
  on_unmapped: v.optional(v.strictObject({ mode: v.picklist(modes) }, onUnmapped), { mode: 'auto_widen' }),
  options: v.optional(v.unknown()),
  split_values: v.optional(v.unknown()),
  array_paths: v.optional(v.unknown()),
  ...Object.fromEntries(laterKeys.map((key) => [key, v.optional(v.unknown())])),
})

/** Checks the config of a source. Undefined when it is wrong; why is in `faults`. */
export function planSource(
  node: GraphNode,
  document: YamlDocument,
  context: SourceContext,
  faults: Faults,
): SourcePlan | undefined {
  const before = faults.errors.length
  const at = [...node.path, 'config']
  const place = (inside: ConfigPath) => document.place([...at, ...inside])
  const config = faults.check(sourceConfig, node.config, node.label, document, at)
  if (!config) return undefined
  const refuse = (code: string, key: string, message: string, help: string): void =>
    faults.add(new ClinkerError(code, { message, node: node.label, help, ...placed(document.place(at, { key })) }))
  const files = readFileChoice(config, node.label, place, context.allowAbsolute, faults)
  const schema = readSchema(node, config.schema, document, context, faults)
  const columns = schema?.columns
  if (config.array_paths !== undefined) {
    refuse(
      'E360',
      'array_paths',
      '`array_paths` is no key any more',
      'use `split_to_rows`, `split_values` or `multiple: true`',
    )
  }
  if (columns) checkColumnKeys(node, columns, document, faults)
  for (const key of laterKeys) {
    if ((config as ValueMap)[key] !== undefined)
      faults.add(notBuilt(node.label, `\`${key}\``, document.place(at, { key })))
  }
  const format = inputFormats[config.type]
  if (!format) {
    faults.add(notBuilt(node.label, `reading ${config.type}`, place(['type'])))
    return undefined
  }
  const options = faults.check(format.options, config.options ?? {}, node.label, document, [...at, 'options'])
  if (faults.errors.length > before || !files || !schema || !options) return undefined
  const on_unmapped = config.on_unmapped.mode
  const { split_values } = config
  const source = { format, type: config.type, files, ...schema, on_unmapped, options, split_values }
  const checked = faults.try(() => {
    const placeOf: OptionsContext['place'] = (inside, keys) => document.place([...at, ...inside], keys)
    format.check(source, { node: node.label, place: placeOf })
    return true
  })
  if (!checked) return undefined
  return {
    ...source,
    output: {
      columns: source.columns.map((column) => ({ name: column.name, type: columnType(column) })),
      carries: on_unmapped === 'auto_widen',
      audited: false,
    },
  }
}

interface ReadSchema {
  readonly columns: SchemaColumn[]
  readonly schema: unknown
}

/** The schema in the config, or in the file that the config names. */
function readSchema(
  node: GraphNode,
  written: unknown,
  document: YamlDocument,
  { base, allowAbsolute }: SourceContext,
  faults: Faults,
): ReadSchema | undefined {
  const at = [...node.path, 'config', 'schema']
  if (written === undefined) {
    faults.add(
      new ClinkerError('E201', {
        message: 'it has no schema',
        node: node.label,
        help: 'add `schema: [{ name: id, type: int }, …]`, or the path of a .schema.yaml file',
        ...placed(document.place([...node.path, 'config'])),
      }),
    )
    return undefined
  }
  if (typeof written === 'string') {
    const file = faults.try(() => checkedPath(written, { node: node.label, place: document.place(at), allowAbsolute }))
    return file === undefined ? undefined : faults.try(() => readSchemaFile(file, base, node, document, at, faults))
  }
  if (isMapForm(written)) {
    faults.add(notBuilt(node.label, 'a schema of several record types', document.place(at)))
    return undefined
  }
  return faults.try(() => ({
    schema: written,
    columns: parseSchema(written, {
      node: node.label,
      place: (path, options) => document.place([...at, ...path], options),
    }),
  }))
}

function readSchemaFile(
  file: string,
  base: string,
  node: GraphNode,
  document: YamlDocument,
  at: ConfigPath,
  faults: Faults,
): ReadSchema | undefined {
  const unreadable = (reason: string, cause?: unknown): ClinkerError =>
    new ClinkerError('E157', {
      message: `cannot read the schema file "${file}": ${reason}`,
      node: node.label,
      help: 'correct its path or content',
      cause,
      ...placed(document.place(at)),
    })
  let text: string
  try {
    text = readFileSync(path.resolve(base, file), 'utf8')
  } catch (error) {
    throw unreadable(reasonOf(error), error)
  }
  const schema = new YamlDocument(text, file)
  if (schema.errors.length) {
    for (const error of schema.errors) faults.add(error)
    return undefined
  }
  // The columns stand at the top, or under the key that a config would have.
  const value = schema.value as ValueMap | null
  const under = value !== null && typeof value === 'object' && !Array.isArray(value) && Array.isArray(value.schema)
  const list: unknown = under ? value.schema : value
  if (!Array.isArray(list)) throw unreadable('it must hold a list of { name, type }')
  const columns = parseSchema(list, {
    node: node.label,
    place: (path, options) => schema.place([...(under ? ['schema'] : []), ...path], options),
  })
  return { columns, schema: list }
}

/** Keys of the source that name columns of its schema. */
function checkColumnKeys(
  node: GraphNode,
  columns: readonly SchemaColumn[],
  document: YamlDocument,
  faults: Faults,
): void {
  const config = node.config as ValueMap
  const names = columns.map((column) => column.name)
  const at = [...node.path, 'config']
  const unknown = (code: string, key: string, name: unknown, inside: ConfigPath): void =>
    faults.add(
      new ClinkerError(code, {
        message: `${key} names \`${String(name)}\`, which is not in the schema`,
        node: node.label,
        help: `add the column; the schema has ${names.join(', ')}`,
        actual: name,
        ...placed(document.place([...at, ...inside])),
      }),
    )
  const key = config.correlation_key
  if (key !== undefined) {
    const fields = Array.isArray(key) ? key : [key]
    if (!fields.length) {
      faults.add(
        new ClinkerError('E153', {
          message: 'correlation_key is an empty list',
          node: node.label,
          help: 'name at least one column, or leave the key out',
          ...placed(document.place([...at, 'correlation_key'])),
        }),
      )
    }
    for (const [index, field] of fields.entries()) {
      if (names.includes(field as string)) continue
      unknown('E153', 'correlation_key', field, Array.isArray(key) ? ['correlation_key', index] : ['correlation_key'])
    }
  }
  const watermark = config.watermark as ValueMap | undefined
  if (typeof watermark?.column === 'string') {
    const column = columns.find(({ name }) => name === watermark.column)
    if (!column) unknown('E154', 'watermark.column', watermark.column, ['watermark', 'column'])
    else if (!['date', 'date_time'].includes(column.type.name) || column.type.nullable) {
      faults.add(
        new ClinkerError('E155', {
          message: `watermark.column \`${column.name}\` has the type ${column.type.toString()}, it must be date or date_time`,
          node: node.label,
          help: 'change its type; it cannot be nullable',
          ...placed(document.place([...at, 'watermark', 'column'])),
        }),
      )
    }
  }
}

/** `{ discriminator, records, structure }`: a file of several record types. */
function isMapForm(written: unknown): boolean {
  return typeof written === 'object' && written !== null && Object.hasOwn(written, 'records')
}
