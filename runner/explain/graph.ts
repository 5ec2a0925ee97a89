import type { Description } from './describe.ts'

const shapes: Readonly<Record<string, string>> = { source: 'cylinder', output: 'note' }

/** A plan as a Graphviz graph. */
export function explainDot(plan: Description): string {
  const quote = (text: string): string => JSON.stringify(text)
  return [
    `digraph ${quote(plan.pipeline)} {`,
    '  rankdir=LR',
    ...plan.nodes.map(
      (node) =>
        `  ${quote(node.name)} [label=${quote(`${node.name}\n${node.type}`)}, shape=${shapes[node.type] ?? 'box'}]`,
    ),
    ...plan.edges.map(
      ({ from, to, port }) => `  ${quote(from)} -> ${quote(to)}${port === undefined ? '' : ` [label=${quote(port)}]`}`,
    ),
    '}',
    '',
  ].join('\n')
}

/** A plan as a Mermaid flow chart. */
export function explainMermaid(plan: Description): string {
  // Mermaid ids are words: nodes go by number, labels carry the names.
  const ids = new Map(plan.nodes.map((node, index) => [node.name, `n${index}`]))
  const label = (text: string): string => `"${text.replaceAll('"', '#quot;')}"`
  return [
    'flowchart LR',
    ...plan.nodes.map((node) => `  ${ids.get(node.name)}[${label(`${node.name} (${node.type})`)}]`),
    ...plan.edges.map(
      ({ from, to, port }) => `  ${ids.get(from)} -->${port === undefined ? '' : `|${label(port)}|`} ${ids.get(to)}`,
    ),
    '',
  ].join('\n')
}
