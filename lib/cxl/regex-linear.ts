import { RE2JS } from 're2js'
import { nativeSet, quantifier } from './regex-native.ts'
import type { CharacterSet, Pattern, Position, SetItem } from './regex-syntax.ts'

/**
 * A pattern in the syntax of the linear engine.
 *
 * That engine knows words of ASCII only, and `\b` cannot be said otherwise. Under `marked` the pattern is for a text in which every
 * character stands between two marks that tell its kind: `_` for one of a word, a line feed for a line feed, `-` for others
 * ({@link marked}). At the edge of a character the engine then sees what it can judge: `-é-` is no word to it, `_é_` is one.
 */
export function linearSource(tree: Pattern, marked: boolean): string {
  switch (tree.kind) {
    case 'set': {
      const set = tree.fold ? `(?i:${linearSet(tree.set, true)})` : linearSet(tree.set, false)
      return marked ? `(?:${anyMark}${set}${anyMark})` : set
    }
    case 'position':
      return positions[tree.position]
    case 'group':
      return `(${linearSource(tree.body, marked)})`
    case 'sequence':
      return tree.parts.map((part) => enclosed(part, part.kind === 'choice', marked)).join('')
    case 'choice':
      return tree.options.map((option) => linearSource(option, marked)).join('|')
    case 'repeat':
      return enclosed(tree.body, true, marked) + quantifier(tree)
  }
}

/** `text` with the marks that {@link linearSource} speaks of. */
export function marked(text: string): string {
  let result = ''
  for (const character of text) {
    const mark = character === '\n' ? '\n' : isWord.test(character) ? '_' : '-'
    result += mark + character + mark
  }
  return result
}

/** A marked text without its marks. */
export function unmarked(text: string): string {
  return [...text].filter((_, index) => index % 3 === 1).join('')
}

/** Skips whole marked characters, as few as it can. */
export const markedPrefix = '(?s:...)*?'

/** Whether a pattern depends on what a word is. */
export function hasWordBoundary(tree: Pattern): boolean {
  switch (tree.kind) {
    case 'position':
      return tree.position === 'word_boundary' || tree.position === 'no_word_boundary'
    case 'set':
      return false
    case 'sequence':
      return tree.parts.some(hasWordBoundary)
    case 'choice':
      return tree.options.some(hasWordBoundary)
    default:
      return hasWordBoundary(tree.body)
  }
}

const anyMark = '[-_\\n]'
const isWord = new RegExp(nativeSet({ negated: false, items: [{ kind: 'class', name: 'word', negated: false }] }), 'v')

const positions: Readonly<Record<Position, string>> = {
  start: '\\A',
  end: '\\z',
  line_start: '(?m:^)',
  line_end: '(?m:$)',
  word_boundary: '\\b',
  no_word_boundary: '\\B',
}

function enclosed(tree: Pattern, always: boolean, marked: boolean): string {
  const source = linearSource(tree, marked)
  return always && tree.kind !== 'set' ? `(?:${source})` : source
}

const wordClass = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}'

function linearSet(set: CharacterSet, fold: boolean): string {
  const [only] = set.items
  if (!only) return set.negated ? '(?s:.)' : '[^\\x{0}-\\x{10FFFF}]'
  if (set.items.length === 1 && only.kind === 'class' && only.name === 'word') {
    return only.negated === set.negated ? `[${wordClass}]` : `[^${wordClass}]`
  }
  const items = set.items.map(linearItem)
  if (items.includes(undefined)) return scannedSet(set, fold)
  return `[${set.negated ? '^' : ''}${items.join('')}]`
}

/** An item inside of brackets; undefined where that syntax has no form for it. */
function linearItem(item: SetItem): string | undefined {
  switch (item.kind) {
    case 'range':
      return item.from === item.to ? character(item.from) : `${character(item.from)}-${character(item.to)}`
    case 'class':
      if (item.name === 'word') return item.negated ? undefined : wordClass
      return `\\${item.negated ? 'P' : 'p'}{${item.name === 'digit' ? 'Nd' : 'White_Space'}}`
    case 'property':
      return isKnown(item.written) ? `\\${item.negated ? 'P' : 'p'}{${item.written}}` : undefined
  }
}

function isKnown(property: string): boolean {
  try {
    RE2JS.compile(`\\p{${property}}`)
    return true
  } catch {
    return false
  }
}

/** A set as the ranges of its characters, found by asking the other engine for each there is. That takes a while, so it is kept. */
function scannedSet(set: CharacterSet, fold: boolean): string {
  const native = nativeSet(set)
  const key = `${fold}${native}`
  let source = scanned.get(key)
  if (source === undefined) {
    source = rangesOf(new RegExp(`${native}+`, fold ? 'giv' : 'gv'))
    if (scanned.size >= largestCache) scanned.clear()
    scanned.set(key, source)
  }
  return source
}

const scanned = new Map<string, string>()
const largestCache = 64

/** All characters that `runs` matches in a text of all there are, in order. */
function rangesOf(runs: RegExp): string {
  const all: string[] = []
  for (let from = 0; from <= 0x10ffff; from += 0x800) {
    if (from !== 0xd800) all.push(String.fromCodePoint(...Array.from({ length: 0x800 }, (_, index) => from + index)))
  }
  let source = ''
  for (const [run] of all.join('').matchAll(runs)) {
    const last = /.$/su.exec(run)?.[0] as string
    source += `${character(run.codePointAt(0) as number)}-${character(last.codePointAt(0) as number)}`
  }
  return source === '' ? '[^\\x{0}-\\x{10FFFF}]' : `[${source}]`
}

function character(code: number): string {
  const text = String.fromCodePoint(code)
  return /^[A-Za-z0-9]$/.test(text) ? text : `\\x{${code.toString(16)}}`
}
