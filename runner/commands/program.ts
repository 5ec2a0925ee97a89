import { createRequire } from 'node:module'
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Command, CommanderError } from 'commander'
import { ClinkerError } from '../../lib/diagnostics/index.ts'

/** What a command reads and writes. Data goes to `stdout`, everything else that is said to `stderr`. */
export interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

/** A command of a program: what `--help` says of it, and the file that has it. */
interface LazyCommand {
  readonly summary: string
  readonly load: () => Promise<{ command: (streams: Streams) => Command }>
}

export interface Program {
  readonly name: string
  readonly description: string
  readonly commands: Readonly<Record<string, LazyCommand>>
  /** Status for arguments that make no sense. */
  readonly badArguments: number
}

/** Ends a command with an exit status, and a message if nothing has been said yet. */
export class Exit extends Error {
  readonly status: number

  constructor(status: number, message = '') {
    super(message)
    this.status = status
  }
}

/** Refuses an argument the way the parser does: exit status 1. */
export function refuse(message: string): never {
  throw new Exit(1, `error: ${message}`)
}

/** Does work that SIGINT and SIGTERM cancel. A second signal ends the process at once. */
export async function cancellable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  const cancel = (): void => {
    if (controller.signal.aborted) process.exit(cancelled)
    controller.abort(new Error('cancelled'))
  }
  process.on('SIGINT', cancel).on('SIGTERM', cancel)
  try {
    return await work(controller.signal)
  } finally {
    process.off('SIGINT', cancel).off('SIGTERM', cancel)
  }
}

/** Status of a command that a signal ended. */
export const cancelled = 130

/** A whole number given as the value of a flag. */
export function wholeNumber(flag: string, written: string): number {
  if (!/^\d+$/.test(written) || !Number.isSafeInteger(Number(written))) {
    refuse(`${flag} must be a whole number, got "${written}"`)
  }
  return Number(written)
}

/** Runs the command that the arguments name, loading only that one. Gives the exit status. */
export async function runProgram(program: Program, args: readonly string[], streams: Streams): Promise<number> {
  const root = new Command(program.name)
    .description(program.description)
    .version(version(), '-V, --version', 'print the version')
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
    })
    .showHelpAfterError(`(\`${program.name} --help\` tells more)`)
    .exitOverride()
  for (const [name, { summary, load }] of Object.entries(program.commands)) {
    const command = name === args[0] ? (await load()).command(streams) : new Command()
    root.addCommand(command.name(name).summary(summary).copyInheritedSettings(root))
    command.showHelpAfterError(`(\`${program.name} ${name} --help\` tells more)`)
  }
  try {
    await root.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return statusOf(error, program, streams)
  }
}

function statusOf(error: unknown, program: Program, { stderr }: Streams): number {
  if (error instanceof Exit) {
    if (error.message !== '') stderr.write(`${error.message}\n`)
    return error.status
  }
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : program.badArguments
  if (!(error instanceof ClinkerError)) throw error
  stderr.write(`${error.format()}\n`)
  return error.exit
}

/** Runs a program as this process. A reader of standard output that has seen enough (`| head`) is no error. */
export async function runAsProcess(
  main: (args: readonly string[], streams: Streams) => Promise<number>,
): Promise<void> {
  let fault: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error) => {
    fault ??= error
  })
  process.exitCode = await main(process.argv.slice(2), process)
  await setImmediate()
  if (!fault || fault.code === 'EPIPE' || process.exitCode !== 0) return
  process.stderr.write(`cannot write to standard output: ${fault.message}\n`)
  process.exitCode = 4
}

function version(): string {
  const require = createRequire(import.meta.url)
  return (require('clinker-streams/package.json') as { version: string }).version
}
