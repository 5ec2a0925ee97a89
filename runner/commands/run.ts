import { Command, Option } from 'commander'
import type { Plan } from '../plan/plan.ts'
import type { RunOptions, RunResult } from '../run/run.ts'
import { cancellable, cancelled, Exit, refuse, type Streams, wholeNumber } from './program.ts'
import { megabytes, showProgress } from './progress.ts'

interface Flags {
  memoryLimit?: string
  spillDir?: string
  batchId?: string
  explain?: string | true
  dryRun?: boolean
  /** `-n`. */
  n?: string
  force?: boolean
  quiet?: boolean
  errorThreshold?: string
  baseDir?: string
  rulesPath?: string
  allowAbsolutePaths?: boolean
  logLevel: string
}

const logLevels = ['error', 'warn', 'info', 'debug', 'trace']

/** `clinker run`: runs, checks or explains a pipeline file. */
export function command(streams: Streams): Command {
  return new Command()
    .description('Runs a pipeline file.')
    .argument('<config>', 'the pipeline file')
    .option('--memory-limit <size>', 'memory for buffered records, such as 64M; wins over the file')
    .option('--spill-dir <folder>', 'where spill files are made')
    .option('--batch-id <id>', 'fills {batch_id} and $pipeline.batch_id')
    .option('--explain [format]', 'print the plan as text, json, dot or mermaid, and run nothing')
    .option('--dry-run', 'check the pipeline, write no file')
    .option('-n <count>', 'with --dry-run: run so many records of each source and print the result')
    .option('--force', 'write over files in spite of `if_exists: error`')
    .option('--quiet', 'print warnings and errors only')
    .option('--error-threshold <count>', 'stop when there are more dead letters than this')
    .option('--base-dir <folder>', 'where relative paths start')
    .option('--rules-path <folder>', 'where modules are found')
    .option('--allow-absolute-paths', 'let paths in the pipeline be absolute')
    .addOption(new Option('--log-level <level>', 'how much is said').choices(logLevels).default('info'))
    .action((file: string, flags: Flags) => runFile(file, flags, streams))
}

async function runFile(file: string, flags: Flags, streams: Streams): Promise<void> {
  const say = (text: string): void => void streams.stderr.write(`${text}\n`)
  if (flags.n !== undefined && !flags.dryRun) refuse('-n works only together with --dry-run')
  const options = optionsOf(flags)
  if (flags.explain !== undefined) return explain(file, flags.explain, options, flags, streams)
  if (flags.dryRun && flags.n === undefined) return check(file, options, flags, streams)
  const { run } = await import('../run/run.ts')
  const { suitHeap } = await import('./heap.ts')
  let finishProgress = (): void => undefined
  const result = await cancellable((signal) =>
    run(file, {
      ...options,
      signal,
      stdin: streams.stdin,
      stdout: streams.stdout,
      onMessage: (level, message) => {
        if (isWanted(level, flags)) say(message)
      },
      onStart: (progress, limit) => {
        suitHeap(limit)
        if (!flags.quiet) finishProgress = showProgress(streams.stderr, progress)
      },
    }),
  )
  finishProgress()
  for (const error of result.errors) say(error.format())
  if (result.exit === cancelled) say('cancelled')
  if (!flags.quiet && result.complete) say(summary(result))
  if (result.exit !== 0) throw new Exit(result.exit)
}

function optionsOf(flags: Flags): RunOptions {
  const limit = flags.memoryLimit
  return {
    // An empty value is as good as none: scripts pass unset variables on.
    ...(limit ? { memoryLimit: limit } : {}),
    ...(flags.spillDir ? { spillDir: flags.spillDir } : {}),
    ...(flags.batchId ? { batchId: flags.batchId } : {}),
    ...(flags.n === undefined ? {} : { sample: wholeNumber('-n', flags.n) }),
    ...(flags.force ? { force: true } : {}),
    ...(flags.errorThreshold === undefined
      ? {}
      : { errorThreshold: wholeNumber('--error-threshold', flags.errorThreshold) }),
    ...(flags.baseDir ? { baseDir: flags.baseDir } : {}),
    ...(flags.rulesPath ? { rulesPath: flags.rulesPath } : {}),
    ...(flags.allowAbsolutePaths ? { allowAbsolutePaths: true } : {}),
  }
}

async function explain(
  file: string,
  written: string | true,
  options: RunOptions,
  flags: Flags,
  { stdout, stderr }: Streams,
): Promise<void> {
  const { explainFormats, explainPlan } = await import('../explain/index.ts')
  const name = written === true ? 'text' : written
  const format = explainFormats.find((known) => known === name)
  if (!format) refuse(`--explain must be one of ${explainFormats.join(', ')}, got "${name}"`)
  const { plan } = await import('../plan/plan.ts')
  const planned = await plan(file, options)
  const warnings = warningsOf(planned)
  if (format !== 'text' && isWanted('warn', flags)) for (const warning of warnings) stderr.write(`${warning}\n`)
  stdout.write(explainPlan(planned, format, options))
  if (format === 'text') for (const warning of warnings) stdout.write(`${warning}\n`)
}

/** `--dry-run`: everything that can be known without opening an input. */
async function check(file: string, options: RunOptions, flags: Flags, { stdout, stderr }: Streams): Promise<void> {
  const { plan } = await import('../plan/plan.ts')
  const planned = await plan(file, options)
  if (isWanted('warn', flags)) for (const warning of warningsOf(planned)) stderr.write(`${warning}\n`)
  for (const node of planned.nodes) {
    if (node.kind === 'output') stdout.write(`${node.name}: ${node.path.text} (if_exists: ${node.if_exists})\n`)
  }
}

function warningsOf(planned: Plan): string[] {
  return planned.warnings.map((warning) => warning.format())
}

function isWanted(level: string, flags: Flags): boolean {
  if (flags.quiet && level !== 'error' && level !== 'warn') return false
  return logLevels.indexOf(level) <= logLevels.indexOf(flags.logLevel)
}

/** One line with counts that add up. */
function summary({ stats, outputs }: RunResult): string {
  const { records_in, added, records_out, filtered, dead, unread, milliseconds, spilled_bytes } = stats
  const more = [
    [added, 'added'],
    [filtered, 'filtered'],
    [dead, dead === 1 ? 'dead letter' : 'dead letters'],
    [unread, 'read by no node'],
  ] as const
  const counts = [
    `${records_in} in`,
    `${records_out} out`,
    ...more.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])),
  ]
  const files = outputs.map(({ path }) => (path === '-' ? 'standard output' : path)).join(', ')
  const spilled = spilled_bytes > 0 ? `; spilled ${megabytes(spilled_bytes)}` : ''
  return `${counts.join(', ')} in ${(milliseconds / 1000).toFixed(2)} s${files ? `; wrote ${files}` : ''}${spilled}`
}
