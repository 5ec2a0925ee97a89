import type { Readable, Writable } from 'node:stream'
import { createInterface, type Interface } from 'node:readline'
import { ClinkerError, closestMatch } from '../../lib/diagnostics/index.ts'
import { languageList, languagePage, unknownName } from '../explain/language.ts'
import { reasonOf } from '../run/publication.ts'
import { History, historyFile } from './history.ts'
import { RecordFile } from './record-file.ts'
import { type Answer, isOpen, Session } from './session.ts'

interface ReplStreams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

const prompt = 'cxl> '
const continued = '...> '

const commands: Readonly<Record<string, string>> = {
  ':type EXPR': 'the type of an expression',
  ':help [NAME]': 'what a function or topic is; without a name, this list',
  ':load FILE': 'take the first record of a CSV, NDJSON or JSON file',
  ':record': 'show the record',
  ':next': 'take the next record of the file, and evaluate all lets and emits for it',
  ':reset': 'forget all lets and emits',
  ':quit': 'leave; so does Ctrl-D',
}

/**
 * Reads lines and answers them until the input ends. On a terminal there are a prompt and a history; from a pipe only the answers are
 * written. Gives what is wrong with `file` when it cannot be read, else undefined.
 */
export async function runRepl(streams: ReplStreams, file: string | undefined): Promise<string | undefined> {
  const repl = new Repl(streams)
  if (file !== undefined) {
    const fault = await repl.load(file)
    if (fault !== undefined) return fault
  }
  await repl.run()
  return undefined
}

class Repl {
  readonly #streams: ReplStreams
  readonly #session = new Session()
  #file: RecordFile | undefined
  /** Lines whose brackets are still open. */
  #pending = ''

  constructor(streams: ReplStreams) {
    this.#streams = streams
  }

  async run(): Promise<void> {
    const { stdin, stdout } = this.#streams
    const terminal = isTerminal(stdin) && isTerminal(stdout)
    const history = new History(terminal ? historyFile(process.env) : undefined)
    const lines = createInterface({
      input: stdin,
      terminal,
      prompt: terminal ? prompt : '',
      history: [...history.lines],
      removeHistoryDuplicates: true,
      // Without a terminal nothing of the input is repeated.
      ...(terminal ? { output: stdout } : {}),
    })
    if (terminal) {
      stdout.write(':help tells what there is, :quit leaves\n')
      this.#handleInterrupt(lines)
      lines.prompt()
    }
    for await (const line of lines) {
      history.add(line)
      if (await this.#take(line)) break
      if (terminal) {
        lines.setPrompt(this.#pending === '' ? prompt : continued)
        lines.prompt()
      }
    }
    lines.close()
    // What is still open at the end is told what it lacks.
    if (this.#pending !== '') this.#say(this.#session.enter(this.#pending))
    else if (terminal) stdout.write('\n')
    await this.#file?.close()
  }

  /** Ctrl-C clears the line, and the lines before it that belong to it. */
  #handleInterrupt(lines: Interface): void {
    lines.on('SIGINT', () => {
      this.#pending = ''
      lines.write(null, { ctrl: true, name: 'e' })
      lines.write(null, { ctrl: true, name: 'u' })
      this.#streams.stdout.write('^C\n')
      lines.setPrompt(prompt)
      lines.prompt()
    })
  }

  /** Answers a line. Whether it is the last one. */
  async #take(line: string): Promise<boolean> {
    if (this.#pending === '' && line.trimStart().startsWith(':')) return this.#command(line.trim())
    const text = this.#pending === '' ? line : `${this.#pending}\n${line}`
    this.#pending = isOpen(text) ? text : ''
    if (this.#pending === '' && text.trim() !== '') this.#say(this.#session.enter(text))
    return false
  }

  async #command(line: string): Promise<boolean> {
    const [, name = '', argument = ''] = /^(:\S*)\s*([^]*)$/.exec(line) ?? []
    switch (name) {
      case ':quit':
        return true
      case ':reset':
        this.#session.reset()
        return false
      case ':help':
        this.#help(argument)
        return false
      case ':record':
        this.#say({ output: `${this.#session.record() ?? 'there is no record; :load FILE takes one'}\n`, error: '' })
        return false
      case ':next':
        await this.#next()
        return false
      case ':type':
        if (argument === '') this.#complain('give an expression: :type 1 + 2.5')
        else this.#say(this.#session.typeOf(argument))
        return false
      case ':load': {
        const fault = argument === '' ? 'give a file: :load orders.csv' : await this.load(argument)
        if (fault !== undefined) this.#complain(fault)
        return false
      }
    }
    const known = Object.keys(commands).map((usage) => usage.split(' ', 1)[0] as string)
    const near = closestMatch(name, known)
    this.#complain(
      `there is no ${name}${near === undefined ? '; :help tells what there is' : `; did you mean ${near}?`}`,
    )
    return false
  }

  #help(name: string): void {
    if (name === '') {
      const usages = Object.entries(commands).map(([usage, text]) => `  ${usage.padEnd(14)}${text}\n`)
      this.#streams.stdout.write(
        `An expression is answered with its value and type; lets and emits stay in force.\n\n${usages.join('')}\n${languageList()}`,
      )
      return
    }
    const page = languagePage(name)
    if (page === undefined) this.#complain(unknownName(name))
    else this.#streams.stdout.write(page)
  }

  /** Takes the first record of a file. Gives what is wrong with the file, if something is. */
  async load(file: string): Promise<string | undefined> {
    const opened = new RecordFile(file)
    try {
      const record = await opened.next()
      if (!record) return `"${file}" holds no records`
      await this.#file?.close()
      this.#file = opened
      this.#say(this.#session.take(record))
      return undefined
    } catch (error) {
      return faultText(file, error)
    }
  }

  async #next(): Promise<void> {
    if (!this.#file) {
      this.#complain('there is no file; :load FILE takes one')
      return
    }
    try {
      const record = await this.#file.next()
      if (!record) {
        this.#complain('that was the last record')
        return
      }
      const answer = this.#session.take(record)
      // With nothing to evaluate for it the record itself is the answer.
      const silent = answer.output === '' && answer.error === ''
      this.#say(silent ? { output: `${this.#session.record()}\n`, error: '' } : answer)
    } catch (error) {
      this.#complain(faultText('the file', error))
    }
  }

  #say({ output, error }: Answer): void {
    if (output !== '') this.#streams.stdout.write(output)
    if (error !== '') this.#streams.stderr.write(error)
  }

  #complain(message: string): void {
    this.#streams.stderr.write(`${message}\n`)
  }
}

function faultText(file: string, error: unknown): string {
  return error instanceof ClinkerError ? error.format() : `cannot read "${file}": ${reasonOf(error)}`
}

function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}
