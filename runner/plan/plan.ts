import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Scope, UserFunctions } from '../../lib/cxl/engine.ts'
import { ClinkerError, ClinkerErrors, type ErrorDetails } from '../../lib/diagnostics/index.ts'
import type { Edge, NodeDefinition, NodePlan, PlanContext } from '../../streams/node.ts'
import { reshapeNode } from '../../streams/reshape.ts'
import { type TransformPlan, transformNode } from '../../streams/transform.ts'
import { reasonOf } from '../run/publication.ts'
import { YamlDocument } from './document.ts'
import { Faults } from './faults.ts'
import { loadFunctions } from './functions.ts'
import { type Graph, type GraphNode, readGraph } from './graph.ts'
import { moduleResolver } from './modules.ts'
import { notBuilt } from './not-built.ts'
import { type OutputPlan, planOutput } from './output.ts'
import { checkedPath, standardStream } from './paths.ts'
import { checkTopLevel, placed, readSettings, type Settings } from './settings.ts'
import { planSource, type SourcePlan } from './source.ts'
import { isInit, ScopedVariables } from './variables.ts'

/** A pipeline: the path of a file, or its text. */
export type PipelineInput = string | { readonly text: string; readonly file?: string }

export interface PlanOptions {
  /** Where relative paths start. Default: the folder of the pipeline file, else the working folder. */
  baseDir?: string
  /** Wins over `memory.limit` of the file: `64M`. */
  memoryLimit?: string | number
  /** Where modules are found. Default: `pipeline.rules_path`, else `rules` in the base folder. */
  rulesPath?: string
  /** Lets paths of the pipeline be absolute. Default: false. */
  allowAbsolutePaths?: boolean
}

/** A checked pipeline, ready to be explained, or run any number of times. */
export interface Plan {
  readonly name: string
  /** As the caller named it; absent for a text. */
  readonly file: string | undefined
  /** Where relative paths start. */
  readonly base: string
  /** A digest of the text: `{pipeline_hash}`. */
  readonly hash: string
  readonly settings: Settings
  /** Every node behind those it reads. */
  readonly nodes: readonly PlannedNode[]
  /** The nodes that run together, phase by phase. */
  readonly phases: readonly (readonly PlannedNode[])[]
  /** Sources in the order of the file: dead letters stand in it. */
  readonly sources: readonly string[]
  readonly warnings: readonly ClinkerError[]
}

interface Planned {
  readonly name: string
  /** As messages show it: `reshape "backfill"`. */
  readonly label: string
  /** What it reads, as written. */
  readonly inputs: readonly string[]
  /** Names of the nodes that read it, in the order of the file. */
  readonly readers: readonly string[]
}

export interface PlannedSource extends Planned, SourcePlan {
  readonly kind: 'source'
}

/** A node with one input and one output. */
export interface PlannedStep extends Planned {
  readonly kind: 'step'
  readonly type: string
  readonly definition: NodeDefinition<never>
  readonly config: unknown
  readonly plan: NodePlan
  readonly output: Edge
}

export interface PlannedOutput extends Planned, OutputPlan {
  readonly kind: 'output'
}

export type PlannedNode = PlannedSource | PlannedStep | PlannedOutput

/** The nodes with one input and one output that a pipeline may hold. */
const steps: Readonly<Record<string, NodeDefinition<never>>> = {
  transform: transformNode as unknown as NodeDefinition<never>,
  reshape: reshapeNode as unknown as NodeDefinition<never>,
}

