import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const commands = path.join(import.meta.dirname, '..', '..', 'dist', 'runner', 'commands')

export interface Finished {
  exit: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Starts a built command. `shell` is put before it: `ulimit -f 64;`. */
export function start(
  command: 'clinker' | 'cxl',
  args: string[],
  options: { cwd: string; shell?: string },
): ChildProcess {
  const words = [process.execPath, path.join(commands, `${command}.js`), ...args]
  if (options.shell === undefined) return spawn(words[0] as string, words.slice(1), { cwd: options.cwd })
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return spawn('bash', ['-c', options.shell.replace('COMMAND', quoted)], { cwd: options.cwd })
}

export function finished(child: ChildProcess): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (exit, signal) => resolve({ exit, signal, stdout, stderr }))
  })
}

/** Runs a built command to its end. */
export function command(
  name: 'clinker' | 'cxl',
  args: string[],
  options: { cwd: string; shell?: string; input?: string },
): Promise<Finished> {
  const child = start(name, args, options)
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input ?? '')
  return finished(child)
}

/** A new empty folder, and its removal: `await using folder = await temporaryFolder()`. */
export async function temporaryFolder(): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'clinker-test-'))
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true })
    },
  }
}
