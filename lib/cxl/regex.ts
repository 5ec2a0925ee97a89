/**
 * Regular expressions of the language. A pattern is read into a tree (regex syntax) and written out for two engines that answer alike:
 * a linear one for every pattern, and JavaScript's own, about ten times faster, for patterns and texts on which it cannot
 * backtrack for long (regex cost).
 */
import { RE2JS } from 're2js'
import { never, safeLength } from './regex-cost.ts'
import { hasWordBoundary, linearSource, marked, markedPrefix, unmarked } from './regex-linear.ts'
import { nativeSource } from './regex-native.ts'
import { InvalidRegex, type Pattern, parseRegex } from './regex-syntax.ts'

export { InvalidRegex } from './regex-syntax.ts'

/** A pattern in use. Make one with {@link compileRegex}. */
export interface Regex {
  readonly pattern: string
  /** How many capturing groups it has. */
  readonly groups: number
  /** Whether it matches the whole text. */
  matches(text: string): boolean
  /** Whether it matches anywhere in the text. */
  find(text: string): boolean
  /** What group `group` took at the first match, 0 being all of it. Null without a match, such a group, or part in the match. */
  capture(text: string, group: number): string | null
}

/**
 * Compiles a pattern; the same text gives the same object. Throws {@link InvalidRegex}.
 * @example compileRegex('(\\d+)-(\\d+)').capture('a 2023-0042', 2) // '0042'
 */
export function compileRegex(pattern: string): Regex {
  if (last?.pattern === pattern) return last
  let compiled = cache.get(pattern)
  if (!compiled) {
    compiled = new TwoLanes(pattern)
    // Patterns may be computed from data; they shall not pile up.
    if (cache.size >= largestCache) cache.clear()
    cache.set(pattern, compiled)
  }
  last = compiled
  return compiled
}

/** The two engines one by one, for the test that holds them to the same answers. A native one may be missing. */
export function compileLanes(pattern: string): { readonly linear: Regex; readonly native: Regex | undefined } {
  const { tree, groups } = parseRegex(pattern)
  const source = nativeSource(tree)
  return { linear: new Linear(pattern, tree, groups), native: source && new Native(pattern, groups, source) }
}

const cache = new Map<string, Regex>()
const largestCache = 256
let last: Regex | undefined

class TwoLanes implements Regex {
  readonly pattern: string
  readonly groups: number
  readonly #linear: Linear
  readonly #native: Native | undefined
  /** Lengths up to which the native engine is sure to be fast. */
  readonly #wholeLength: number
  readonly #findLength: number
  readonly #captureLength: number

  constructor(pattern: string) {
    const { tree, groups } = parseRegex(pattern)
    const source = nativeSource(tree)
    this.pattern = pattern
    this.groups = groups
    this.#linear = new Linear(pattern, tree, groups)
    this.#native = source && new Native(pattern, groups, source)
    this.#wholeLength = safeLength(wholly(tree), true)
    this.#findLength = safeLength(tree, false)
    // JavaScript forgets what a group took when the repeat around it goes on; the language does not.
    this.#captureLength = hasGroupInRepeat(tree, false) ? never : this.#findLength
  }

  matches(text: string): boolean {
    return this.#lane(text.length <= this.#wholeLength).matches(text)
  }

  find(text: string): boolean {
    return this.#lane(text.length <= this.#findLength).find(text)
  }

  capture(text: string, group: number): string | null {
    return this.#lane(text.length <= (group === 0 ? this.#findLength : this.#captureLength)).capture(text, group)
  }

  #lane(fast: boolean): Regex {
    return fast && this.#native ? this.#native : this.#linear
  }
}

class Native implements Regex {
  readonly pattern: string
  readonly groups: number
  readonly #find: RegExp
  readonly #whole: RegExp

  constructor(pattern: string, groups: number, { source, flags }: { source: string; flags: string }) {
    this.pattern = pattern
    this.groups = groups
    this.#find = new RegExp(source, flags)
    this.#whole = new RegExp(`^(?:${source})$`, flags)
  }

  matches(text: string): boolean {
    return this.#whole.test(text)
  }

  find(text: string): boolean {
    return this.#find.test(text)
  }

  capture(text: string, group: number): string | null {
    return this.#find.exec(text)?.[group] ?? null
  }
}

class Linear implements Regex {
  readonly pattern: string
  readonly groups: number
  readonly #tree: Pattern
  readonly #words: boolean
  #plain: RE2JS | undefined
  /** For texts with marks, see {@link linearSource}. */
  #marked: RE2JS | undefined

  constructor(pattern: string, tree: Pattern, groups: number) {
    this.pattern = pattern
    this.groups = groups
    this.#tree = tree
    this.#words = hasWordBoundary(tree)
  }

  matches(text: string): boolean {
    if (!this.#needsMarks(text)) return this.#plainRegex().testExact(text)
    return this.#compile(linearSource(this.#tree, true)).testExact(marked(text))
  }

  find(text: string): boolean {
    return this.#needsMarks(text) ? this.#markedRegex().test(marked(text)) : this.#plainRegex().test(text)
  }

  capture(text: string, group: number): string | null {
    if (group > this.groups) return null
    const marks = this.#needsMarks(text)
    const matcher = marks ? this.#markedRegex().matcher(marked(text)) : this.#plainRegex().matcher(text)
    if (!matcher.find()) return null
    const taken = matcher.group(marks ? group + 1 : group)
    return taken === null ? null : marks ? unmarked(taken) : taken
  }

  #needsMarks(text: string): boolean {
    return this.#words && /[\u{80}-\u{10ffff}]/u.test(text)
  }

  #plainRegex(): RE2JS {
    this.#plain ??= this.#compile(linearSource(this.#tree, false))
    return this.#plain
  }

  #markedRegex(): RE2JS {
    this.#marked ??= this.#compile(`\\A${markedPrefix}(${linearSource(this.#tree, true)})`)
    return this.#marked
  }

  #compile(source: string): RE2JS {
    try {
      return RE2JS.compile(source)
    } catch (error) {
      throw new InvalidRegex(`invalid regex '${this.pattern.slice(0, 256)}': ${(error as Error).message}`)
    }
  }
}

function wholly(tree: Pattern): Pattern {
  return { kind: 'sequence', parts: [tree, { kind: 'position', position: 'end' }] }
}

function hasGroupInRepeat(tree: Pattern, repeated: boolean): boolean {
  switch (tree.kind) {
    case 'group':
      return repeated || hasGroupInRepeat(tree.body, repeated)
    case 'repeat':
      return hasGroupInRepeat(tree.body, repeated || tree.most > 1)
    case 'sequence':
      return tree.parts.some((part) => hasGroupInRepeat(part, repeated))
    case 'choice':
      return tree.options.some((option) => hasGroupInRepeat(option, repeated))
    default:
      return false
  }
}
