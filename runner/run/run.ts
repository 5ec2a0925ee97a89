import { resolve } from 'node:path'
import { type Duplex, finished, Readable, type Writable } from 'node:stream'
import type { LogLevel } from '../../lib/cxl/engine.ts'
import { ClinkerError, ClinkerErrors } from '../../lib/diagnostics/index.ts'
import { MemoryBudget, SpillFolder } from '../../lib/memory/index.ts'
import type { DeadLetter, RunContext } from '../../streams/node.ts'
import { markOwn } from '../../streams/shell/index.ts'
import { fuseTransforms, type TransformPlan } from '../../streams/transform.ts'
import {
  type PipelineInput,
  type Plan,
  type PlannedNode,
  type PlannedOutput,
  type PlannedSource,
  plan,
  type PlanOptions,
} from '../plan/plan.ts'
import { DeadLetters } from './dead-letters.ts'
import { type Counters, RunEnvironment } from './environment.ts'
import { findFiles, type InputFile } from './find-files.ts'
import { type OutputSink, openOutput } from './output.ts'
import { isClosedPipe, Publication, reasonOf, StreamFile } from './publication.ts'
import { readSource, type SourceReading } from './source.ts'

export interface RunOptions extends PlanOptions {
  /** Where spill files are made. Default: the system's temporary folder. */
  spillDir?: string
  /** Fills `{batch_id}` and `$pipeline.batch_id`. Default: a UUID. */
  batchId?: string
  /** Overrules `if_exists: error`. Default: false. */
  force?: boolean
  /** More dead letters than this stop the run. */
  errorThreshold?: number
  /** Reads at most so many records of each source, and writes to `stdout` what would be written to files. */
  sample?: number
  /** Cancels the run: exit status 130, no file is changed. */
  signal?: AbortSignal
  /** What a source with the path `-` reads. Default: standard input. */
  stdin?: Readable
  /** What an output with the path `-` writes. Default: standard output. */
  stdout?: Writable
  /** Takes warnings and notes as they come. Default: they are in the result only. */
  onMessage?: (level: LogLevel, message: string) => void
  /** Gets, when the run begins, a function that tells how far it is, and the memory limit in bytes. */
  onStart?: (progress: () => Progress, limit: number) => void
}

/** How far a run is. */
export interface Progress {
  readonly records: number
  /** Bytes read of the files, and of how many; 0 where that is not known. */
  readonly bytes: number
  readonly bytesInAll: number
  readonly memory: number
  readonly memoryLimit: number
  readonly spilled: number
}

/** How a run has ended. */
export interface RunResult {
  /** 0 clean, 1 configuration, 2 with dead letters, 3 data error, 4 I/O or format, 130 cancelled. */
  readonly exit: number
  /** Whether every record is through: false for a failed or cancelled run, and when the reader of standard output left early. */
  readonly complete: boolean
  /** What stopped the run; empty when it has finished. */
  readonly errors: readonly ClinkerError[]
  /** Warnings in order, the first 1000 of them; `onMessage` gets all. */
  readonly warnings: readonly string[]
  /** The files that have been written. */
  readonly outputs: readonly WrittenFile[]
  readonly stats: RunStats
}

export interface WrittenFile {
  /** Name of the output; of the dead letters `dlq`. */
  readonly node: string
  readonly path: string
  readonly records: number
  readonly bytes: number
}

/**
 * Counts of a run. They add up: records in and copied are those that came out, were filtered, went to the dead letters or were read
 * by nobody.
 */
export interface RunStats {
  /** Records the sources read, bad ones included. */
  readonly records_in: number
  /** Records that were made on the way: expanded, synthesized, or given to a second reader. */
  readonly added: number
  /** Records the outputs wrote. */
  readonly records_out: number
  readonly filtered: number
  readonly dead: number
  /** Records of nodes that nobody reads. */
  readonly unread: number
  readonly milliseconds: number
  readonly peak_memory: number
  readonly spilled_bytes: number
  readonly spill_files: number
  readonly nodes: readonly NodeRunStats[]
}

