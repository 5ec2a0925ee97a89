import { createReadStream, readFileSync } from 'node:fs'
import { type Duplex, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { getDescription, type GenericSchema } from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { MemoryBudget } from '../../lib/memory/index.ts'
import * as csv from '../../streams/csv/index.ts'
import { json, ndjson } from '../../streams/json/index.ts'
import type { DeadLetter, NodeDefinition } from '../../streams/node.ts'
import { YamlDocument } from '../plan/document.ts'
import { checkedLimit, defaultLimit } from '../plan/settings.ts'
import { reasonOf } from '../run/publication.ts'
import { Exit, refuse, type Streams } from './program.ts'

/** Formats that filters read and write. */
const formats = ['csv', 'json', 'ndjson'] as const
type Format = (typeof formats)[number]

interface FilterFlags {
  from?: string
  to?: string
  schema?: string
  config?: string
  memoryLimit?: string
  spillDir?: string
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

/**
 * The shell filter of a node: standard input (or a file) in, standard output out. Its flags are the keys of the node's config; what is
 * not a plain text is given as YAML.
 */
export function filterCommand(
  streams: Streams,
  definition: NodeDefinition<never>,
  factory: (config: Record<string, unknown> & FactoryOptions) => Duplex,
): Command {
  const command = formatFlags(new Command().description(definition.summary))
    .option('--config <file>', 'a YAML file with the config of the node')
    .option('--on-error <what>', 'fail_fast, or continue: leave failed records out and report them', 'fail_fast')
  const keys = entriesOf(definition.config)
  for (const [key, schema] of keys) {
    command.option(
      `--${key.replaceAll('_', '-')} <value>`,
      getDescription(schema as never) ?? `\`${key}\` of the config`,
    )
  }
  return command.action(async (file: string | undefined, flags: FilterFlags) => {
    const { onError } = flags
    if (onError !== 'fail_fast' && onError !== 'continue') {
      refuse(`--on-error must be fail_fast or continue, got "${onError}"`)
    }
    const config = configOf(flags, keys)
    const letters = letterSink(streams)
    const node = factory({ ...config, ...storage(flags), batch: true, on_error: onError, dead_letters: letters.sink })
    await flow(streams, file, flags, [node])
    if (letters.count() > 0) throw new Exit(2)
  })
}

/** The budget of a filter, and where it spills. */
function storage({ memoryLimit, spillDir }: FilterFlags): { memory: MemoryBudget; spill_dir?: string } {
  const limit = memoryLimit ? checkedLimit(memoryLimit, '--memory-limit') : defaultLimit
  return { memory: new MemoryBudget(limit), ...(spillDir ? { spill_dir: spillDir } : {}) }
}

/** Adds what every filter has: the file, the two formats, the schema. */
export function formatFlags(command: Command): Command {
  return command
    .argument('[file]', 'the file to read; standard input without one')
    .option('--from <format>', `format that is read: ${formats.join(', ')}; by the file's name without it, else ndjson`)
    .option('--to <format>', `format that is written: ${formats.join(', ')}; without it the one that is read`)
    .option('--memory-limit <size>', 'memory for buffered records, such as 64M; 512M without it')
    .option('--spill-dir <folder>', 'where spill files are made')
    .option('--schema <file>', 'a .schema.yaml file with the columns; without one every CSV column is a text')
}

/** Pipes a file through the nodes to standard output. */
export async function flow(
  { stdin, stdout }: Streams,
  file: string | undefined,
  flags: FilterFlags,
  nodes: readonly Duplex[],
): Promise<void> {
  const from = formatOf('--from', flags.from) ?? formatOfFile(file) ?? 'ndjson'
  const to = formatOf('--to', flags.to) ?? from
  const schema = flags.schema === undefined ? undefined : readYaml(flags.schema)
  const input = file === undefined ? stdin : createReadStream(file, { highWaterMark: readAtOnce })
  const options = {
    name: file ?? 'stdin',
    batch: true,
    ...(schema === undefined ? {} : { schema: schema as never }),
    ...(file === undefined ? {} : { file }),
  }
  const parser = from === 'csv' ? csv.parse(options) : from === 'json' ? json.parse(options) : ndjson.parse(options)
  const writer =
    to === 'csv' ? csv.stringify(storage(flags)) : to === 'json' ? json.stringify({}) : ndjson.stringify({})
  try {
    await pipeline([input, parser, ...nodes, writer, leftOpen(stdout)] as unknown as [NodeJS.ReadableStream, Writable])
  } catch (error) {
    throw asDiagnostic(error, file)
  }
}

const readAtOnce = 128 * 1024

/** Writes to standard output and leaves it open; an error of the device comes out here. */
function leftOpen(stdout: Writable): Writable {
  return new Writable({
    highWaterMark: readAtOnce,
    write: (chunk: Buffer, _encoding, callback) => {
      stdout.write(chunk, callback)
    },
  })
}

function asDiagnostic(error: unknown, file: string | undefined): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof ClinkerError || code === undefined) return error
  if (code === 'EPIPE') return new Exit(0)
  const what = syscall === 'write' ? 'cannot write to standard output' : `cannot read "${file ?? 'standard input'}"`
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
  const ending = file?.split('.').at(-1)?.toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : formats.find((format) => format === ending)
}

function configOf(flags: FilterFlags, keys: readonly [string, unknown][]): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  if (flags.config !== undefined) Object.assign(config, readYaml(flags.config))
  for (const [key, schema] of keys) {
    const written = flags[camelCase(key)]
    if (typeof written === 'string') config[key] = isText(schema) ? written : parseYaml(written, `--${key}`)
  }
  return config
}

/** Whether the value of a key is taken as it stands: text, CXL. */
function isText(schema: unknown): boolean {
  const { type, wrapped } = schema as { type?: string; wrapped?: unknown }
  return wrapped ? isText(wrapped) : type === 'string' || type === 'custom' || type === 'picklist'
}

function entriesOf(schema: GenericSchema<unknown, unknown>): [string, unknown][] {
  return Object.entries((schema as unknown as { entries: Record<string, unknown> }).entries)
}

function readYaml(file: string): object {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return refuse(`cannot read "${file}": ${reasonOf(error)}`)
  }
  return parseYaml(text, file) as object
}

function parseYaml(text: string, name: string): unknown {
  const document = new YamlDocument(text, name)
  const [error] = document.errors
  if (error) throw error
  return document.value
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
      if (letter.trigger) stderr.write(`${letter.category}: ${row > 0 ? `row ${row}: ` : ''}${letter.detail}\n`)
      callback()
    },
  })
  return { sink, count: () => count }
}
