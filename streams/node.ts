import type { Duplex } from 'node:stream'
import type { GenericSchema } from 'valibot'
import type { Environment, LogLevel, Scope } from '../lib/cxl/engine.ts'
import type { ErrorDetails, Place } from '../lib/diagnostics/error.ts'
import type { MemoryBudget, SpillFolder } from '../lib/memory/index.ts'
import type { Column } from '../lib/record/shape.ts'
import type { Row, Value } from '../lib/record/value.ts'

/** What is known of the records on an edge of the graph before any data is read. */
export interface Edge {
  /** Declared and emitted columns, in order. */
  readonly columns: readonly Column[]
  /** Whether records may have further columns, out of CXL's sight. */
  readonly carries: boolean
  /** Whether the records have passed a Reshape, so that `$meta.*` tells something. */
  readonly audited: boolean
  /**
   * What an output with `include_unmapped: false` keeps: the columns the last transform emitted. Absent: all declared columns
   * (spec/3, Output).
   */
  readonly emitted?: readonly string[]
  /** Set when records may have declared columns beside `columns`: only from code, for records without a schema. */
  readonly open?: boolean
}

/** Where in a node's config something stands: `['rules', 0, 'when']`. */
export type ConfigPath = readonly (string | number)[]

/** What a node needs to be planned. The runner gives places in the YAML; a factory called from code has none. */
export interface PlanContext {
  /** Name of the node. From code: the node's type, unless the options name it. */
  readonly name: string
  /** Kind and name as messages show them: `reshape "backfill"`; from code without a name: `reshape`. */
  readonly node: string
  /** Name of the node or port whose records come in. From code there is none. */
  readonly input?: string
  /** The scope of a CXL text over the columns of `edge`, with the variables and modules that are in reach. */
  scope(edge: Edge | undefined): Scope
  /** The place of a config entry, or of a spot inside the CXL text that stands there. */
  place(path: ConfigPath, inside?: { line: number; column: number; length?: number }): Place | undefined
}

/** What a planned node may use while it runs. */
export interface RunContext {
  readonly budget: MemoryBudget
  readonly folder: SpillFolder
  readonly environment: Environment
  readonly on_error: 'fail_fast' | 'continue'
  /** Takes a rejected record. Throws when a limit on dead letters is passed. */
  report(letter: DeadLetter): void
  warn(message: string): void
  /** Takes the events that a node is asked to tell. */
  log(level: LogLevel, message: string): void
  /** Emit arrays of records instead of single ones: what the runner sets. */
  readonly batch: boolean
  readonly signal?: AbortSignal
}

/** A record that was refused, as it came into the node that refused it (spec/5, DLQ file). */
export interface DeadLetter {
  readonly category: string
  /** One sentence: why. */
  readonly detail: string
  /** `source`, `transform:<node>`, `reshape:<node>:<rule_a>+<rule_b>` … */
  readonly stage: string
  readonly route?: string
  /** True for a failure of its own, false for a record that goes with another's. */
  readonly trigger: boolean
  /** The emitted field or the column at fault; `''` when there is none. */
  readonly field: string
  /** What could not be converted; null when there is no such value. */
  readonly value: Value
  readonly record: Row
  readonly source: { readonly name: string; readonly file: string; readonly row: number }
}

/**
 * One kind of node with one input and one output. This declaration is all there is: the runner checks and plans with it, `explain`
 * and the shell filters read it, the JSON Schema and the reference page are made from it.
 */
export interface NodeDefinition<Options> {
  readonly type: string
  /** One sentence for `--help` and the reference page. */
  readonly summary: string
  /** The keys of `config`, strict: unknown ones are refused with the nearest known one. Descriptions by `v.description`. */
  readonly config: GenericSchema<unknown, Options>
  /** Whether records leave while others still come in. */
  readonly streams: boolean
  /** Lower spills first (spec/5, Memory and spill); only nodes that block have one. */
  readonly priority?: number
  /** Checks options against the input; throws every fault it finds as one error. */
  plan(options: Options, input: Edge, context: PlanContext): NodePlan
}

/** A checked node, ready to be run any number of times. */
export interface NodePlan {
  readonly output: Edge
  /** Lines for `--explain`: the CXL of the node with inferred types. */
  readonly expressions: readonly { readonly path: ConfigPath; readonly text: string; readonly type: string }[]
  readonly warnings: readonly ErrorDetails[]
  /** The node as a stream: batches (or records) in, batches (or records) out. */
  stream(context: RunContext): Duplex
}
