import { readFileSync, existsSync } from 'node:fs'
import { type Duplex, type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { getDescription } from 'valibot'
import { ClinkerError, ClinkerErrors } from '../../lib/diagnostics/index.ts'
import { MemoryBudget } from '../../lib/memory/index.ts'
import { mapEntries } from '../../lib/record/map.ts'
import type { Column } from '../../lib/record/shape.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import * as csv from '../../streams/csv/index.ts'
import { json, ndjson } from '../../streams/json/index.ts'
import type { ConfigPath, DeadLetter, Edge, NodeDefinition, PlanContext } from '../../streams/node.ts'
import { checkOptions } from '../../streams/options.ts'
import { YamlDocument } from '../plan/document.ts'
import { standardStream } from '../plan/paths.ts'
import { checkedLimit, defaultLimit } from '../plan/settings.ts'
import { inputFailure, openInput } from '../run/open-input.ts'
import { reasonOf } from '../run/publication.ts'
import { suitHeap } from './heap.ts'
import { cancellable, cancelled, Exit, refuse, type Streams } from './program.ts'

/** Formats that filters read and write. */
const formats = ['csv', 'json', 'ndjson'] as const
type Format = (typeof formats)[number]

interface FormatFlags {
  from?: string
  to?: string
  schema?: string
  memoryLimit?: string
  spillDir?: string
}

interface FilterFlags extends FormatFlags {
  config?: string
  onError?: string
  [flag: string]: unknown
}

/** What a filter gives the factory of its node besides the config. */
interface FactoryOptions {
  batch: true
  dead_letters: Writable
  memory: MemoryBudget
  spill_dir?: string
  on_error: 'fail_fast' | 'continue'
}

/** What `--help` of a filter shows besides its flags, and the key that its first argument gives when no flag does. */
interface FilterForm {
  readonly examples: readonly string[]
  readonly argument?: Argument
}

interface Argument {
  readonly key: string
  readonly name: string
  readonly description: string
}

/** A node between a parser and a writer. */
interface Step {
  readonly stream: Duplex
  /** The columns behind the node: the header of a CSV without a record. */
  columnsBehind(columns: readonly Column[]): readonly Column[]
}

/**
 * The shell filter of a node: standard input (or a file) in, standard output out. Its flags are the keys of the node's config; what is
 * not a plain text is given as YAML.
 */
export function filterCommand(
  streams: Streams,
  definition: NodeDefinition<never>,
  factory: (config: Record<string, unknown> & FactoryOptions) => Duplex,
  { argument, examples }: FilterForm,
): Command {
  const command = new Command().description(definition.summary)
  if (argument) command.argument(`[${argument.name}]`, argument.description)
  command.argument('[file]', fileArgument)
  const keys = entriesOf(definition)
  for (const [key, schema] of keys) {
    command.option(
      `--${dashed(key)} <${kindOf(schema)}>`,
      getDescription(bare(schema) as never) ?? `\`${key}\` of the config`,
    )
  }
  command.option('--config <file>', 'a YAML file with the config of the node')
  command.option('--on-error <what>', 'fail_fast, or continue: leave failed records out and report them', 'fail_fast')
  formatFlags(command, examples)
  return command.action(async (...given: [...(string | undefined)[], FilterFlags, Command]) => {
    const flags = given.at(-2) as FilterFlags
    const { onError } = flags
    if (onError !== 'fail_fast' && onError !== 'continue') {
      refuse(`--on-error must be fail_fast or continue, got "${onError}"`)
    }
    const file = argument
      ? fileBehind(argument, given.slice(0, 2) as (string | undefined)[], flags)
      : (given[0] as string | undefined)
    const config = new FilterConfig(definition, keys, flags)
    const letters = letterSink(streams)
    const stream = config.located(() => {
      const options = { ...storage(flags), batch: true, on_error: onError, dead_letters: letters.sink } as const
      return factory({ ...config.checked(), ...options })
    })
    const columnsBehind = (columns: readonly Column[]): readonly Column[] => config.columnsBehind(columns)
    try {
      await flow(streams, file, flags, [{ stream, columnsBehind }])
    } catch (error) {
      throw config.withPlace(error)
    }
    if (letters.count() > 0) throw new Exit(2)
  })
}

/** The file among the arguments, when the first of them may be the value of a key; that goes to the flags. */
function fileBehind(
  { key, name }: Argument,
  [first, second]: (string | undefined)[],
  flags: FilterFlags,
): string | undefined {
  if (flags.config !== undefined || flags[camelCase(key)] !== undefined) {
    if (second !== undefined) refuse(`the ${name} is given by a flag, so there can be one argument, the file`)
    return first
  }
  if (first === undefined) refuse(`give the ${name}: as the first argument, by --${dashed(key)} or by --config`)
  if (second === undefined && existsSync(first)) {
    refuse(`"${first}" is a file; give the ${name} before it, by --${dashed(key)} or by --config`)
  }
  flags[camelCase(key)] = first
  return second
}

/** The config of a filter: a YAML file, and flags over it. */
class FilterConfig {
  readonly #definition: NodeDefinition<never>
  readonly #document: YamlDocument | undefined
  readonly #value: Record<string, unknown> = {}
  readonly #fromFlags = new Set<string>()

  constructor(definition: NodeDefinition<never>, keys: readonly [string, unknown][], flags: FilterFlags) {
    this.#definition = definition
    if (flags.config !== undefined) {
      this.#document = readYaml(flags.config)
      const value = this.#document.value ?? {}
      if (typeof value !== 'object' || Array.isArray(value)) {
        throw new ClinkerError('E000', {
          message: `${flags.config} must be a mapping with the config of a ${definition.type}`,
          ...this.#placeOf([]),
        })
      }
      Object.assign(this.#value, Object.fromEntries(mapEntries(value as ValueMap)))
    }
    for (const [key, schema] of keys) {
      const written = flags[camelCase(key)]
      if (typeof written !== 'string') continue
      this.#value[key] = valueOf(written, schema, `--${dashed(key)}`)
      this.#fromFlags.add(key)
    }
  }

  /** The keys of the node's config, and no others. */
  checked(): Record<string, unknown> {
    const node = this.#definition.type
    checkOptions(this.#definition.config, this.#value, {
      node,
      place: (path, options) =>
        this.#fromFlags.has(String(path[0])) ? undefined : this.#document?.place(path, options),
    })
    return this.#value
  }

  columnsBehind(columns: readonly Column[]): readonly Column[] {
    const node = this.#definition.type
    const context: PlanContext = {
      name: node,
      node,
      scope: (edge) => (edge ? { columns: new Map(edge.columns.map(({ name, type }) => [name, type])) } : {}),
      place: () => undefined,
    }
    const input: Edge = { columns, carries: true, audited: false }
    return this.#definition.plan(this.#value as never, input, context).output.columns
  }

  located<Result>(compute: () => Result): Result {
    try {
      return compute()
    } catch (error) {
      throw this.withPlace(error)
    }
  }

  /** Errors in CXL say where in the text; the text stands in the file. */
  withPlace(error: unknown): unknown {
    if (error instanceof ClinkerErrors) {
      return new ClinkerErrors(error.errors.map((each) => this.withPlace(each) as ClinkerError))
    }
    if (!(error instanceof ClinkerError) || error.place?.file !== undefined) return error
    const path = error.place?.text === undefined ? undefined : pathOf(error.place.text, this.#value, [])
    if (!path || !this.#document || this.#fromFlags.has(String(path[0]))) return error
    const { code, reason: message, node, help, expected, actual, exit } = error
    const place = this.#document.placeInside(path, error.place as { line: number; column: number })
    return new ClinkerError(code, {
      message,
      expected,
      actual,
      exit,
      cause: error,
      ...(node === undefined ? {} : { node }),
      ...(help === undefined ? {} : { help }),
      ...(place ? { place } : {}),
    })
  }

  #placeOf(path: ConfigPath) {
    const place = this.#document?.place(path)
    return place ? { place } : {}
  }
}

/** The path of a text in a config. */
function pathOf(text: string, value: unknown, path: ConfigPath): ConfigPath | undefined {
  if (value === text) return path
  if (typeof value !== 'object' || value === null) return undefined
  const list = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    const found = pathOf(text, item, [...path, list ? Number(key) : key])
    if (found) return found
  }
  return undefined
}

/** The budget of a filter, and where it spills. */
function storage({ memoryLimit, spillDir }: FormatFlags): { memory: MemoryBudget; spill_dir?: string } {
  const limit = memoryLimit ? checkedLimit(memoryLimit, '--memory-limit') : defaultLimit
  suitHeap(limit)
  return { memory: new MemoryBudget(limit), ...(spillDir ? { spill_dir: spillDir } : {}) }
}

/** What the argument of every filter is. */
export const fileArgument = 'the file to read; standard input without one, or for -'

/** Adds the flags that every filter has: the two formats, the schema. */
export function formatFlags(command: Command, examples: readonly string[]): Command {
  return command
    .option('--from <format>', `format that is read: ${formats.join(', ')}; by the file's name without it, else ndjson`)
    .option('--to <format>', `format that is written: ${formats.join(', ')}; without it the one that is read`)
    .option('--schema <file>', 'a .schema.yaml file with the columns; without one every CSV column is a text')
    .option('--memory-limit <size>', 'memory for buffered records, such as 64M; 512M without it')
    .option('--spill-dir <folder>', 'where spill files are made')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}`)
}

/** Pipes a file through the nodes to standard output. */
export async function flow(
  { stdin, stdout }: Streams,
  file: string | undefined,
  flags: FormatFlags,
  steps: readonly Step[],
): Promise<void> {
  const path = file === standardStream ? undefined : file
  const byName = formatOfFile(path)
  const from = formatOf('--from', flags.from) ?? byName ?? 'ndjson'
  const to = formatOf('--to', flags.to) ?? from
  const parser = parserOf(from, path, flags.schema)
  const writer = writerOf(from, to, flags)
  const input = await inputOf(path, parser.node, stdin)
  const output = leftOpen(stdout)
  const nodes = steps.map(({ stream }) => stream)
  await cancellable(async (signal) => {
    try {
      await pipeline([...input, parser.stream, ...nodes, writer, output] as unknown as Chain, { signal })
    } catch (error) {
      if (signal.aborted) throw new Exit(cancelled, 'cancelled')
      throw asDiagnostic(error, parser.node, path, flags.from === undefined && byName === undefined)
    }
  })
  // Without a record there is no header yet.
  if (to !== 'csv' || writer.stats.records_in > 0) return
  const columns = steps.reduce((before, step) => step.columnsBehind(before), parser.columns())
  if (columns.length === 0) return
  const header = csv.stringify({ columns: columns.map(({ name }) => name) })
  header.end()
  await pipeline(header, leftOpen(stdout)).catch((error: unknown) => {
    throw asDiagnostic(error, parser.node, path, false)
  })
}

type Chain = [NodeJS.ReadableStream, Writable]

interface Parser {
  readonly stream: Duplex
  readonly node: string
  /** Columns that are known when no record has come. */
  columns(): readonly Column[]
}

function parserOf(from: Format, file: string | undefined, schemaFile: string | undefined): Parser {
  const name = file ?? 'stdin'
  const options = {
    name,
    batch: true,
    ...(schemaFile === undefined ? {} : { schema: schemaOf(schemaFile) as never }),
    ...(file === undefined ? {} : { file }),
  }
  const node = `source "${name}"`
  if (from !== 'csv') {
    return { stream: from === 'json' ? json.parse(options) : ndjson.parse(options), node, columns: () => [] }
  }
  const stream = csv.parse(options)
  return { stream, node, columns: () => stream.shape?.columns ?? [] }
}

function writerOf(from: Format, to: Format, flags: FormatFlags) {
  // The header of a CSV file fixes the columns of all its records, so what comes of the first can be written at once.
  const header = from === 'csv' ? 'first' : 'union'
  return to === 'csv'
    ? csv.stringify({ ...storage(flags), header })
    : to === 'json'
      ? json.stringify({})
      : ndjson.stringify({})
}

async function inputOf(file: string | undefined, node: string, stdin: Readable): Promise<readonly Readable[]> {
  if (file === undefined) return [stdin]
  return (await openInput({ name: file, path: file, bytes: 0 }, node, stdin)).streams
}

const writtenAtOnce = 128 * 1024

/** Writes to standard output and leaves it open; an error of the device comes out here. */
function leftOpen(stdout: Writable): Writable {
  return new Writable({
    highWaterMark: writtenAtOnce,
    write: (chunk: Buffer, _encoding, callback) => {
      stdout.write(chunk, callback)
    },
  })
}

/** @param guessed whether the format that is read is neither said nor known from a name */
function asDiagnostic(error: unknown, node: string, file: string | undefined, guessed: boolean): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof ClinkerError) {
    if (!guessed || error.code !== 'FormatFailure') return error
    return new ClinkerError(error.code, {
      message: error.reason,
      node,
      help: 'it is read as ndjson; for another format say --from csv or --from json',
      exit: error.exit,
      cause: error,
      ...(error.place ? { place: error.place } : {}),
    })
  }
  if (code === undefined) return error
  if (code === 'EPIPE') return new Exit(0)
  const name = file === undefined ? 'standard input' : `"${file}"`
  const failure = inputFailure(error, file ?? 'standard input', node)
  if (failure !== error) return failure
  const what = syscall === 'write' ? 'cannot write to standard output' : `cannot read ${name}`
  return new ClinkerError(syscall === 'write' ? 'OutputFailure' : 'E216', {
    message: `${what}: ${reasonOf(error)}`,
    exit: 4,
    cause: error,
  })
}

function formatOf(flag: string, written: string | undefined): Format | undefined {
  if (written === undefined) return undefined
  const known = formats.find((format) => format === written)
  if (!known) refuse(`${flag} must be one of ${formats.join(', ')}, got "${written}"`)
  return known
}

function formatOfFile(file: string | undefined): Format | undefined {
  const ending = file
    ?.replace(/\.(gz|br|zst)$/i, '')
    .split('.')
    .at(-1)
    ?.toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : formats.find((format) => format === ending)
}

/** The columns of a schema file: at its top, or under `schema`. */
function schemaOf(file: string): unknown {
  const { value } = readYaml(file)
  const under = (value as ValueMap | null)?.schema
  return Array.isArray(under) ? under : value
}

/** What a flag gives: a text as it stands, names between commas, or YAML. */
function valueOf(written: string, schema: unknown, flag: string): unknown {
  const kind = kindOf(schema)
  if (kind === 'cxl' || kind === 'text') return written
  if (kind === 'names' && !written.trimStart().startsWith('[')) return written.split(',').map((name) => name.trim())
  return parsedYaml(written, flag).value
}

/** What stands behind the flag of a key. */
function kindOf(schema: unknown): 'cxl' | 'text' | 'names' | 'number' | 'yaml' {
  const { type, wrapped, item } = schema as { type?: string; wrapped?: unknown; item?: { type?: string } }
  if (wrapped) return kindOf(wrapped)
  if (type === 'custom') return 'cxl'
  if (type === 'string' || type === 'picklist') return 'text'
  if (type === 'number') return 'number'
  return type === 'array' && item?.type === 'string' ? 'names' : 'yaml'
}

/** The keys of a config that have a use: those without a description are refused by every value. */
function entriesOf({ config }: NodeDefinition<never>): [string, unknown][] {
  const { entries } = config as unknown as { entries: Record<string, unknown> }
  return Object.entries(entries).filter(([, schema]) => getDescription(bare(schema) as never) !== undefined)
}

function bare(schema: unknown): unknown {
  const { wrapped } = schema as { wrapped?: unknown }
  return wrapped ? bare(wrapped) : schema
}

function readYaml(file: string): YamlDocument {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return refuse(`cannot read "${file}": ${reasonOf(error)}`)
  }
  return parsedYaml(text, file)
}

function parsedYaml(text: string, name: string): YamlDocument {
  const document = new YamlDocument(text, name)
  const [error] = document.errors
  if (error) throw error
  return document
}

function dashed(key: string): string {
  return key.replaceAll('_', '-')
}

function camelCase(key: string): string {
  return key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Says of each rejected record why, and counts them. */
function letterSink({ stderr }: Streams): { sink: Writable; count: () => number } {
  let count = 0
  const sink = new Writable({
    objectMode: true,
    write: (letter: DeadLetter, _encoding, callback) => {
      count++
      const { row } = letter.source
      // Most details name the row.
      const where = row > 0 && !letter.detail.includes(`row ${row} `) ? `row ${row}: ` : ''
      if (letter.trigger) stderr.write(`${letter.category}: ${where}${letter.detail}\n`)
      callback()
    },
  })
  return { sink, count: () => count }
}
