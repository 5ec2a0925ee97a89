import type { CharacterSet, Pattern, Position, SetItem } from './regex-syntax.ts'

/** A pattern in JavaScript's syntax, for the flags `v` or `vi`; undefined when it has no form there. */
export function nativeSource(tree: Pattern): { readonly source: string; readonly flags: string } | undefined {
  const folds = new Set<boolean>()
  const source = written(tree, folds)
  // Flags hold for all of a pattern: `(?i:a)b` has no form before Node 23.
  if (folds.size > 1 || source === undefined) return undefined
  return { source, flags: folds.has(true) ? 'vi' : 'v' }
}

/** A set of characters, always in brackets. */
export function nativeSet(set: CharacterSet): string {
  // Under the flag `v`, V8 mistakes `[^]` for something that may match nothing.
  if (set.items.length === 0) return '[\\u{0}-\\u{10FFFF}]'
  return `[${set.negated ? '^' : ''}${set.items.map(nativeItem).join('')}]`
}

const wordClass = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u{200C}\\u{200D}'

const classContents = { digit: '\\p{Nd}', space: '\\p{White_Space}', word: wordClass }

function nativeItem(item: SetItem): string {
  switch (item.kind) {
    case 'range':
      return item.from === item.to ? character(item.from) : `${character(item.from)}-${character(item.to)}`
    case 'class':
      return item.negated ? `[^${classContents[item.name]}]` : classContents[item.name]
    case 'property':
      return item.negated ? `[^\\p{${item.name}}]` : `\\p{${item.name}}`
  }
}

const before = `(?<=[${wordClass}])`
const notBefore = `(?<![${wordClass}])`
const after = `(?=[${wordClass}])`
const notAfter = `(?![${wordClass}])`

const positions: Readonly<Record<Position, string>> = {
  start: '^',
  end: '$',
  // The flag `m` knows more line ends than the line feed.
  line_start: '(?<![^\\n])',
  line_end: '(?![^\\n])',
  word_boundary: `(?:${before}${notAfter}|${notBefore}${after})`,
  no_word_boundary: `(?:${before}${after}|${notBefore}${notAfter})`,
}

function written(tree: Pattern, folds: Set<boolean>): string | undefined {
  switch (tree.kind) {
    case 'set': {
      const { items } = tree.set
      if (tree.fold && items.some((item) => item.kind === 'property')) return undefined
      if (!items.every(ignoresCase)) folds.add(tree.fold)
      return nativeSet(tree.set)
    }
    case 'position':
      return positions[tree.position]
    case 'group':
      return enclosed('(', tree.body, folds)
    case 'sequence': {
      let source = ''
      for (const part of tree.parts) {
        const own = part.kind === 'choice' ? enclosed('(?:', part, folds) : written(part, folds)
        if (own === undefined) return undefined
        source += own
      }
      return source
    }
    case 'choice': {
      const options = tree.options.map((option) => written(option, folds))
      return options.includes(undefined) ? undefined : options.join('|')
    }
    case 'repeat': {
      const body = tree.body.kind === 'set' ? written(tree.body, folds) : enclosed('(?:', tree.body, folds)
      return body && body + quantifier(tree)
    }
  }
}

function enclosed(opening: string, body: Pattern, folds: Set<boolean>): string | undefined {
  const source = written(body, folds)
  return source === undefined ? undefined : `${opening}${source})`
}

/** `*`, `{2,5}?` …, the same in both syntaxes. */
export function quantifier({ least, most, greedy }: Pattern & { kind: 'repeat' }): string {
  const count = least === most ? `{${least}}` : most === Number.POSITIVE_INFINITY ? `{${least},}` : `{${least},${most}}`
  return greedy ? count : `${count}?`
}

/** Whether an item has the same characters with and without regard to case. */
function ignoresCase(item: SetItem): boolean {
  if (item.kind === 'class') return true
  if (item.kind === 'property' || item.to > 127) return false
  return !/[A-Za-z]/.test(asciiBetween(item.from, item.to))
}

function asciiBetween(from: number, to: number): string {
  return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, index) => from + index))
}

function character(code: number): string {
  const text = String.fromCodePoint(code)
  return /^[A-Za-z0-9]$/.test(text) ? text : `\\u{${code.toString(16)}}`
}
