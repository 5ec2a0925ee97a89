import * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import type { Column } from '../../lib/record/shape.ts'
import type { ConfigPath, Edge, PlanContext } from '../../streams/node.ts'
import { type OutputConfig, outputEntries, outputNode, type OutputPlan as ColumnsPlan } from '../../streams/output.ts'
import type { YamlDocument } from './document.ts'
import type { Faults } from './faults.ts'
import type { GraphNode } from './graph.ts'
import { notBuilt } from './not-built.ts'
import { type OutputFormat, outputFormats } from './output-formats.ts'
import { checkedPath, PathTemplate, standardStream } from './paths.ts'
import { placed } from './settings.ts'

/** A checked output: which columns it writes, in which format, into which files. */
export interface OutputPlan {
  readonly format: OutputFormat
  readonly type: string
  readonly path: PathTemplate
  readonly if_exists: 'overwrite' | 'error' | 'unique_suffix'
  readonly unique_suffix_width: number
  readonly write_meta: boolean
  readonly split: SplitPlan | undefined
  /** The format's own options, checked. */
  readonly options: object
  /** Keys beside `options` that formats look at. */
  readonly writing: WritingConfig
  readonly plan: ColumnsPlan
  readonly columns: readonly Column[]
  readonly carries: boolean
  /** Whether it holds all records to sort them. */
  readonly sorts: boolean
  /** What `header: auto` means here (CSV). */
  readonly header: 'union' | 'first'
}

/** The keys of an output that say how values are written, whatever the format does with them. */
export interface WritingConfig {
  readonly include_header: boolean
  readonly preserve_nulls: boolean
  readonly join_values: unknown
  readonly schema: unknown
}

/** When an output goes on in another file. */
interface SplitPlan {
  readonly max_records: number | undefined
  readonly max_bytes: number | undefined
  readonly group_key: string | undefined
  /** Parts of the name around the number, and how many digits that has. */
  readonly naming: { readonly before: string; readonly digits: number; readonly after: string }
  readonly repeat_header: boolean
  readonly oversize_group: 'warn' | 'error' | 'allow'
}

const formatNames = ['csv', 'json', 'xml', 'fixed_width'] as const
const atLeastOne = v.pipe(v.number(), v.integer(), v.minValue(1, 'a whole number of at least 1'))

const outputConfig = v.strictObject({
  ...outputEntries,
  name: v.optional(v.string()),
  type: v.picklist(formatNames),
  path: v.pipe(v.string(), v.nonEmpty('a path')),
  options: v.optional(v.unknown()),
  include_header: v.optional(v.boolean(), true),
  preserve_nulls: v.optional(v.boolean(), false),
  join_values: v.optional(v.unknown()),
  reconstruct_envelope: v.optional(v.boolean(), false),
  if_exists: v.optional(v.picklist(['overwrite', 'error', 'unique_suffix']), 'overwrite'),
  unique_suffix_width: v.optional(atLeastOne, 1),
  write_meta: v.optional(v.boolean(), false),
  split: v.optional(
    v.strictObject({
      max_records: v.optional(atLeastOne),
      max_bytes: v.optional(atLeastOne),
      group_key: v.optional(v.string()),
      naming: v.optional(v.string(), '{stem}_{seq:04}.{ext}'),
      repeat_header: v.optional(v.boolean(), true),
      oversize_group: v.optional(v.picklist(['warn', 'error', 'allow']), 'warn'),
    }),
  ),
})

export interface OutputContext {
  readonly allowAbsolute: boolean
  /** Whether the graph lets a CSV output see all records before it writes the first one. */
  readonly buffers: boolean
  readonly faults: Faults
}

