import type { Writable } from 'node:stream'
import * as v from 'valibot'
import { bareEnvironment, type Scope, type UserFunction, type UserFunctions, userFunctions } from '../lib/cxl/engine.ts'
import { ClinkerError } from '../lib/diagnostics/index.ts'
import { MemoryBudget, SpillFolder } from '../lib/memory/index.ts'
import type { Shape } from '../lib/record/shape.ts'
import type { DeadLetter, Edge, NodeDefinition, PlanContext, RunContext } from './node.ts'
import { checkOptions, text } from './options.ts'
import type { ShellOptions } from './shell/index.ts'

/** Options that every factory takes besides those of its node. */
export interface NodeOptions extends ShellOptions {
  /** What messages, stamps and dead letters call the node. Default: its type. */
  name?: string
  /** The budget that buffered records are charged to; several nodes may share one. Default: one of its own, 512M. */
  memory?: MemoryBudget
  /** The folder in which spill files are made. Default: the system's temporary folder. */
  spill_dir?: string
  /** Whether a record that cannot be processed stops the stream or becomes a dead letter. Default: `fail_fast`. */
  on_error?: 'fail_fast' | 'continue'
  /** Functions of yours that the CXL of the node may call: `{ geo_hash: { signature: '(lat: float, lon: float) -> string', run } }`. */
  functions?: Readonly<Record<string, UserFunction>>
}

/** Budget of a node that is given none. */
const ownBudget = '512M'

const nodeEntries = {
  name: v.optional(text('a name')),
  memory: v.optional(v.instance(MemoryBudget, 'a MemoryBudget')),
  spill_dir: v.optional(text('a path')),
  on_error: v.optional(v.picklist(['fail_fast', 'continue']), 'fail_fast'),
  dead_letters: v.optional(v.custom<Writable>(isWritable, 'a Writable')),
  batch: v.optional(v.boolean(), false),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  functions: v.optional(v.unknown()),
}

/** A node made by a factory: its config, and what stands in for the runner. */
export interface FromCode<Config> {
  readonly config: Config
  readonly plan: PlanContext
  readonly run: RunContext
  readonly shell: ShellOptions
  /** Gives back what `run` holds; the budget stays, others may use it. */
  close(): void
}

/** Checks what a factory was given; throws at once when an option is wrong. */
export function fromCode<Config>(definition: NodeDefinition<Config>, given: unknown): FromCode<Config> {
  const { type } = definition
  const entries = (definition.config as unknown as { entries: v.ObjectEntries }).entries
  const schema = v.strictObject({ ...entries, ...nodeEntries })
  const written = (given as { name?: unknown } | null | undefined)?.name
  const label = typeof written === 'string' ? `${type} "${written}"` : type
  const options = checkOptions(schema, given ?? {}, { node: label })
  const {
    name = type,
    memory,
    spill_dir,
    on_error,
    dead_letters,
    batch,
    signal,
    functions: givenFunctions,
    ...config
  } = options as v.InferOutput<v.StrictObjectSchema<typeof nodeEntries, undefined>>
  const functions = givenFunctions === undefined ? undefined : ownFunctions(givenFunctions, nodeLabel(type, name))
  const folder = new SpillFolder(spill_dir)
  const warn = (message: string): void => process.emitWarning(message, { type: 'ClinkerWarning' })
  const shell: ShellOptions = {
    batch,
    ...(signal ? { signal } : {}),
    ...(dead_letters ? { dead_letters } : {}),
  }
  let told = false
  const run: RunContext = {
    budget: memory ?? new MemoryBudget(ownBudget),
    folder,
    environment: bareEnvironment(name),
    on_error,
    report(letter: DeadLetter) {
      if (dead_letters) dead_letters.write(letter)
      else if (!told) warn(`${letter.detail}; give dead_letters to receive such records, no more of them will be told`)
      told = true
    },
    warn,
    log: (_, message) => warn(message),
    ...shell,
    batch,
  }
  return { config: config as Config, plan: codeContext(type, name, functions), run, shell, close: () => folder.close() }
}

/** What is known of the records of a shape, which is all that is known when there is no plan. */
export function edgeOf(shape: Shape): Edge {
  return {
    columns: shape.columns.slice(0, shape.declared),
    carries: true,
    audited: true,
    ...(isOpen(shape) ? { open: true } : {}),
  }
}

/** What is known before the first record has come, and of records without a schema: any column may be there, or not. */
export const openEdge: Edge = { columns: [], carries: true, audited: true, open: true }

/**
 * Whether nothing is known of the columns but their names: plain objects, or records read without a schema. The next one may have
 * others, so a name that this one lacks is null and no mistake.
 */
function isOpen(shape: Shape): boolean {
  for (let index = 0; index < shape.declared; index++) if (shape.columns[index]?.type.name !== 'any') return false
  return true
}

function isWritable(value: unknown): boolean {
  return typeof (value as Writable | null)?.write === 'function'
}

/** The functions of a node, checked; what is wrong with them is told with its name. */
function ownFunctions(given: unknown, node: string): UserFunctions {
  try {
    return userFunctions(given)
  } catch (error) {
    if (!(error instanceof ClinkerError)) throw error
    const { code, reason: message, help, actual } = error
    throw new ClinkerError(code, { node, message, actual, ...(help === undefined ? {} : { help }) })
  }
}

function codeContext(type: string, name: string, functions: UserFunctions | undefined): PlanContext {
  return {
    name,
    node: nodeLabel(type, name),
    scope: (edge): Scope => ({
      ...(edge && !edge.open && { columns: new Map(edge.columns.map((column) => [column.name, column.type])) }),
      ...(functions && { functions }),
    }),
    place: () => undefined,
  }
}

function nodeLabel(type: string, name: string): string {
  return name === type ? type : `${type} "${name}"`
}