export interface NodeRunStats {
  readonly name: string
  readonly type: string
  readonly records_in: number
  readonly records_out: number
}

/** Runs a pipeline: the path of a file, or its text. Never throws for what is wrong with pipeline or data: the result tells. */
export async function run(input: PipelineInput, options: RunOptions = {}): Promise<RunResult> {
  let planned: Plan
  try {
    planned = await plan(input, options)
  } catch (error) {
    return { ...nothing, ...outcomeOf(error, options.signal), warnings: [] }
  }
  const running = new Run(planned, options)
  return running.result()
}

const nothing: Omit<RunResult, 'exit' | 'errors'> = {
  complete: false,
  warnings: [],
  outputs: [],
  stats: {
    records_in: 0,
    added: 0,
    records_out: 0,
    filtered: 0,
    dead: 0,
    unread: 0,
    milliseconds: 0,
    peak_memory: 0,
    spilled_bytes: 0,
    spill_files: 0,
    nodes: [],
  },
}

/** A stream of the run and what flows through it. */
interface Running {
  readonly name: string
  readonly type: string
  /** Names of the nodes that are computed in it: fused transforms share one stream. */
  readonly nodes: readonly string[]
  readonly stream: Readable
  readonly stats: () => { records_in: number; records_out: number }
  readonly readers: number
}

class Run {
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #counters: Counters = { total: 0, written: 0, dead: 0, filtered: 0 }
  readonly #budget: MemoryBudget
  readonly #folder: SpillFolder
  readonly #letters: DeadLetters
  readonly #publication = new Publication()
  readonly #environment: RunEnvironment
  readonly #warnings: string[] = []
  readonly #running: Running[] = []
  readonly #sinks: OutputSink[] = []
  /** Dead letters by the node that rejected them. */
  readonly #dead = new Map<string, number>()
  readonly #sourceCounts = new Map<string, number>()
  readonly #started = performance.now()
  readonly #readings: SourceReading[] = []
  #bytesInAll = 0

