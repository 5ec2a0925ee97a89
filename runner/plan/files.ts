import * as v from 'valibot'
import { ClinkerError, type Place } from '../../lib/diagnostics/index.ts'
import type { ValueMap } from '../../lib/record/value.ts'
import type { ConfigPath } from '../../streams/node.ts'
import type { Faults } from './faults.ts'
import { checkedPath } from './paths.ts'
import { placed } from './settings.ts'

/** Which files a source reads. */
export interface FileChoice {
  readonly kind: 'path' | 'paths' | 'glob' | 'regex'
  /** One text, of `paths` all. */
  readonly patterns: readonly string[]
  readonly exclude: readonly string[]
  readonly sort_by: 'name' | 'created' | 'modified'
  readonly sort_order: 'asc' | 'desc'
  readonly take_first: number | undefined
  readonly take_last: number | undefined
  readonly recursive: boolean
  readonly on_no_match: 'error' | 'warn' | 'skip'
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

/** The keys of a source's config that choose its files. */
export const fileKeys = {
  path: v.optional(v.string()),
  glob: v.optional(v.string()),
  regex: v.optional(v.string()),
  paths: v.optional(v.pipe(v.array(v.string()), v.minLength(1, 'a list of at least one path'))),
  exclude: v.optional(v.array(v.string())),
  files: v.optional(
    v.strictObject({
      sort_by: v.optional(v.picklist(['name', 'created', 'modified']), 'name'),
      sort_order: v.optional(v.picklist(['asc', 'desc']), 'asc'),
      take_first: v.optional(count),
      take_last: v.optional(count),
      recursive: v.optional(v.boolean(), true),
      on_no_match: v.optional(v.picklist(['error', 'warn', 'skip']), 'error'),
    }),
  ),
}

const kinds = ['path', 'glob', 'regex', 'paths'] as const

/** Checks what `fileKeys` gave. Undefined when it is wrong; why is in `faults`. */
export function readFileChoice(
  config: v.InferOutput<v.StrictObjectSchema<typeof fileKeys, undefined>>,
  node: string,
  place: (path: ConfigPath) => Place | undefined,
  allowAbsolute: boolean,
  faults: Faults,
): FileChoice | undefined {
  const given = kinds.filter((kind) => (config as unknown as ValueMap)[kind] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1) {
    faults.add(
      new ClinkerError(given.length ? 'E210' : 'E211', {
        message: given.length
          ? `it says by ${given.map((name) => `\`${name}\``).join(' and ')} which files it reads`
          : 'it does not say which files it reads',
        node,
        help: `give exactly one of ${kinds.join(', ')}`,
        ...placed(place(given.length > 1 ? [given[1] as string] : [])),
      }),
    )
    return undefined
  }
  const written = config[kind]
  const patterns = Array.isArray(written) ? written : [written as string]
  const { files } = config
  if (files?.take_first !== undefined && files.take_last !== undefined) {
    faults.add(
      new ClinkerError('E218', {
        message: 'files has take_first and take_last together',
        node,
        help: 'choose one of them',
        ...placed(place(['files', 'take_last'])),
      }),
    )
  }
  const checked = patterns.map((pattern, index) => {
    const at = place(kind === 'paths' ? [kind, index] : [kind])
    return faults.try(() => checkedPattern(kind, pattern, node, at, allowAbsolute))
  })
  if (checked.includes(undefined)) return undefined
  return {
    kind,
    patterns: checked as string[],
    exclude: config.exclude ?? [],
    sort_by: files?.sort_by ?? 'name',
    sort_order: files?.sort_order ?? 'asc',
    take_first: files?.take_first,
    take_last: files?.take_last,
    recursive: files?.recursive ?? true,
    on_no_match: files?.on_no_match ?? 'error',
  }
}

function checkedPattern(
  kind: FileChoice['kind'],
  pattern: string,
  node: string,
  place: Place | undefined,
  allowAbsolute: boolean,
): string {
  if (kind === 'regex') {
    try {
      compilePattern(pattern)
      return pattern
    } catch (error) {
      throw new ClinkerError('E213', {
        message: `the regex "${pattern}" does not parse: ${(error as Error).message.replace(/^.*: /, '')}`,
        node,
        ...placed(place),
      })
    }
  }
  const path = checkedPath(pattern, { node, place, allowAbsolute })
  if (kind === 'glob' && !isClosed(pattern)) {
    throw new ClinkerError('E212', {
      message: `the glob "${pattern}" has a bracket that is never closed`,
      node,
      help: 'close it, or write a backslash before it',
      ...placed(place),
    })
  }
  return kind === 'glob' ? pattern.replace(/^(?:\.\/)+/, '') : path
}

/** A `regex` that searches the paths of files. */
export function compilePattern(pattern: string): RegExp {
  return new RegExp(pattern, 'u')
}

/** Whether the brackets and braces of a glob have their partners. */
function isClosed(glob: string): boolean {
  const open: string[] = []
  for (const [character] of glob.replace(/\\./g, '').matchAll(/[[\]{}]/g)) {
    if (character === '[' || character === '{') open.push(character)
    else if (open.at(-1) === (character === ']' ? '[' : '{')) open.pop()
  }
  return open.length === 0
}