/** Checks a pipeline. No input is opened. Throws everything that is wrong with it as one error. */
export async function plan(input: PipelineInput, options: PlanOptions = {}): Promise<Plan> {
  if (typeof input !== 'string') return planText(input.text, input.file, options)
  if (input.includes('\n')) return planText(input, undefined, options)
  let text: string
  try {
    text = await readFile(input, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'it does not exist' : code === 'EISDIR' ? 'it is a folder' : reasonOf(error)
    throw new ClinkerError('E000', {
      message: `cannot read the pipeline file "${input}": ${reason}`,
      cause: error,
      exit: 1,
    })
  }
  return planText(text, input, options)
}

async function planText(text: string, file: string | undefined, options: PlanOptions): Promise<Plan> {
  const document = new YamlDocument(text, file)
  const faults = new Faults()
  for (const error of document.errors) faults.add(error)
  faults.throw()
  const top = checkTopLevel(document, faults)
  if (!top) faults.throw()
  const settings = readSettings(document, faults, options.memoryLimit)
  const base = path.resolve(options.baseDir ?? (file === undefined ? '.' : path.dirname(file)))
  const graph = readGraph(document, top?.nodes ?? [], faults)
  const functions = await functionsOf(settings, base, document, options, faults)
  const planner = new Planner(document, graph, settings, functions, base, options, faults)
  const nodes = planner.planAll()
  faults.throw()
  return {
    name: settings.name,
    file,
    base,
    hash: createHash('sha256').update(text).digest('hex').slice(0, 16),
    settings,
    nodes,
    phases: planner.phases(),
    sources: nodesOfType(top?.nodes ?? [], 'source'),
    warnings: planner.warnings,
  }
}

async function functionsOf(
  settings: Settings,
  base: string,
  document: YamlDocument,
  options: PlanOptions,
  faults: Faults,
): Promise<UserFunctions | undefined> {
  if (settings.functions === undefined) return undefined
  const place = document.place(['pipeline', 'functions'])
  try {
    return await loadFunctions(settings.functions, { base, place, allowAbsolute: options.allowAbsolutePaths ?? false })
  } catch (error) {
    if (!(error instanceof ClinkerError)) throw error
    faults.add(error)
    // Without its functions nothing of the pipeline could be checked.
    faults.throw()
    return undefined
  }
}

function nodesOfType(written: readonly unknown[], type: string): string[] {
  const nodes = written as readonly { type?: unknown; name?: unknown }[]
  return nodes.flatMap((node) => (node.type === type ? [String(node.name)] : []))
}

class Planner {
  readonly warnings: ClinkerError[] = []
  readonly #document: YamlDocument
  readonly #graph: Graph
  readonly #settings: Settings
  readonly #functions: UserFunctions | undefined
  readonly #base: string
  readonly #options: PlanOptions
  readonly #faults: Faults
  readonly #variables: ScopedVariables
  readonly #planned = new Map<string, PlannedNode>()

  constructor(
    document: YamlDocument,
    graph: Graph,
    settings: Settings,
    functions: UserFunctions | undefined,
    base: string,
    options: PlanOptions,
    faults: Faults,
  ) {
    this.#document = document
    this.#graph = graph
    this.#settings = settings
    this.#functions = functions
    this.#base = base
    this.#options = options
    this.#faults = faults
    this.#variables = new ScopedVariables(graph, settings.vars, document, faults)
    for (const { code, details } of graph.warnings) this.#warn(code, details)
  }

  planAll(): PlannedNode[] {
    const { nodes } = this.#graph
    for (const node of nodes) {
      const planned = this.#planNode(node)
      if (planned) this.#planned.set(node.name, planned)
    }
    if (!this.#graph.broken && !nodes.some((node) => node.type === 'output')) {
      this.#faults.add(
        new ClinkerError('E000', {
          message: 'the pipeline has no output',
          help: 'add a node of type output',
          ...placed(this.#document.place(['nodes'])),
        }),
      )
    }
    this.#checkInit()
    this.#checkPerSource()
    this.#checkEvents()
    this.#checkFiles()
    return [...this.#planned.values()]
  }

  #planNode(node: GraphNode): PlannedNode | undefined {
    const allowAbsolute = this.#options.allowAbsolutePaths ?? false
    const readers = (this.#graph.readers.get(node.name) ?? []).map((reader) => reader.name)
    const planned = { name: node.name, label: node.label, inputs: node.inputs.map(({ text }) => text), readers }
    if (node.type === 'source') {
      const source = planSource(node, this.#document, { base: this.#base, allowAbsolute }, this.#faults)
      return source && { kind: 'source', ...planned, ...source }
    }
    const input = this.#planned.get(node.inputs[0]?.node ?? '')
    const edge = input && input.kind !== 'output' ? input.output : undefined
    if (node.type === 'output') {
      const output = planOutput(node, this.#document, edge, this.#contextOf(node), {
        allowAbsolute,
        buffers: this.#buffers(node),
        faults: this.#faults,
      })
      return output && { kind: 'output', ...planned, ...output }
    }
    const definition = steps[node.type]
    if (!definition) {
      this.#faults.add(
        notBuilt(node.label, `a node of type ${node.type}`, this.#document.place([...node.path, 'type'])),
      )
      return undefined
    }
    const step = this.#planStep(node, definition, edge)
    return step && { kind: 'step', ...planned, type: node.type, definition, config: node.config, ...step }
  }

  #planStep(
    node: GraphNode,
    definition: NodeDefinition<never>,
    edge: Edge | undefined,
  ): { plan: NodePlan; output: Edge } | undefined {
    const at = [...node.path, 'config']
    const config = this.#faults.check(definition.config, node.config, node.label, this.#document, at)
    if (config === undefined || !edge) return undefined
    try {
      const step = definition.plan(config, edge, this.#contextOf(node))
      for (const warning of step.warnings) this.#warn('W000', warning)
      return { plan: step, output: step.output }
    } catch (error) {
      if (!(error instanceof ClinkerError)) throw error
      for (const each of error instanceof ClinkerErrors ? error.errors : [error]) {
        this.#faults.add(this.#outOfReach(node, each) ?? each)
      }
      return undefined
    }
  }

  #contextOf(node: GraphNode): PlanContext {
    const input = node.inputs[0]?.text
    const root = path.resolve(this.#base, this.#options.rulesPath ?? this.#settings.rules_path ?? 'rules')
    return {
      name: node.name,
      node: node.label,
      ...(input === undefined ? {} : { input }),
      scope: (edge): Scope => ({
        ...(edge && { columns: new Map(edge.columns.map((column) => [column.name, column.type])) }),
        meta: edge?.audited ?? false,
        variables: this.#variables.inReachOf(node),
        doc: new Map(),
        modules: moduleResolver(root),
        ...(this.#functions && { functions: this.#functions }),
        ...(input === undefined ? {} : { source: `"${input}"` }),
      }),
      place: (inside, spot) => {
        const at = [...node.path, 'config', ...inside]
        return spot ? this.#document.placeInside(at, spot) : this.#document.place(at)
      },
    }
  }

  /** An unknown variable that another node declares is known, but not in reach (E171). */
  #outOfReach(node: GraphNode, error: ClinkerError): ClinkerError | undefined {
    if (error.code !== 'E203') return undefined
    const [variable] = /\$(?:pipeline|source|record)\.\w+/.exec(error.message) ?? []
    const found = variable === undefined ? undefined : this.#variables.outOfReach(node, variable)
    if (!found) return undefined
    const early = this.#variables.init.has(node.name)
    return new ClinkerError(early ? 'E175' : 'E171', {
      message: early
        ? `${variable} is written by ${found.writer.label} in the main phase, which comes later`
        : `${variable} is written by ${found.writer.label}, which is not upstream of it`,
      node: node.label,
      help: early ? 'write it in the init phase' : `read it downstream of \`${found.writer.name}\``,
      cause: error,
      ...placed(error.place),
    })
  }

  /**
   * Whether a CSV output sees all its records before it writes the first one, so that its header can be the union of their columns
   * (spec/1, Which CSV outputs stream). The nodes that this version has are the ones looked at.
   */
  #buffers(node: GraphNode): boolean {
    const input = this.#graph.nodes.find(({ name }) => name === node.inputs[0]?.node)
    if (!input || (this.#graph.readers.get(input.name)?.length ?? 0) > 1) return true
    if (input.type !== 'transform') return input.type !== 'merge'
    const before = this.#graph.nodes.find(({ name }) => name === input.inputs[0]?.node)
    return before?.type !== 'source' || (this.#graph.readers.get(before.name)?.length ?? 0) > 1
  }

  /** Rows of the init phase end in it (E164): only the variables it writes go on. */
  #checkInit(): void {
    for (const node of this.#graph.nodes.filter(isInit)) {
      for (const reader of this.#graph.readers.get(node.name) ?? []) {
        if (this.#variables.init.has(reader.name)) continue
        this.#faults.add(
          new ClinkerError('E164', {
            message: `it reads the rows of ${node.label}, which belongs to the init phase`,
            node: reader.label,
            help: `read another node; the variables that \`${node.name}\` writes can be read everywhere`,
            ...placed(this.#document.place([...reader.path, 'input'])),
          }),
        )
      }
    }
  }

  /** The nodes that run first, and those that run then. A node of the init phase that others read, too, is in both. */
  phases(): PlannedNode[][] {
    const all = [...this.#planned.values()]
    const { init } = this.#variables
    const isMain = (name: string): boolean =>
      !init.has(name) || (this.#graph.readers.get(name) ?? []).some((reader) => isMain(reader.name))
    const first = all.filter(({ name }) => init.has(name))
    return first.length > 0 ? [first, all.filter(({ name }) => isMain(name))] : [all]
  }

  #checkPerSource(): void {
    const { dlq } = this.#settings
    for (const name of dlq?.per_source.keys() ?? []) {
      const isSource = this.#graph.nodes.some((node) => node.type === 'source' && node.name === name)
      if (isSource || this.#graph.broken) continue
      this.#faults.add(
        new ClinkerError('E317', {
          message: `dlq.per_source names \`${name}\`, which is not a source`,
          help: 'correct the name',
          ...placed(this.#document.place(['error_handling', 'dlq', 'per_source'], { key: name })),
        }),
      )
    }
  }

  /** An event has the same fields wherever it is declared (E375). */
  #checkEvents(): void {
    const declared = new Map<string, { label: string; fields: readonly string[] }>()
    for (const node of this.#graph.nodes) {
      const planned = this.#planned.get(node.name)
      if (planned?.kind !== 'step' || planned.type !== 'transform') continue
      for (const [index, { name, fields = [] }] of (planned.plan as TransformPlan).log.entries()) {
        const other = declared.get(name)
        if (!other) {
          declared.set(name, { label: node.label, fields })
          continue
        }
        if (fields.length === other.fields.length && fields.every((field) => other.fields.includes(field))) continue
        const shown = (list: readonly string[]): string => (list.length > 0 ? list.join(', ') : 'no fields')
        this.#faults.add(
          new ClinkerError('E375', {
            message: `log "${name}" shows ${shown(fields)}, and in ${other.label} ${shown(other.fields)}`,
            node: node.label,
            help: 'give both the same fields, or rename one',
            ...placed(this.#document.place([...node.path, 'config', 'log', index])),
          }),
        )
      }
    }
  }

  /** Two destinations must not be one file: outputs (E322), dead letters of several sources (E318). */
  #checkFiles(): void {
    const taken = new Map<string, { label: string; letters: boolean }>()
    const claim = (written: string, label: string, letters: boolean, at: readonly (string | number)[]): void => {
      if (written === standardStream && letters) return
      const file = written === standardStream ? written : path.resolve(this.#base, written)
      const other = taken.get(file)
      if (!other) {
        taken.set(file, { label, letters })
        return
      }
      this.#faults.add(
        new ClinkerError(other.letters && letters ? 'E318' : 'E322', {
          message: `it writes "${written}", and so does ${other.label}`,
          node: label,
          help: 'give each its own path',
          ...placed(this.#document.place(at)),
        }),
      )
    }
    for (const node of this.#graph.nodes) {
      const planned = this.#planned.get(node.name)
      if (planned?.kind === 'output') claim(planned.path.text, node.label, false, [...node.path, 'config', 'path'])
    }
    const { dlq } = this.#settings
    if (!dlq) return
    const at = ['error_handling', 'dlq']
    const paths = [
      { written: dlq.path, label: 'the DLQ', at: [...at, 'path'] },
      ...[...dlq.per_source].map(([source, entry]) => ({
        written: entry.path,
        label: `the DLQ of source "${source}"`,
        at: [...at, 'per_source', source, 'path'],
      })),
    ]
    for (const { written, label, at } of paths) {
      if (written === undefined) continue
      const rules = {
        node: label,
        place: this.#document.place(at),
        allowAbsolute: this.#options.allowAbsolutePaths ?? false,
      }
      const checked = this.#faults.try(() => checkedPath(written, rules))
      if (checked !== undefined) claim(checked, label, true, at)
    }
  }

  #warn(code: string, details: ErrorDetails): void {
    this.warnings.push(new ClinkerError(code, details))
  }
}