  constructor(planned: Plan, options: RunOptions) {
    this.#plan = planned
    this.#options = options
    const { settings } = planned
    this.#budget = new MemoryBudget(settings.limit)
    this.#folder = new SpillFolder(options.spillDir)
    this.#environment = new RunEnvironment(settings.name, options.batchId, this.#counters, (level, message) =>
      this.#say(level, message),
    )
    this.#letters = new DeadLetters({
      settings: settings.dlq,
      sources: planned.sources,
      threshold: options.errorThreshold,
      budget: this.#budget,
      folder: this.#folder,
    })
  }

  async result(): Promise<RunResult> {
    for (const warning of this.#plan.warnings) this.#say('warn', warning.format())
    let outcome: Pick<RunResult, 'exit' | 'errors'>
    let outputs: WrittenFile[] = []
    let complete = false
    try {
      this.#options.signal?.throwIfAborted()
      await this.#execute()
      this.#letters.finish(this.#counters.total, this.#sourceCounts)
      outputs = await this.#publish()
      outcome = { exit: this.#letters.count > 0 ? 2 : 0, errors: [] }
      complete = true
    } catch (error) {
      outcome = outcomeOf(error, this.#options.signal)
      // Outputs wait for all phases; those of a phase that never came are open still.
      await Promise.all(this.#sinks.flatMap((sink) => sink.streams).map(closeStream))
      outputs = []
    } finally {
      await this.#publication.abort()
      this.#letters.release()
    }
    const stats = this.#stats()
    this.#folder.close()
    return { ...outcome, complete, warnings: this.#warnings, outputs, stats }
  }

  /** Opens what has to be opened, and lets the records flow. */
  async #execute(): Promise<void> {
    const files = await this.#findFiles()
    const outputs = this.#plan.nodes.filter((node) => node.kind === 'output')
    const sinks = new Map<string, OutputSink>()
    for (const node of outputs) {
      const sink = await this.#openOutput(node, files)
      sinks.set(node.name, sink)
      this.#sinks.push(sink)
    }
    this.#options.onStart?.(() => this.#progress(), this.#budget.limit)

    for (const nodes of this.#plan.phases) await this.#flow(nodes, files, sinks)
  }

  /** Connects the nodes of a phase and waits until the last record is through. */
  async #flow(
    nodes: readonly PlannedNode[],
    files: ReadonlyMap<string, readonly InputFile[]>,
    sinks: ReadonlyMap<string, OutputSink>,
  ): Promise<void> {
    const before = this.#running.length
    const readable = new Map<string, Readable>()
    const fused = new Map<string, TransformPlan[]>()
    const streams: (Readable | Writable)[] = []
    for (const node of nodes) {
      const from = node.inputs[0] ?? ''
      const readers = nodes.filter((other) => other.inputs.includes(node.name))
      if (node.kind === 'source') {
        readable.set(node.name, this.#source(node, files.get(node.name) ?? [], readers.length))
      } else if (node.kind === 'output') {
        const sink = sinks.get(node.name) as OutputSink
        readable.get(from)?.pipe(sink.head)
        streams.push(...sink.streams)
      } else {
        let step = node.plan
        let names = [node.name]
        if (node.type === 'transform') {
          const chain = [...(fused.get(from) ?? []), node.plan as TransformPlan]
          names = this.#chainOf(node.name, chain.length)
          // The next transform takes this one in, when nobody else reads it.
          const [next] = readers
          if (readers.length === 1 && next?.kind === 'step' && next.type === 'transform') {
            fused.set(node.name, chain)
            readable.set(node.name, readable.get(from) as Readable)
            continue
          }
          step = fuseTransforms(chain)
        }
        const duplex = step.stream(this.#context(node.label)) as Duplex & { stats: ReturnType<Running['stats']> }
        readable.get(from)?.pipe(duplex)
        readable.set(node.name, duplex)
        this.#running.push({
          name: node.name,
          type: node.type,
          nodes: names,
          stream: duplex,
          stats: () => duplex.stats,
          readers: readers.length,
        })
      }
    }
    const running = this.#running.slice(before)
    for (const { stream, readers } of running) if (readers === 0) stream.resume()
    await this.#finished([...running.map(({ stream }) => stream), ...streams])
  }

  /** The names of the transforms fused into one, which ends with `name`. */
  #chainOf(name: string, length: number): string[] {
    const names = [name]
    while (names.length < length) {
      const node = this.#plan.nodes.find((each) => each.name === names[0])
      names.unshift(node?.inputs[0] ?? '')
    }
    return names
  }

  async #findFiles(): Promise<Map<string, InputFile[]>> {
    const files = new Map<string, InputFile[]>()
    for (const node of this.#plan.nodes) {
      if (node.kind !== 'source') continue
      files.set(node.name, await findFiles(node.files, node.label, this.#plan.base, (text) => this.#say('warn', text)))
    }
    for (const { bytes } of [...files.values()].flat()) this.#bytesInAll += bytes
    return files
  }

  #openOutput(node: PlannedOutput, files: ReadonlyMap<string, readonly InputFile[]>): Promise<OutputSink> {
    const { execution_id, batch_id } = this.#environment.pipeline
    const upstream = this.#sourcesOf(node.name)
    return openOutput(node, {
      base: this.#plan.base,
      publication: this.#publication,
      run: this.#context(node.label),
      force: this.#options.force ?? false,
      stdout: this.#options.stdout ?? process.stdout,
      sample: this.#options.sample !== undefined,
      files: upstream.flatMap((source) => files.get(source) ?? []),
      tokens: {
        execution_id,
        batch_id,
        pipeline_hash: this.#plan.hash,
        timestamp: compactTime(new Date()),
        source_name: upstream.join('_'),
      },
      onWritten: (records) => {
        this.#counters.written += records
      },
    })
  }

  /** The sources whose records reach a node. */
  #sourcesOf(name: string): string[] {
    const node = this.#plan.nodes.find((each) => each.name === name)
    if (!node) return []
    if (node.kind === 'source') return [name]
    return [...new Set(node.inputs.flatMap((input) => this.#sourcesOf(input.split('.', 1)[0] as string)))]
  }

  #source(node: PlannedSource, files: readonly InputFile[], readers: number): Readable {
    let taken = 0
    const { settings } = this.#plan
    const reading = readSource(node, files, {
      stdin: this.#options.stdin ?? process.stdin,
      date_formats: settings.date_formats,
      threshold: settings.type_error_threshold,
      sample: this.#options.sample,
      batchId: this.#environment.pipeline.batch_id,
      ingested: this.#environment.pipeline.start_time,
      report: settings.strategy === 'continue' ? (letter) => this.#reportCell(letter) : undefined,
      onRows: (good, all) => {
        taken += good
        this.#counters.total += all
        this.#sourceCounts.set(node.name, (this.#sourceCounts.get(node.name) ?? 0) + all)
      },
    })
    this.#readings.push(reading)
    const stream = Readable.from(reading.batches, { objectMode: true, highWaterMark: 1 })
    markOwn(stream)
    const stats = () => ({ records_in: this.#sourceCounts.get(node.name) ?? 0, records_out: taken })
    this.#running.push({
      name: node.name,
      type: 'source',
      nodes: [node.name],
      stream,
      stats,
      readers,
    })
    return stream
  }

  #context(label: string): RunContext {
    return {
      budget: this.#budget,
      folder: this.#folder,
      environment: this.#environment,
      on_error: this.#plan.settings.strategy,
      report: (letter) => this.#report(letter),
      warn: (message) => this.#say('warn', message.includes(label) ? message : `${label}: ${message}`),
      log: (level, message) => this.#say(level, message),
      batch: true,
    }
  }

  #report(letter: DeadLetter): void {
    this.#counters.dead++
    const [kind = '', node = ''] = letter.stage.split(':')
    const name = kind === 'source' ? letter.source.name : node
    this.#dead.set(name, (this.#dead.get(name) ?? 0) + 1)
    this.#letters.add(letter)
  }

  /** A bad cell can only be put aside when there is somewhere to put it (spec/5, Error handling). */
  #reportCell(letter: DeadLetter): void {
    if (!this.#plan.settings.dlq) {
      throw new ClinkerError('E126', {
        message: `${letter.detail}; under \`continue\` this needs a dlq block`,
        node: `source "${letter.source.name}"`,
        help: 'add `dlq: { path: dead.csv }` to error_handling',
        exit: 1,
      })
    }
    this.#report(letter)
  }

  /** Waits for every stream; the first error, or an abort, closes all of them. */
  async #finished(streams: readonly (Readable | Writable)[]): Promise<void> {
    const { signal } = this.#options
    let stop: (error: unknown) => void = () => undefined
    const stopped = new Promise<never>((_, reject) => {
      stop = reject
    })
    const abort = (): void => stop(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    const closed = streams.map((stream) => {
      // An error that comes while all is being closed must find a listener.
      stream.on('error', () => undefined)
      return new Promise<void>((resolve) => {
        finished(stream, (error) => {
          if (error) stop(error)
          else resolve()
        })
      })
    })
    try {
      await Promise.race([Promise.all(closed), stopped])
    } catch (error) {
      for (const reading of this.#readings) reading.stop()
      await Promise.all(streams.map(closeStream))
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  async #publish(): Promise<WrittenFile[]> {
    const written: WrittenFile[] = this.#sinks.flatMap((sink) => sink.written())
    if (this.#options.sample !== undefined) {
      await this.#showSamples()
      return []
    }
    for (const { path, count, text } of this.#letters.files()) {
      const file = await this.#publication.open(resolve(this.#plan.base, path), path)
      for (const piece of text) await file.add(piece)
      await file.end()
      written.push({ node: 'dlq', path, records: count, bytes: file.bytes })
    }
    await this.#publication.commit()
    return written
  }

  /** Prints what the outputs would have written; when there are several, each below its name. */
  async #showSamples(): Promise<void> {
    const samples = this.#sinks.flatMap((sink) => sink.samples())
    const stdout = new StreamFile('-', this.#options.stdout ?? process.stdout)
    for (const { target, text } of samples) {
      await stdout.add(samples.length > 1 ? `==> ${target} <==\n${text}` : text)
    }
  }

  #progress(): Progress {
    return {
      records: this.#counters.total,
      bytes: this.#readings.reduce((sum, reading) => sum + reading.bytes(), 0),
      bytesInAll: this.#bytesInAll,
      memory: this.#budget.used,
      memoryLimit: this.#budget.limit,
      spilled: this.#folder.written,
    }
  }

  #stats(): RunStats {
    let added = 0
    let filtered = 0
    let unread = 0
    const nodes = this.#running.map(({ name, type, nodes: names, stats, readers }): NodeRunStats => {
      const { records_in, records_out } = stats()
      const dead = names.reduce((sum, each) => sum + (this.#dead.get(each) ?? 0), 0)
      const gone = records_in - records_out - dead
      if (gone > 0) filtered += gone
      else added -= gone
      if (readers === 0) unread += records_out
      else added += records_out * (readers - 1)
      return { name, type, records_in, records_out }
    })
    let records_out = 0
    for (const sink of this.#sinks) {
      const { records_in, records_out: taken } = sink.stats()
      // A writer can refuse a record, too.
      const dead = this.#dead.get(sink.name) ?? 0
      const out = taken - dead
      records_out += out
      filtered += records_in - taken
      nodes.push({ name: sink.name, type: 'output', records_in, records_out: out })
    }
    return {
      records_in: this.#counters.total,
      added,
      records_out,
      filtered,
      dead: this.#counters.dead,
      unread,
      milliseconds: Math.round(performance.now() - this.#started),
      peak_memory: this.#budget.peak,
      spilled_bytes: this.#folder.written,
      spill_files: this.#folder.files,
      nodes,
    }
  }

  #say(level: LogLevel, message: string): void {
    if (level === 'warn' && this.#warnings.length < warningsKept) this.#warnings.push(message)
    this.#options.onMessage?.(level, message)
  }
}

/** A warning a record must not grow the result with the input. */
const warningsKept = 1000

/** Destroys a stream and waits until it has let go of what it held. */
function closeStream(stream: Readable | Writable): Promise<void> {
  if (stream.closed) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', () => resolve())
    stream.destroy()
  })
}

/** What a run that was stopped by `error` ends with. */
function outcomeOf(error: unknown, signal: AbortSignal | undefined): Pick<RunResult, 'exit' | 'errors'> {
  if (signal?.aborted) return { exit: 130, errors: [] }
  if (error instanceof ClinkerErrors) return { exit: error.exit, errors: error.errors }
  if (error instanceof ClinkerError) return { exit: error.exit, errors: [error] }
  // Who reads our output has seen enough.
  if (isClosedPipe(error)) return { exit: 0, errors: [] }
  if (typeof (error as NodeJS.ErrnoException).errno === 'number')
    return wrapped('OutputFailure', reasonOf(error), 4, error)
  return wrapped('E314', `a fault of the engine: ${(error as Error).stack ?? String(error)}`, 1, error)
}

function wrapped(code: string, message: string, exit: number, cause: unknown): Pick<RunResult, 'exit' | 'errors'> {
  return { exit, errors: [new ClinkerError(code, { message, exit, cause })] }
}

/** `20240705T080910`, UTC: a time that can stand in a file name. */
function compactTime(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d+Z$/g, '')
}
