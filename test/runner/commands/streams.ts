import { Readable, Writable } from 'node:stream'

export interface Said {
  exit: number
  stdout: string
  stderr: string
}

type Main = (args: string[], streams: { stdin: Readable; stdout: Writable; stderr: Writable }) => Promise<number>

/** Calls the main function of a command with texts in place of the standard streams. */
export async function call(main: Main, args: string[], input = ''): Promise<Said> {
  const said = { stdout: '', stderr: '' }
  const collect = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, callback) {
        said[name] += chunk.toString()
        callback()
      },
    })
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)])
  const exit = await main(args, { stdin, stdout: collect('stdout'), stderr: collect('stderr') })
  return { exit, ...said }
}
