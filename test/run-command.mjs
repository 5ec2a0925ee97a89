// Runs one of the built commands: as a process, or inside this one through the function the command itself calls.
import { spawn } from 'node:child_process'
import path from 'node:path'

const dist = path.join(import.meta.dirname, '..', 'dist')

/** The path of a built command, `clinker` or `cxl`. */
export const commandPath = (command) => path.join(dist, 'runner', 'commands', `${command}.js`)

/**
 * Resolves to `{ exit, stdout, stderr }`, texts. `flags` are Node's. `inProcess` calls the command's `main`, one call at a time: the working folder and
 * environment belong to the process.
 */
export async function runCommand(command, args, { cwd, input = '', env = {}, inProcess = false, flags = [], timeout = 120_000 }) {
  if (inProcess) return callMain(command, args, { cwd, input, env })
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...flags, commandPath(command), ...args], { cwd, timeout, env: { ...process.env, TZ: 'UTC', ...env } })
    const stdout = []
    const stderr = []
    child.stdout.on('data', (chunk) => stdout.push(chunk))
    child.stderr.on('data', (chunk) => stderr.push(chunk))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    child.on('close', (code, signal) => {
      resolve({ exit: code ?? `signal ${signal}`, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() })
    })
  })
}

async function callMain(command, args, { cwd, input, env }) {
  const { main } = await import(commandPath(command).replace(/\.js$/, '-main.js'))
  const { Readable, Writable } = await import('node:stream')
  const collect = () => {
    const chunks = []
    const stream = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(Buffer.from(chunk))
        done()
      },
    })
    return { stream, text: () => Buffer.concat(chunks).toString() }
  }
  const stdout = collect()
  const stderr = collect()
  const before = { cwd: process.cwd(), env: { ...process.env } }
  process.chdir(cwd)
  Object.assign(process.env, { TZ: 'UTC', ...env })
  try {
    const exit = await main(args, { stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]), stdout: stdout.stream, stderr: stderr.stream })
    return { exit, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.chdir(before.cwd)
    for (const name of Object.keys(env)) {
      if (before.env[name] === undefined) delete process.env[name]
      else process.env[name] = before.env[name]
    }
  }
}
