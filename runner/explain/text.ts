import type { Description, NodeDescription } from './describe.ts'

/** A plan as text, section by section. */
export function explainText(plan: Description): string {
  const blocking = plan.nodes.filter((node) => node.spill_priority !== undefined)
  return [
    section(
      'Outputs',
      plan.outputs.map(({ node, path, if_exists }) => `${node}: ${path} (if_exists: ${if_exists})`),
    ),
    section('Nodes', plan.nodes.flatMap(nodeLines)),
    section(
      'Estimated spill volume',
      blocking.map(
        (node) =>
          `${node.name}: ${node.estimated_bytes === null ? 'not known' : `up to ${size(node.estimated_bytes)}`}`,
      ),
    ),
    section(
      'Spill compression',
      blocking.map((node) => `${node.name}: none`),
    ),
    section(
      'Row estimates',
      plan.nodes.map(
        (node) => `${node.name}: ${node.estimated_rows === null ? 'not known' : `about ${node.estimated_rows}`}`,
      ),
    ),
    section(
      'CXL',
      plan.nodes.flatMap((node) =>
        node.cxl.flatMap(({ path, text, type }) => [
          `${node.name}.${path}: ${type || 'no columns'}`,
          ...text
            .trimEnd()
            .split('\n')
            .map((line) => `  ${line}`),
        ]),
      ),
    ),
    section('Memory', [`limit: ${size(plan.storage.memory_limit)}`]),
    section('Graph', graphLines(plan)),
    section('Spill', [`folder: ${plan.storage.spill_dir}`, `cap: ${plan.storage.spill_cap ?? 'none'}`]),
  ].join('\n')
}

function section(title: string, lines: readonly string[]): string {
  return `${[title, ...(lines.length ? lines : ['none']).map((line) => `  ${line}`)].join('\n')}\n`
}

function nodeLines(node: NodeDescription): string[] {
  const detail = (name: string, value: string): string => `  ${name}: ${value}`
  const columns = node.columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  return [
    `${node.name} (${node.type})`,
    ...(node.inputs.length ? [detail('inputs', node.inputs.join(', '))] : []),
    detail('columns', `${columns || 'none'}${node.carries ? ', and undeclared ones' : ''}`),
    detail('buffer', node.buffer),
    ...(node.fused ? [detail('fused', node.fused.join(' → '))] : []),
    detail('ordering', node.ordering),
    ...(node.spill_priority === undefined ? [] : [detail('spill priority', String(node.spill_priority))]),
  ]
}

/** The graph as a tree of readers, one below each source. */
function graphLines(plan: Description): string[] {
  const lines: string[] = []
  const draw = (name: string, depth: number, port: string | undefined): void => {
    lines.push(`${'  '.repeat(depth)}${depth ? '└─ ' : ''}${name}${port === undefined ? '' : ` [${port}]`}`)
    for (const edge of plan.edges) if (edge.from === name) draw(edge.to, depth + 1, edge.port)
  }
  for (const node of plan.nodes) if (node.inputs.length === 0) draw(node.name, 0, undefined)
  return lines
}

/** Bytes with a binary unit where they are a whole number of it: `512M`. */
function size(bytes: number): string {
  for (const [unit, factor] of [
    ['G', 2 ** 30],
    ['M', 2 ** 20],
    ['K', 2 ** 10],
  ] as const) {
    if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`
  }
  return `${bytes}`
}
