import * as v from 'valibot'
import { ClinkerError, closestMatch, type ErrorDetails, preview } from '../../lib/diagnostics/index.ts'
import { mapEntries, mapKeys } from '../../lib/record/map.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import type { ConfigPath } from '../../streams/node.ts'
import type { YamlDocument } from './document.ts'
import type { Faults } from './faults.ts'
import { placed } from './settings.ts'

export type NodeType = keyof typeof nodeSchemas

/** A node as the pipeline file has it: its keys are checked, its config is not. */
export interface GraphNode {
  readonly type: NodeType
  readonly name: string
  /** As messages show it: `reshape "backfill"`. */
  readonly label: string
  /** Where it stands: `['nodes', 3]`. */
  readonly path: ConfigPath
  readonly inputs: readonly Reference[]
  readonly config: unknown
}

/** What a node reads. */
export interface Reference {
  readonly node: string
  readonly port: string | undefined
  /** As written: `split.high`. */
  readonly text: string
  readonly path: ConfigPath
}

export interface Graph {
  /** Every node behind those it reads; else in the order of the file. */
  readonly nodes: readonly GraphNode[]
  /** Names of the nodes that read a node, in the order of the file. A node that reads it twice stands there twice. */
  readonly readers: ReadonlyMap<string, readonly GraphNode[]>
  readonly warnings: readonly { readonly code: string; readonly details: ErrorDetails }[]
  /** Set when nodes or inputs are at fault. What can be said of the other nodes is said all the same. */
  readonly broken: boolean
}

const anyConfig = v.looseObject({}, 'a mapping')
const common = {
  name: v.pipe(v.string('a name'), v.nonEmpty('a name')),
  description: v.optional(v.unknown()),
  _notes: v.optional(v.unknown()),
}
const input = v.pipe(v.string('the name of a node'), v.nonEmpty('the name of a node'))
const oneInput = (type: string) => v.strictObject({ type: v.literal(type), ...common, input, config: anyConfig })

/** The keys of a node, by its type; those of its `config` are the node's own business. */
const nodeSchemas = {
  source: v.strictObject({ type: v.literal('source'), ...common, config: anyConfig }),
  transform: oneInput('transform'),
  route: oneInput('route'),
  merge: v.strictObject({
    type: v.literal('merge'),
    ...common,
    inputs: v.pipe(v.array(input), v.minLength(1, 'a list of at least one node')),
    config: v.optional(anyConfig),
  }),
  combine: v.strictObject({
    type: v.literal('combine'),
    ...common,
    input: v.record(v.string(), input),
    config: anyConfig,
  }),
  aggregate: oneInput('aggregate'),
  reshape: oneInput('reshape'),
  cull: oneInput('cull'),
  envelope: v.strictObject({
    type: v.literal('envelope'),
    ...common,
    body: input,
    header: v.optional(input),
    config: v.optional(anyConfig),
  }),
  composition: v.strictObject({
    type: v.literal('composition'),
    ...common,
    input: v.optional(input),
    use: v.string(),
    inputs: v.optional(v.record(v.string(), input)),
    config: v.optional(anyConfig),
  }),
  output: oneInput('output'),
}

/** Types of nodes that a pipeline file may hold. */
const nodeTypes: readonly string[] = Object.keys(nodeSchemas)

/** Reads `nodes`, checks names and references, and puts them in order. */
export function readGraph(document: YamlDocument, written: readonly unknown[], faults: Faults): Graph {
  const before = faults.errors.length
  const nodes = written.flatMap((entry, index) => readNode(document, entry, ['nodes', index], faults) ?? [])
  const byName = new Map<string, GraphNode>()
  for (const node of nodes) checkName(document, node, byName, faults)
  for (const node of nodes) {
    for (const reference of node.inputs) {
      // A node that is at fault itself is there all the same.
      if (!named(written, reference, byName)) checkReference(document, node, reference, byName, faults)
    }
  }
  const ordered = inOrder(document, [...byName.values()], byName, faults)
  const readers = new Map<string, GraphNode[]>(nodes.map((node) => [node.name, []]))
  for (const node of nodes) for (const reference of node.inputs) readers.get(reference.node)?.push(node)
  return { nodes: ordered, readers, warnings: caseWarnings(document, nodes), broken: faults.errors.length > before }
}

/** Whether a reference names a node that is in the file, but could not be read. */
function named(written: readonly unknown[], { node }: Reference, byName: ReadonlyMap<string, GraphNode>): boolean {
  return !byName.has(node) && written.some((entry) => (entry as { name?: unknown } | null)?.name === node)
}

