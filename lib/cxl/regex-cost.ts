/**
 * How long a backtracking engine may take over a pattern. What makes it slow are parts that can match the same text in several ways,
 * one of which it must give up after the other: `(a+)+$` on `aaaa!` doubles with every letter. Where the character that follows a
 * repeat cannot be one it would take (`\d+-`), there is one way only.
 *
 * `ways` counts them, as `count · lengthⁿ`; a text is tried in at most `ways · length` steps from each start. Sets of characters
 * are compared by a bit for each ASCII character and four for all others, by kind; the bits may say too much, never too little.
 */
import { nativeSet } from './regex-native.ts'
import type { CharacterSet, Pattern, SetItem } from './regex-syntax.ts'

/** The longest text on which a backtracking engine is sure to be fast; {@link never} when it is on none. */
export function safeLength(tree: Pattern, whole: boolean): number {
  const { count, degree } = waysOf(tree, none)
  const starts = whole || isAnchored(tree) ? 0 : 1
  const length = Math.floor((mostSteps / count) ** (1 / (degree + 1 + starts)))
  return length < leastLength ? never : length
}

/** A length that no text is within. */
export const never = -1

const mostSteps = 1_000_000
/** Below this it is not worth a second engine. */
const leastLength = 20

interface Ways {
  readonly count: number
  readonly degree: number
}

const one: Ways = { count: 1, degree: 0 }
const tooMany: Ways = { count: Number.POSITIVE_INFINITY, degree: 1 }

type Bits = bigint

const none: Bits = 0n
const digitBit = 1n << 128n
const wordBit = 1n << 129n
const spaceBit = 1n << 130n
const otherBit = 1n << 131n
const beyondAscii = digitBit | wordBit | spaceBit | otherBit

/** `follow`: characters that may come behind this part for the match to go on. Behind the whole pattern there are none: it is done. */
function waysOf(tree: Pattern, follow: Bits): Ways {
  switch (tree.kind) {
    case 'set':
    case 'position':
      return one
    case 'group':
      return waysOf(tree.body, follow)
    case 'sequence': {
      let ways = one
      let after = follow
      for (const part of tree.parts.toReversed()) {
        ways = product(ways, waysOf(part, after))
        after = firstOf(part, after)
      }
      return ways
    }
    case 'choice': {
      const ways = tree.options.map((option) => waysOf(option, follow))
      return areDisjoint(tree.options.map((option) => firstOf(option, follow))) ? most(ways) : sum(ways)
    }
    case 'repeat':
      return waysOfRepeat(tree, follow)
  }
}

function waysOfRepeat(tree: Pattern & { kind: 'repeat' }, follow: Bits): Ways {
  // The engines do not agree on repeats of nothing.
  if (isNullable(tree.body)) return tooMany
  const first = firstOf(tree.body, none)
  const body = waysOf(tree.body, first | follow)
  const sure = (first & follow) === 0n || tree.least === tree.most
  if (tree.most === Number.POSITIVE_INFINITY) {
    if (body.count > 1 || body.degree > 0) return tooMany
    return sure ? one : { count: 1, degree: 1 }
  }
  if (body.count === 1 && body.degree === 0) return sure ? one : { count: tree.most - tree.least + 1, degree: 0 }
  const count = body.count ** tree.most * (tree.most - tree.least + 1)
  return { count, degree: body.degree * tree.most }
}

function product(a: Ways, b: Ways): Ways {
  return { count: a.count * b.count, degree: a.degree + b.degree }
}

function sum(all: readonly Ways[]): Ways {
  const count = all.reduce((total, ways) => total + ways.count, 0)
  return { count, degree: Math.max(...all.map((ways) => ways.degree)) }
}

function most(all: readonly Ways[]): Ways {
  return {
    count: Math.max(...all.map((ways) => ways.count)),
    degree: Math.max(...all.map((ways) => ways.degree)),
  }
}

function areDisjoint(all: readonly Bits[]): boolean {
  let seen = none
  for (const bits of all) {
    if ((seen & bits) !== 0n) return false
    seen |= bits
  }
  return true
}