/** Checks the config of an output. Undefined when it is wrong, or when its input is; why is in `faults`. */
export function planOutput(
  node: GraphNode,
  document: YamlDocument,
  edge: Edge | undefined,
  context: PlanContext,
  { allowAbsolute, buffers, faults }: OutputContext,
): OutputPlan | undefined {
  const before = faults.errors.length
  const at = [...node.path, 'config']
  const place = (inside: ConfigPath) => document.place([...at, ...inside])
  const config = faults.check(outputConfig, node.config, node.label, document, at)
  if (!config) return undefined
  const path = faults.try(() => readPath(config.path, node.label, place(['path']), allowAbsolute))
  const format = outputFormats[config.type]
  if (!format) faults.add(notBuilt(node.label, `writing ${config.type}`, place(['type'])))
  if (config.reconstruct_envelope) {
    faults.add(notBuilt(node.label, '`reconstruct_envelope`', document.place(at, { key: 'reconstruct_envelope' })))
  }
  const split =
    config.split && faults.try(() => readSplit(config.split as WrittenSplit, node.label, place(['split', 'naming'])))
  const options = format && faults.check(format.options, config.options ?? {}, node.label, document, [...at, 'options'])
  // What valibot gives back are copies; these are looked at as they are written.
  const { schema, join_values } = node.config as ValueMap
  const writing: WritingConfig = {
    include_header: config.include_header,
    preserve_nulls: config.preserve_nulls,
    join_values,
    schema,
  }
  if (format && options) {
    faults.try(() =>
      format.check(options, writing, {
        node: node.label,
        place: (inside, keys) => document.place([...at, ...inside], keys),
      }),
    )
  }
  if (!edge) return undefined
  const plan = faults.try(() => planColumns(config as OutputConfig, edge, context))
  if (faults.errors.length > before || !format || !options || !path || !plan) return undefined
  const sorts = config.sort_order.length > 0
  return {
    format,
    type: config.type,
    path,
    if_exists: config.if_exists,
    unique_suffix_width: config.unique_suffix_width,
    write_meta: config.write_meta,
    split,
    options,
    writing,
    plan,
    columns: plan.output.columns,
    carries: plan.output.carries,
    sorts,
    header: buffers || sorts || split !== undefined || path.perFile ? 'union' : 'first',
  }
}

/** The node's own plan: columns and their order. */
function planColumns(config: OutputConfig, edge: Edge, context: PlanContext): ColumnsPlan {
  return outputNode.plan(config, edge, context)
}

function readPath(
  written: string,
  node: string,
  place: ReturnType<PlanContext['place']>,
  allowAbsolute: boolean,
): PathTemplate {
  if (written === standardStream) return new PathTemplate(written, { node, place })
  return new PathTemplate(checkedPath(written, { node, place, allowAbsolute }), { node, place })
}

type WrittenSplit = NonNullable<v.InferOutput<typeof outputConfig>['split']>

function readSplit(split: WrittenSplit, node: string, place: ReturnType<PlanContext['place']>): SplitPlan {
  const { naming, ...rest } = split
  const [found, ...more] = naming.matchAll(/\{seq:(\d{1,2})\}/g)
  const digits = Number(found?.[1])
  const unknown = naming.replace(/\{seq:\d{1,2}\}|\{stem\}|\{ext\}/g, '').match(/\{[^}]*\}?/)?.[0]
  if (!found || more.length > 0 || digits < 1 || digits > 20 || unknown !== undefined) {
    throw new ClinkerError('E367', {
      message: `split.naming "${naming}" must hold one number {seq:N} with 1 to 20 digits${unknown === undefined ? '' : `, and ${unknown} is unknown`}`,
      node,
      help: 'write {stem}_{seq:04}.{ext}',
      actual: naming,
      ...placed(place),
    })
  }
  return {
    max_records: rest.max_records,
    max_bytes: rest.max_bytes,
    group_key: rest.group_key,
    naming: { before: naming.slice(0, found.index), digits, after: naming.slice(found.index + found[0].length) },
    repeat_header: rest.repeat_header,
    oversize_group: rest.oversize_group,
  }
}
