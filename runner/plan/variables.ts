import type { Constant, Variable, Variables } from '../../lib/cxl/engine.ts'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import type { YamlDocument } from './document.ts'
import type { Faults } from './faults.ts'
import type { Graph, GraphNode } from './graph.ts'
import { placed, variableDefault, variableType } from './settings.ts'

const scopes = ['pipeline', 'source', 'record'] as const

interface Declared {
  readonly scope: (typeof scopes)[number]
  readonly name: string
  readonly variable: Variable
  readonly node: GraphNode
}

/** The scoped variables of a pipeline: who declares them, and who may read them. */
export class ScopedVariables {
  /** Nodes of the init phase: its transforms, and what those read. */
  readonly init: ReadonlySet<string>
  readonly #vars: ReadonlyMap<string, Constant>
  readonly #declared: readonly Declared[]
  readonly #upstream = new Map<string, ReadonlySet<string>>()

  constructor(graph: Graph, vars: ReadonlyMap<string, Constant>, document: YamlDocument, faults: Faults) {
    this.#vars = vars
    this.#declared = collect(graph, document, faults)
    for (const node of graph.nodes) {
      const all = node.inputs.flatMap(({ node: read }) => [read, ...(this.#upstream.get(read) ?? [])])
      this.#upstream.set(node.name, new Set(all))
    }
    const init = graph.nodes.filter(isInit).flatMap(({ name }) => [name, ...(this.#upstream.get(name) ?? [])])
    this.init = new Set(init)
  }

  /** The variables in reach of a node's CXL: its own, and those that are written upstream. */
  inReachOf(node: GraphNode): Variables {
    const inReach = this.#declared.filter((each) => this.#reaches(each.node, node))
    const of = (scope: Declared['scope']): Map<string, Variable> =>
      new Map(inReach.flatMap((each) => (each.scope === scope ? [[each.name, each.variable]] : [])))
    const own = this.#declared.filter((each) => each.node === node)
    return {
      vars: this.#vars,
      pipeline: of('pipeline'),
      source: of('source'),
      record: of('record'),
      writable: new Set(own.map((each) => `$${each.scope}.${each.name}`)),
    }
  }

  /** What to say of `$pipeline.x` read by a node that is not downstream of the one that declares it; undefined otherwise. */
  outOfReach(node: GraphNode, variable: string): { writer: GraphNode } | undefined {
    const found = this.#declared.find((each) => `$${each.scope}.${each.name}` === variable)
    return found && !this.#reaches(found.node, node) ? { writer: found.node } : undefined
  }

  /** Whether what `writer` writes can be read by `node`: downstream of it, and all of the main phase behind the init phase. */
  #reaches(writer: GraphNode, node: GraphNode): boolean {
    if (writer === node || this.#upstream.get(node.name)?.has(writer.name)) return true
    return this.init.has(writer.name) && !this.init.has(node.name)
  }
}

/** Whether a node fills variables before the others run. */
export function isInit(node: GraphNode): boolean {
  return node.type === 'transform' && (node.config as ValueMap).phase === 'init'
}

/** The declarations of all transforms. What is malformed in them is reported by the transform itself. */
function collect(graph: Graph, document: YamlDocument, faults: Faults): Declared[] {
  const declared: Declared[] = []
  for (const node of graph.nodes) {
    const written = node.type === 'transform' ? (node.config as ValueMap).declares : undefined
    if (!Array.isArray(written)) continue
    for (const [index, entry] of written.entries()) {
      const { name, scope, type: typeName, default: given } = (entry ?? {}) as ValueMap
      const type = variableType(typeName)
      const known = scopes.find((each) => each === scope)
      if (typeof name !== 'string' || !known || !type) continue
      const value = variableDefault(type, given)
      if (value === undefined) continue
      const other = declared.find((each) => each.scope === known && each.name === name)
      if (other) {
        faults.add(
          new ClinkerError('E000', {
            message: `$${known}.${name} is declared by transform "${other.node.name}" already`,
            node: node.label,
            help: 'declare it once, in the transform that writes it',
            ...placed(document.place([...node.path, 'config', 'declares', index])),
          }),
        )
        continue
      }
      declared.push({ scope: known, name, variable: { type: type.orNull, default: value }, node })
    }
  }
  return declared
}