/** The characters a match of this part can begin with, or those of `follow` where it can match nothing. */
function firstOf(tree: Pattern, follow: Bits): Bits {
  switch (tree.kind) {
    case 'set':
      return bitsOf(tree.set, tree.fold)
    case 'position':
      return tree.position === 'end' ? none : follow
    case 'group':
      return firstOf(tree.body, follow)
    case 'sequence':
      return tree.parts.reduceRight((after, part) => firstOf(part, after), follow)
    case 'choice':
      return tree.options.reduce((bits, option) => bits | firstOf(option, follow), none)
    case 'repeat':
      return tree.most === 0 ? follow : firstOf(tree.body, follow) | (tree.least === 0 ? follow : none)
  }
}

/** Whether a part can match without taking a character. */
function isNullable(tree: Pattern): boolean {
  switch (tree.kind) {
    case 'set':
      return false
    case 'position':
      return true
    case 'group':
      return isNullable(tree.body)
    case 'sequence':
      return tree.parts.every(isNullable)
    case 'choice':
      return tree.options.some(isNullable)
    case 'repeat':
      return tree.least === 0 || isNullable(tree.body)
  }
}

function isAnchored(tree: Pattern): boolean {
  switch (tree.kind) {
    case 'position':
      return tree.position === 'start'
    case 'group':
      return isAnchored(tree.body)
    case 'sequence':
      return tree.parts.length > 0 && isAnchored(tree.parts[0] as Pattern)
    case 'choice':
      return tree.options.every(isAnchored)
    default:
      return false
  }
}

function bitsOf(set: CharacterSet, fold: boolean): Bits {
  let some = none
  let sure = none
  for (const item of set.items) {
    const [atMost, atLeast] = itemBits(item, fold)
    some |= atMost
    sure |= atLeast
  }
  return set.negated ? all & ~sure : some
}

/** The bits of which the item has some characters at most, and those of which it has all. */
function itemBits(item: SetItem, fold: boolean): [some: Bits, sure: Bits] {
  switch (item.kind) {
    case 'range': {
      const ascii = between(item.from, Math.min(item.to, 127))
      const [some, sure] = beyond(item.from, item.to)
      if (!fold) return [ascii | some, ascii | sure]
      const both = ascii | ((ascii & capitals) << 32n) | ((ascii >> 32n) & capitals)
      // `k` and `s` have a third case beyond ASCII.
      return [
        both | some | (some === none ? none : lettersKS) | ((both & lettersKS) === none ? none : wordBit),
        both | sure,
      ]
    }
    case 'class':
      return item.negated
        ? [all & ~classBits[item.name], all & ~classBits[item.name]]
        : [classBits[item.name], classBits[item.name]]
    case 'property':
      return [all, none]
  }
}

/** {@link itemBits} for what a range has beyond ASCII. */
function beyond(from: number, to: number): [some: Bits, sure: Bits] {
  if (to < 128) return [none, none]
  if (from <= 128 && to === 0x10ffff) return [beyondAscii, beyondAscii]
  return [from === to ? kindOf(String.fromCodePoint(from)) : beyondAscii, none]
}

function kindOf(character: string): Bits {
  for (const name of ['digit', 'word', 'space'] as const) {
    if (
      new RegExp(nativeSet({ negated: false, items: [{ kind: 'class', name, negated: false }] }), 'v').test(character)
    ) {
      return name === 'word' ? wordBit : classBits[name] & beyondAscii
    }
  }
  return otherBit
}

/** The bits of the ASCII characters from `from` to `to`; none where that is empty. */
function between(from: number, to: number): Bits {
  return to < from ? none : ((1n << BigInt(to - from + 1)) - 1n) << BigInt(from)
}

const all = between(0, 127) | beyondAscii
const capitals = between(65, 90)
const lettersKS = between(75, 75) | between(83, 83) | between(107, 107) | between(115, 115)
const digits = between(48, 57)

const classBits = {
  digit: digits | digitBit,
  word: digits | capitals | between(95, 95) | between(97, 122) | digitBit | wordBit,
  space: between(9, 13) | between(32, 32) | spaceBit,
}
