import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileLanes, compileRegex, InvalidRegex } from '../../../lib/cxl/regex.ts'

/** Both engines must say this; returns what they say. */
function both<T>(pattern: string, ask: (regex: ReturnType<typeof compileRegex>) => T): T {
  const { linear, native } = compileLanes(pattern)
  const answer = ask(compileRegex(pattern))
  expect(ask(linear)).toBe(answer)
  if (native) expect(ask(native)).toBe(answer)
  return answer
}
const matches = (pattern: string, text: string): boolean => both(pattern, (regex) => regex.matches(text))
const find = (pattern: string, text: string): boolean => both(pattern, (regex) => regex.find(text))
const capture = (pattern: string, text: string, group = 0): string | null =>
  both(pattern, (regex) => regex.capture(text, group))

describe('matches', () => {
  test('is about the whole text', () => {
    expect(matches('[A-Z]{2}-\\d{2}', 'AB-12')).toBe(true)
    expect(matches('^[A-Z]{2}-\\d{2}$', 'AB-12')).toBe(true)
    expect(matches('\\d{2}', 'AB-12')).toBe(false)
    expect(matches('ab|abcd', 'abcd')).toBe(true)
    expect(matches('ab|cd', 'abx')).toBe(false)
    expect(matches('ab', 'ab\n')).toBe(false)
    expect(matches('', '')).toBe(true)
  })
})

describe('characters', () => {
  test.each([
    ['\\d', '٣', true],
    ['\\d', 'a', false],
    ['\\D', '٣', false],
    ['\\w', 'ß', true],
    ['\\w', '_', true],
    ['\\w', '-', false],
    ['\\W', 'é', false],
    ['[^\\W_]', 'é', true],
    ['[^\\W_]', '_', false],
    ['[\\W_]', '_', true],
    ['[\\D]', 'x', true],
    ['\\s', '\u00a0', true],
    ['\\s', '\u0085', true],
    ['\\s', '\ufeff', false],
    ['\\S', '\u2003', false],
    ['.', '\r', true],
    ['.', '\u2028', true],
    ['.', '\n', false],
    ['(?s).', '\n', true],
    ['(?s)(?:.+)?a', 'aa', true],
    ['.', '🚢', true],
    ['[🚢⚓]', '⚓', true],
    ['[^a-c]', 'd', true],
    ['[]a]', ']', true],
    ['[^]a]', ']', false],
    ['[a-]', '-', true],
    ['[-a]', '-', true],
    ['[\\]\\\\^-]', '^', true],
    ['[[:alpha:]]', 'q', true],
    ['[[:alpha:]]', 'é', false],
    ['[[:^digit:]x]', '7', false],
    ['[[:punct:][:space:]]', ' ', true],
    ['\\p{L}', 'é', true],
    ['\\pN', '7', true],
    ['\\PN', '7', false],
    ['\\p{Lu}', 'é', false],
    ['\\P{Lu}', 'é', true],
    ['\\p{Greek}', 'Ω', true],
    ['\\p{greek}', 'Ω', true],
    ['\\p{Script=Greek}', 'Ω', true],
    ['\\p{Lowercase_Letter}', 'x', true],
    ['[\\p{L}\\p{N}]', '5', true],
    ['\\x41', 'A', true],
    ['\\x{1F6A2}', '🚢', true],
    ['\\u00e9', 'é', true],
    ['\\t', '\t', true],
    ['\\.', '.', true],
    ['\\/', '/', true],
    ['}', '}', true],
    [']', ']', true],
    ['\\#\\ \\-\\&', '# -&', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })
})

describe('flags', () => {
  test.each([
    ['(?i)größe', 'GRÖSSE', false],
    ['(?i)größe', 'GRÖßE', true],
    ['(?i)k', '\u212a', true],
    ['(?i)[a-f]', 'F', true],
    ['(?i)[^a-f]', 'F', false],
    ['(?i)\\p{Lu}', 'f', true],
    ['(?i)\\P{Lu}', 'f', false],
    ['a(?i)b', 'aB', true],
    ['a(?i)b', 'AB', false],
    ['(?i:a)b', 'Ab', true],
    ['(?i:a)b', 'AB', false],
    ['(?i)a(?-i)b', 'AB', false],
    ['(?i)a|b', 'B', true],
    ['((?i)a)b', 'AB', false],
    ['(?x) a b # letters\n c', 'abc', true],
    ['(?x) a \\  [ b c ]', 'a c', true],
    ['(?x) a +', 'aa', true],
    ['(?im)a', 'A', true],
  ])('%s on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
  })

  test('(?U) swaps greed', () => {
    expect(capture('(?U)a+', 'aaa')).toBe('a')
    expect(capture('(?U)a+?', 'aaa')).toBe('aaa')
  })
})

