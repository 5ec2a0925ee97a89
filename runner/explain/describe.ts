import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { outputNode } from '../../streams/output.ts'
import type { Plan, PlannedNode, PlannedSource, PlannedStep } from '../plan/plan.ts'

/** A plan in words and numbers: what every form of `--explain` is made from. */
export interface Description {
  readonly schema_version: 1
  readonly pipeline: string
  readonly outputs: readonly { node: string; path: string; if_exists: string }[]
  readonly nodes: readonly NodeDescription[]
  readonly edges: readonly { from: string; to: string; port?: string }[]
  readonly storage: { memory_limit: number; spill_dir: string; spill_cap: number | null }
}

export interface NodeDescription {
  readonly name: string
  readonly type: string
  readonly inputs: readonly string[]
  readonly columns: readonly { name: string; type: string }[]
  /** Whether records may have further columns. */
  readonly carries: boolean
  readonly buffer: 'streaming' | 'materialized'
  /** The transforms that are computed in one pass with this one. */
  readonly fused?: readonly string[]
  readonly ordering: string
  readonly spill_priority?: number
  /** Guessed from file sizes; null when the files cannot be seen. */
  readonly estimated_rows: number | null
  readonly estimated_bytes: number | null
  readonly cxl: readonly { path: string; text: string; type: string }[]
}

export interface DescribeOptions {
  spillDir?: string
}

/** Bytes a cell takes on average, its separator included: only good for an estimate. */
const bytesPerCell = 8

/** Describes a plan without opening an input. */
export function describe(plan: Plan, options: DescribeOptions = {}): Description {
  const estimates = new Map<string, Estimate>()
  const fused = fusedChains(plan)
  const nodes = plan.nodes.map((node): NodeDescription => {
    const estimate = estimateOf(node, plan, estimates)
    estimates.set(node.name, estimate)
    const chain = fused.get(node.name)
    const priority = priorityOf(node)
    return {
      name: node.name,
      type: typeOf(node),
      inputs: node.inputs,
      columns: columnsOf(node),
      carries: node.kind === 'output' ? node.carries : node.output.carries,
      buffer: isMaterialized(node) ? 'materialized' : 'streaming',
      ...(chain ? { fused: chain } : {}),
      ordering: orderingOf(node),
      ...(priority === undefined ? {} : { spill_priority: priority }),
      estimated_rows: estimate.rows,
      estimated_bytes: estimate.bytes,
      cxl:
        node.kind === 'step'
          ? node.plan.expressions.map(({ path: at, text, type }) => ({ path: at.join('.'), text, type }))
          : [],
    }
  })
  return {
    schema_version: 1,
    pipeline: plan.name,
    outputs: plan.nodes.flatMap((node) =>
      node.kind === 'output' ? [{ node: node.name, path: node.path.text, if_exists: node.if_exists }] : [],
    ),
    nodes,
    edges: plan.nodes.flatMap((node) =>
      node.inputs.map((input) => {
        const [from = '', port] = input.split('.', 2)
        return { from, to: node.name, ...(port === undefined ? {} : { port }) }
      }),
    ),
    storage: { memory_limit: plan.settings.limit, spill_dir: options.spillDir ?? tmpdir(), spill_cap: null },
  }
}

interface Estimate {
  readonly rows: number | null
  readonly bytes: number | null
}

function estimateOf(node: PlannedNode, plan: Plan, known: ReadonlyMap<string, Estimate>): Estimate {
  if (node.kind !== 'source') {
    return known.get(node.inputs[0]?.split('.', 1)[0] ?? '') ?? { rows: null, bytes: null }
  }
  const bytes = sizeOf(node, plan.base)
  return { bytes, rows: bytes === null ? null : Math.ceil(bytes / (node.columns.length * bytesPerCell)) }
}

/** Bytes of the files that are named outright. Patterns are not looked up: planning reads no folder. */
function sizeOf(node: PlannedSource, base: string): number | null {
  if (node.files.kind !== 'path' && node.files.kind !== 'paths') return null
  let bytes = 0
  for (const name of node.files.patterns) {
    const size = statSync(path.resolve(base, name), { throwIfNoEntry: false })?.size
    if (size === undefined) return null
    bytes += size
  }
  return bytes
}

function typeOf(node: PlannedNode): string {
  return node.kind === 'step' ? node.type : node.kind
}

function columnsOf(node: PlannedNode): NodeDescription['columns'] {
  const columns = node.kind === 'output' ? node.columns : node.output.columns
  return columns.map(({ name, type }) => ({ name, type: type.toString() }))
}

function isBlocking(node: PlannedNode | undefined): node is PlannedStep {
  return node?.kind === 'step' && !node.definition.streams
}

/** When it spills; undefined: it holds nothing. */
function priorityOf(node: PlannedNode): number | undefined {
  if (node.kind === 'output') return node.sorts ? outputNode.priority : undefined
  return node.kind === 'step' ? node.definition.priority : undefined
}

/** Whether what the node gives is held: it blocks, or several nodes read it. */
function isMaterialized(node: PlannedNode): boolean {
  if (isBlocking(node) || node.readers.length > 1) return true
  return node.kind === 'output' && node.sorts
}

function orderingOf(node: PlannedNode): string {
  if (node.kind === 'source') return 'files by name, rows as they stand'
  if (node.kind === 'output') return node.sorts ? 'sorted by sort_order' : 'kept'
  return isBlocking(node) ? 'destroyed: groups leave in the order their first record arrived' : 'kept'
}

/** For each transform that is computed together with others, their names in order. */
function fusedChains(plan: Plan): Map<string, readonly string[]> {
  const chains = new Map<string, string[]>()
  for (const node of plan.nodes) {
    if (node.kind !== 'step' || node.type !== 'transform') continue
    const before = plan.nodes.find(({ name }) => name === node.inputs[0])
    const joins = before?.kind === 'step' && before.type === 'transform' && before.readers.length === 1
    const chain = joins ? (chains.get(before.name) ?? [before.name]) : [node.name]
    if (joins) {
      chain.push(node.name)
      chains.set(before.name, chain)
    }
    chains.set(node.name, chain)
  }
  return new Map([...chains].filter(([, chain]) => chain.length > 1))
}