function readNode(document: YamlDocument, entry: unknown, path: ConfigPath, faults: Faults): GraphNode | undefined {
  const written = entry as ValueMap
  const isMap = typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  const where = `nodes[${path.at(-1)}]`
  if (!isMap) {
    faults.add(
      new ClinkerError('E000', {
        message: `${where} must be a mapping with \`type\` and \`name\`, got ${preview(entry)}`,
        ...placed(document.place(path)),
      }),
    )
    return undefined
  }
  const name = typeof written.name === 'string' ? written.name : undefined
  const { type } = written
  if (typeof type !== 'string' || !Object.hasOwn(nodeSchemas, type)) {
    const near = typeof type === 'string' ? closestMatch(type, nodeTypes) : undefined
    const subject = name === undefined ? where : `node "${name}"`
    faults.add(
      new ClinkerError('E000', {
        message:
          type === undefined
            ? `${subject} is missing its type`
            : `${subject}: type must be one of ${nodeTypes.join(', ')}, got ${JSON.stringify(type)}`,
        help: near ? `did you mean \`${near}\`?` : `known types: ${nodeTypes.join(', ')}`,
        expected: nodeTypes,
        actual: type,
        ...placed(document.place(type === undefined ? path : [...path, 'type'])),
      }),
    )
    return undefined
  }
  const label = name === undefined ? `${type} ${where}` : `${type} "${name}"`
  const schema = nodeSchemas[type as NodeType] as v.GenericSchema<unknown, ValueMap>
  const checked = faults.check(schema, entry, label, document, path)
  if (!checked || name === undefined) return undefined
  // What valibot gives back is a copy, which has lost the order of keys like `2024`.
  return {
    type: type as NodeType,
    name,
    label,
    path,
    inputs: referencesOf(written, path),
    config: written.config ?? {},
  }
}

/** Everything a node reads, whichever keys it names its inputs by. */
function referencesOf(node: ValueMap, path: ConfigPath): Reference[] {
  const references: Reference[] = []
  const add = (value: unknown, at: ConfigPath): void => {
    if (typeof value === 'string') {
      const dot = value.indexOf('.')
      const [name, port] = dot < 0 ? [value, undefined] : [value.slice(0, dot), value.slice(dot + 1)]
      references.push({ node: name, port, text: value, path: [...path, ...at] })
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) add(item, [...at, index])
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of mapEntries(value as ValueMap)) add(item, [...at, key])
    }
  }
  const keys =
    node.type === 'composition' && node.inputs !== undefined ? ['inputs'] : ['input', 'inputs', 'body', 'header']
  for (const key of keys) add(node[key], [key])
  return references
}

function checkName(document: YamlDocument, node: GraphNode, byName: Map<string, GraphNode>, faults: Faults): void {
  const place = placed(document.place([...node.path, 'name']))
  if (node.name.includes('.')) {
    faults.add(
      new ClinkerError('E010', {
        message: `the name \`${node.name}\` has a dot in it, which stands between a node and its port`,
        node: node.label,
        help: `call it \`${node.name.replaceAll('.', '_')}\``,
        ...place,
      }),
    )
  }
  const first = byName.get(node.name)
  if (!first) {
    byName.set(node.name, node)
    return
  }
  const line = document.place([...first.path, 'name'])?.line
  faults.add(
    new ClinkerError('E001', {
      message: `two nodes are named \`${node.name}\`, the other one is the ${first.type} in line ${line}`,
      node: node.label,
      help: 'rename one of them',
      ...place,
    }),
  )
}