describe('positions', () => {
  test.each([
    ['^two$', 'one\ntwo', false],
    ['(?m)^two$', 'one\ntwo', true],
    ['(?m)^two$', 'one\r\ntwo', true],
    ['(?m)^two$', 'one\u2028two', false],
    ['(?m)one$', 'one\r\ntwo', false],
    ['one$', 'one\n', false],
    ['\\Aone', 'one\ntwo', true],
    ['one\\z', 'one\n', false],
    ['\\bopen\\b', '(open)', true],
    ['\\bopen\\b', 'reopen', false],
    ['\\bé', 'aé', false],
    ['\\bé', ' é', true],
    ['é\\b', 'éa', false],
    ['\\Bé', 'aé', true],
    ['a\\b', 'aé', false],
    ['a\\b', 'a–é', true],
    ['^*a', 'a', true],
  ])('%s in %j: %s', (pattern, text, expected) => {
    expect(find(pattern, text)).toBe(expected)
  })

  test('\\b knows all letters in the linear engine, too', () => {
    const { linear } = compileLanes('(?m)^(\\w+)\\b.(-)\\B-?')
    expect(linear.capture('x\nÄrger –\nöl--–_', 1)).toBe('öl')
    expect(linear.capture('x\nÄrger –\nöl--–_', 0)).toBe('öl--')
    expect(linear.find('_é')).toBe(false)
  })
})

describe('capture', () => {
  test('takes the first match, leftmost and first alternative', () => {
    expect(capture('\\d+', 'a1b22')).toBe('1')
    expect(capture('ab|abcd', 'abcd')).toBe('ab')
    expect(capture('<(.+)>', '<a><b>', 1)).toBe('a><b')
    expect(capture('<(.+?)>', '<a><b>', 1)).toBe('a')
  })

  test('is null without a match, such a group, or part in the match', () => {
    expect(capture('(z)', 'abc', 1)).toBe(null)
    expect(capture('(a)', 'abc', 2)).toBe(null)
    expect(capture('(a)|(b)', 'b', 1)).toBe(null)
    expect(capture('a(b*)c', 'ac', 1)).toBe('')
  })

  test('addresses named groups by number', () => {
    expect(capture('(?P<year>\\d{4})-(?<month>\\d\\d)', 'in 2023-07', 2)).toBe('07')
  })

  test('keeps what a group took in an earlier turn of a repeat', () => {
    expect(compileRegex('(?:(a)|b)*').capture('ab', 1)).toBe('a')
    expect(compileRegex('(a|b)+').capture('abab', 1)).toBe('b')
  })
})

