import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { main as clinker } from '../../runner/commands/clinker-main.ts'
import { main as cxl } from '../../runner/commands/cxl-main.ts'
import { temporaryFolder } from '../support/command.ts'

/**
 * A block with a file name behind its language is that file. A `console` block is a session: lines that begin with `$ ` are commands,
 * behind `cxl repl` those with its prompt are typed into it, and all others are what appears.
 */
interface Block {
  readonly language: string
  readonly file: string | undefined
  readonly text: string
}

const page = await readFile(path.join(import.meta.dirname, '..', '..', 'docs', 'cxl-tutorial.md'), 'utf8')

function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w*)(?: (\S+))?\n([^]*?)^```$/gm)].map(([, language = '', file, inside = '']) => {
    return { language, file, text: inside }
  })
}

interface Command {
  readonly line: string
  readonly typed: readonly string[]
  readonly shown: string
}

function commandsOf(session: string): Command[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [line = '', ...rest] = text.split('\n')
      const prompt = /^(?:cxl|\.\.\.)> /
      const typed = rest.filter((one) => prompt.test(one)).map((one) => one.replace(prompt, ''))
      return { line, typed, shown: rest.filter((one) => !prompt.test(one)).join('\n') }
    })
}

/** The words of a command line; a quoted one may hold blanks. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => (match[1] ?? match[2] ?? match[3]) as string)
}

async function shownBy({ line, typed }: Command): Promise<string> {
  let screen = ''
  const output = (): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, callback) {
        screen += chunk.toString()
        callback()
      },
    })
  const [name, ...args] = wordsOf(line)
  expect(['cxl', 'clinker']).toContain(name)
  const stdin = Readable.from(typed.map((one) => `${one}\n`))
  const exit = await (name === 'cxl' ? cxl : clinker)(args, { stdin, stdout: output(), stderr: output() })
  expect(exit, screen).toBe(0)
  return screen
}

describe('the tutorial', () => {
  const blocks = blocksOf(page)

  test('has blocks of the two kinds that this test runs, and no others', () => {
    expect(page.match(/^```/gm)).toHaveLength(2 * blocks.length)
    for (const { language, file, text } of blocks) expect(language === 'console' || file, text).toBeTruthy()
    expect(blocks.filter(({ language }) => language === 'console').length).toBeGreaterThan(5)
  })

  test('shows what its commands really say', async () => {
    await using folder = await temporaryFolder()
    const before = process.cwd()
    process.chdir(folder.path)
    try {
      for (const { language, file, text } of blocks) {
        if (language !== 'console') await writeFile(file as string, text)
        else for (const command of commandsOf(text)) expect(await shownBy(command), text).toBe(command.shown)
      }
    } finally {
      process.chdir(before)
    }
  })

  test('ends with a group rule', () => {
    expect(blocks.at(-1)?.text).toMatch(/^\$ clinker reshape /)
  })

  test('links to pages that are there', async () => {
    const links = [...page.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] as string)
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) await readFile(path.join(import.meta.dirname, '..', '..', 'docs', link))
  })
})
