import path from 'node:path'
import { ClinkerError, type Place } from '../../lib/diagnostics/index.ts'
import { placed } from './settings.ts'

/** A path that means standard input or output. */
export const standardStream = '-'

/** Names that may stand in braces in an output path (spec/3, Output). */
const pathTokens: readonly string[] = [
  'source_name',
  'channel',
  'pipeline_hash',
  'timestamp',
  'execution_id',
  'batch_id',
  'n',
  'source_file',
  'source_path',
]

/** Tokens that make an output file for each file of the source. */
const perFileTokens: readonly string[] = ['source_file', 'source_path']

export interface PathRules {
  /** Kind and name of the node, or what else has the path. */
  readonly node: string
  readonly place: Place | undefined
  readonly allowAbsolute: boolean
}

/** Refuses a path that leaves the workspace (E-SEC-001). Returns it in normal form. */
export function checkedPath(written: string, { node, place, allowAbsolute }: PathRules): string {
  if (written === standardStream) return written
  const refuse = (message: string, help: string): never => {
    throw new ClinkerError('E-SEC-001', { message, node, help, actual: written, ...placed(place) })
  }
  if (written === '' || written.includes('\0')) {
    refuse('the path is empty or holds a NUL character', 'name a file inside the workspace')
  }
  if (isAbsolute(written) && !allowAbsolute) {
    refuse(`the path "${written}" is absolute`, 'use a relative path inside the workspace, or --allow-absolute-paths')
  }
  if (written.split(/[/\\]/).includes('..')) {
    refuse(`the path "${written}" has a \`..\` in it`, 'use a relative path inside the workspace, or --base-dir')
  }
  return path.normalize(written)
}

function isAbsolute(written: string): boolean {
  return path.posix.isAbsolute(written) || path.win32.isAbsolute(written)
}

/** A path with `{tokens}` in it; `{{` and `}}` are braces. */
export class PathTemplate {
  readonly text: string
  readonly tokens: ReadonlySet<string>
  /** Whether it makes a file for each file of the source. */
  readonly perFile: boolean
  readonly #parts: readonly ({ text: string } | { token: string })[]

  /** Throws an error that lists the known tokens when there is another one in it. */
  constructor(text: string, rules: Omit<PathRules, 'allowAbsolute'>) {
    this.text = text
    const parts: ({ text: string } | { token: string })[] = []
    for (const [, plain, brace, token] of text.matchAll(/([^{}]+)|(\{\{|\}\})|\{([^{}]*)\}|[{}]/g)) {
      if (plain !== undefined) parts.push({ text: plain })
      else if (brace !== undefined) parts.push({ text: brace[0] as string })
      else if (token !== undefined && pathTokens.includes(token)) parts.push({ token })
      else {
        throw new ClinkerError('E000', {
          message:
            token === undefined
              ? `the path "${text}" has a brace without its partner`
              : `the path "${text}" has an unknown token {${token}}`,
          node: rules.node,
          help: `known tokens: ${pathTokens.map((name) => `{${name}}`).join(' ')}; write {{ and }} for braces`,
          ...placed(rules.place),
        })
      }
    }
    this.#parts = parts
    this.tokens = new Set(parts.flatMap((part) => ('token' in part ? [part.token] : [])))
    this.perFile = perFileTokens.some((token) => this.tokens.has(token))
  }

  /** The path with the tokens' values; what is not given is the empty text. */
  render(values: Readonly<Record<string, string>>): string {
    return this.#parts.map((part) => ('text' in part ? part.text : (values[part.token] ?? ''))).join('')
  }
}