describe('errors', () => {
  test.each([
    ['(', 'a `(` without its `)`, at character 2'],
    ['a)', 'a `)` without its `(`, at character 2'],
    ['[a', 'a `[` without its `]`, at character 3'],
    ['*a', '`*` has nothing to repeat, at character 1'],
    ['a{', 'a bad repeat count; a plain brace is written `\\{`, at character 2'],
    ['a{3,1}', 'a repeat count that ends before it begins, at character 2'],
    ['a{1001}', 'more than 1000 repeats, at character 2'],
    ['(a{100}){20}', 'more than 1000 repeats, at character 13'],
    ['a(?=b)', 'look-around is not supported, at character 5'],
    ['(?<!a)b', 'look-around is not supported, at character 5'],
    ['(a)\\1', 'back-references are not supported, at character 6'],
    ['(?P<n>a)(?P<n>b)', 'two groups are named `n`, at character 15'],
    ['(?z)', 'an unknown flag or kind of group, at character 4'],
    ['\\', 'a backslash at the end, at character 3'],
    ['\\y', 'an unknown escape `\\y`, at character 3'],
    ['\\p{Klingon}', 'an unknown Unicode property `Klingon`, at character 12'],
    ['[z-a]', 'a range that ends before it begins, at character 5'],
    ['[a&&b]', 'set operations are not supported; escape the two characters, at character 5'],
    ['[a[b]', 'a bracket in a class is written `\\[`, at character 3'],
    ['\\x{110000}', 'a bad character code, at character 4'],
  ])('%s', (pattern, what) => {
    expect(() => compileRegex(pattern)).toThrow(new InvalidRegex(`invalid regex '${pattern}': ${what}`))
  })
})

describe('time', () => {
  test.each([
    ['(a+)+$', 'a', 10_000],
    ['^(a|a)*$', 'a', 10_000],
    ['(.*)*x', 'a', 10_000],
    ['\\s+$', ' ', 100_000],
    ['.*.*=.*', 'a', 10_000],
    ['(\\w+\\s?)+\\b!', 'é', 10_000],
    ['(a?){30}a{30}', 'a', 29],
  ])('%s is not slow on a hostile text', (pattern, letter, length) => {
    const text = `${letter.repeat(length)}b`
    compileRegex(pattern).find('warm')
    const start = performance.now()
    compileRegex(pattern).find(text)
    compileRegex(pattern).matches(text)
    expect(performance.now() - start).toBeLessThan(300)
  })

  test('nested repeats on 10 000 letters take less than 50 ms', () => {
    const text = `${'a'.repeat(10_000)}!`
    const times = [1, 2, 3].map(() => {
      const start = performance.now()
      expect(compileRegex('(a+)+$').find(text)).toBe(false)
      return performance.now() - start
    })
    // The machine may be busy with something else; the engine is not slower for that.
    expect(Math.min(...times)).toBeLessThan(50)
  })
})

describe('laws', () => {
  const atoms = fc.constantFrom(
    'a',
    'b',
    'é',
    '-',
    '\\d',
    '\\w',
    '\\W',
    '\\s',
    '.',
    '[ab]',
    '[^a]',
    '[^\\W_]',
    '\\b',
    '\\B',
    '^',
    '$',
    '(?i:É)',
    '(?i:[^a])',
    '(?s:.)',
    '(?m:^)',
    '(?m:$)',
    '\\p{L}',
  )
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      atoms,
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '+?', '*?'))
        .map(([body, count]) => `(?:${body})${count}`),
      tie('pattern').map((body) => `(${body})`),
    ),
  }))
  const text = fc.string({ unit: fc.constantFrom(...'abABéÉ-._ 7٣\n'), maxLength: 12 })

  test('both engines agree wherever the fast one may run', () => {
    fc.assert(
      fc.property(pattern, text, (given, on) => {
        const regex = compileRegex(given)
        const { linear } = compileLanes(given)
        expect(regex.matches(on)).toBe(linear.matches(on))
        expect(regex.find(on)).toBe(linear.find(on))
        for (let group = 0; group <= regex.groups; group++) {
          expect(regex.capture(on, group)).toBe(linear.capture(on, group))
        }
      }),
      { numRuns: 150 },
    )
  })

  test('a text of plain characters, escaped, finds itself', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 10 }), (plain) => {
        const escaped = plain.replaceAll(
          /[^A-Za-z0-9]/g,
          (one) => `\\x{${(one.codePointAt(0) as number).toString(16)}}`,
        )
        expect(matches(escaped, plain)).toBe(true)
      }),
    )
  })
})
