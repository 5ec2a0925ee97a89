import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { ClinkerError } from '../../lib/diagnostics/index.ts'

/** A command of a program: what `--help` says of it, and the file that has it. */
export interface LazyCommand {
  readonly summary: string
  /** Loads the command. Its action throws `Exit` to end with another status than 0. */
  readonly load: () => Promise<{ command: () => Command | Promise<Command> }>
}

/** Ends a command with an exit status; what there is to say has been said. */
export class Exit extends Error {
  readonly status: number

  constructor(status: number) {
    super(`exit ${status}`)
    this.status = status
  }
}

/** Runs the command that the arguments name, loading only that one. Gives the exit status; argument errors are 1. */
export async function runProgram(
  name: string,
  description: string,
  commands: Readonly<Record<string, LazyCommand>>,
  args: readonly string[],
  /** Status for arguments that make no sense. */
  badArguments = 1,
): Promise<number> {
  endQuietly()
  const program = new Command(name).description(description).version(version(), '-V, --version', 'print the version')
  program.exitOverride().configureHelp({ sortSubcommands: false }).showHelpAfterError(`(\`${name} --help\` tells more)`)
  for (const [key, { summary, load }] of Object.entries(commands)) {
    const command = key === args[0] ? await (await load()).command() : new Command(key)
    program.addCommand(command.name(key).summary(summary).copyInheritedSettings(program).exitOverride())
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return statusOf(error, badArguments)
  }
}

function statusOf(error: unknown, badArguments: number): number {
  if (error instanceof Exit) return error.status
  // Commander has printed its message; a program without a command has printed its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : badArguments
  if (error instanceof ClinkerError) {
    say(error.format())
    return error.exit
  }
  throw error
}

/** Prints on standard error: everything that is not data. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Refuses an argument the way the parser does: message, exit status 1. */
export function refuse(message: string): never {
  say(`error: ${message}`)
  throw new Exit(1)
}

/** A whole number given as the value of a flag. */
export function wholeNumber(flag: string, written: string): number {
  if (!/^\d+$/.test(written) || !Number.isSafeInteger(Number(written))) {
    refuse(`${flag} must be a whole number, got "${written}"`)
  }
  return Number(written)
}

/** Runs instead of ending the process when the reader of standard output has gone; undefined: the process ends. */
export function onClosedOutput(handle: (() => void) | undefined): void {
  closed = handle
}

let closed: (() => void) | undefined

/** A reader that has seen enough (`| head`) is no error. */
function endQuietly(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (closed) return closed()
    if (error.code === 'EPIPE') process.exit(0)
    say(`cannot write to standard output: ${error.message}`)
    process.exit(4)
  })
}

function version(): string {
  const require = createRequire(import.meta.url)
  return (require('clinker-streams/package.json') as { version: string }).version
}