function checkReference(
  document: YamlDocument,
  node: GraphNode,
  reference: Reference,
  byName: ReadonlyMap<string, GraphNode>,
  faults: Faults,
): void {
  const refuse = (code: string, message: string, help: string): void =>
    faults.add(new ClinkerError(code, { message, node: node.label, help, ...placed(document.place(reference.path)) }))
  if (reference.text === node.name || reference.node === node.name) {
    refuse('E002', `it reads itself`, 'read another node')
    return
  }
  const target = byName.get(reference.node)
  if (!target) {
    if (byName.has(reference.text)) return
    const readable = [...byName.values()].filter((other) => other.type !== 'output' && other !== node)
    const near = closestMatch(
      reference.node,
      readable.map((other) => other.name),
    )
    const all = readable.map((other) => other.name).join(', ')
    const help = near ? `did you mean \`${near}\`?` : all === '' ? 'add that node' : `nodes: ${all}`
    refuse('E004', `it reads \`${reference.text}\`, which is not a node`, help)
    return
  }
  if (target.type === 'output') {
    refuse('E004', `it reads \`${reference.text}\`, which is an output`, 'read the node that the output reads')
    return
  }
  // A composition has its ports in its own file.
  if (target.type === 'composition') return
  const ports = portsOf(target)
  if (!ports) {
    if (reference.port === undefined) return
    refuse(
      'E004',
      `it reads \`${reference.text}\`, but the ${target.type} \`${target.name}\` has no ports`,
      `read \`${target.name}\``,
    )
    return
  }
  if (reference.port === undefined ? ports.bare : ports.names.includes(reference.port)) return
  // Without a port the config is at fault, which is told there.
  if (ports.names.length === 0) return
  const known = ports.names.map((port) => `${target.name}.${port}`)
  const near = reference.port === undefined ? undefined : closestMatch(reference.port, ports.names)
  refuse(
    'E004',
    reference.port === undefined
      ? `it reads \`${target.name}\` without a port`
      : `it reads \`${reference.text}\`, which is no port of the ${target.type} \`${target.name}\``,
    near ? `did you mean \`${target.name}.${near}\`?` : `known ports: ${known.join(', ')}`,
  )
}

/** The ports a node has, and whether it can be read without one. Undefined: it has none. */
function portsOf(node: GraphNode): { names: string[]; bare: boolean } | undefined {
  const config = node.config as ValueMap
  if (node.type === 'route') {
    const conditions = config.conditions
    const names = typeof conditions === 'object' && conditions !== null ? mapKeys(conditions as ValueMap) : []
    return { names: [...names, ...(typeof config.default === 'string' ? [config.default] : [])], bare: false }
  }
  if (node.type === 'cull') {
    return { names: typeof config.removed_to === 'string' ? [config.removed_to] : [], bare: true }
  }
  return undefined
}

/** Kahn's algorithm, taking ready nodes in the order of the file. What is left over lies on, or behind, a cycle. */
function inOrder(
  document: YamlDocument,
  nodes: readonly GraphNode[],
  byName: ReadonlyMap<string, GraphNode>,
  faults: Faults,
): GraphNode[] {
  const ordered: GraphNode[] = []
  const done = new Set<string>()
  const isReady = (node: GraphNode): boolean =>
    node.inputs.every(({ node: read }) => read === node.name || done.has(read) || !byName.has(read))
  let waiting = [...nodes]
  while (waiting.length) {
    const next = waiting.find(isReady)
    if (!next) break
    ordered.push(next)
    done.add(next.name)
    waiting = waiting.filter((node) => node !== next)
  }
  const reported = new Set<GraphNode>()
  for (const node of waiting) {
    const cycle = reported.has(node) ? undefined : cycleThrough(node, byName, done)
    if (!cycle || cycle.some((member) => reported.has(member))) continue
    for (const member of cycle) reported.add(member)
    const names = [...cycle, cycle[0] as GraphNode].map((member) => member.name).join(' → ')
    faults.add(
      new ClinkerError('E003', {
        message: `the inputs form a cycle: ${names}`,
        node: node.label,
        help: 'take one of these inputs away',
        ...placed(document.place(node.inputs[0]?.path ?? node.path)),
      }),
    )
  }
  return ordered
}

/** The cycle that following inputs from `start` leads into, in the order of reading. */
function cycleThrough(
  start: GraphNode,
  byName: ReadonlyMap<string, GraphNode>,
  done: ReadonlySet<string>,
): GraphNode[] | undefined {
  const way: GraphNode[] = []
  let node: GraphNode | undefined = start
  while (node) {
    const seen = way.indexOf(node)
    if (seen >= 0) return way.slice(seen)
    way.push(node)
    const next: Reference | undefined = node.inputs.find(
      (reference) => byName.has(reference.node) && !done.has(reference.node),
    )
    node = next && byName.get(next.node)
  }
  return undefined
}

function caseWarnings(document: YamlDocument, nodes: readonly GraphNode[]): Graph['warnings'] {
  const seen = new Map<string, GraphNode>()
  return nodes.flatMap((node) => {
    const key = node.name.toLowerCase()
    const other = seen.get(key)
    if (!other) seen.set(key, node)
    if (!other || other.name === node.name) return []
    const details = {
      message: `the names \`${other.name}\` and \`${node.name}\` differ only in case`,
      node: node.label,
      help: 'rename one of them',
      ...placed(document.place([...node.path, 'name'])),
    }
    return [{ code: 'W002', details }]
  })
}
