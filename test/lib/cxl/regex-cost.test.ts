import { describe, expect, test } from 'vitest'
import { never, safeLength } from '../../../lib/cxl/regex-cost.ts'
import { parseRegex } from '../../../lib/cxl/regex-syntax.ts'

const find = (pattern: string): number => safeLength(parseRegex(pattern).tree, false)

describe('the longest text a backtracking engine is given', () => {
  test.each([
    ['none to take twice', '\\d+-\\d+', 1000],
    ['the same from one start', '^\\d+-\\d+', 1_000_000],
    ['one repeat that can give way', '^[^@\\s]+@[^@\\s]+\\.[a-z]+$', 1000],
    ['two of them, from every start', '.*.*=.*', 31],
    ['alternatives that exclude each other', '(?:a|b)*c', 1000],
    ['a class and what is outside of it', '\\w+\\W+\\w+x', 99],
    ['letters in either case', '(?i)s+S', 99],
    ['alternatives that do not', '(?:a|a)*c', never],
    ['nested repeats', '(a+)+$', never],
    ['repeats of what may be empty', '(a?){30}a{30}', never],
    ['three that can give way', '\\w+\\w+\\w+\\w+!', never],
  ])('%s: %s', (_, pattern, expected) => {
    expect(find(pattern)).toBe(expected)
  })

  test('does not depend on the starts where the whole text must match', () => {
    expect(safeLength(parseRegex('\\d+-\\d+').tree, true)).toBe(1_000_000)
  })
})
