import { describe, expect, test } from 'vitest'
import { valueMethods } from '../../../../lib/cxl/builtins/value.ts'
import { Float } from '../../../../lib/record/float.ts'
import type { Value } from '../../../../lib/record/value.ts'
import { failures, results } from './table.ts'

describe('values', () => {
  results({ n: null, e: '', es: [], em: {}, whole: new Float(3), big: 2n ** 60n, d: new Date(0) as unknown as Value }, [
    ['n.type_of()', 'null'],
    ['whole.type_of()', 'float'],
    ['big.type_of()', 'int'],
    ['em.type_of()', 'map'],
    ['es.type_of()', 'array'],
    ['now.type_of()', 'datetime'],
    ['d.type_of()', 'datetime'],
    ['(1 < 2).type_of()', 'bool'],
    ['missing.is_null()', true],
    ['e.is_null()', false],
    ['n.is_empty()', true],
    ['e.is_empty()', true],
    ['es.is_empty()', true],
    ['em.is_empty()', false],
    ['0.is_empty()', false],
    ['n.catch(whole)', 3],
    ['e.catch(1)', ''],
    ['n.catch(n)', null],
    ["n.debug('x')", null],
    ['whole.debug().type_of()', 'float'],
    ['whole.format(n)', '3'],
  ])
  failures({ s: 'tea' }, [['s.catch(1 / 0)', 'division by zero']])

  test('debug logs what it passes on', () => {
    const lines: string[] = []
    const context = { log: (level: string, message: string) => void lines.push(`${level} ${message}`) }
    expect(valueMethods.debug?.run(context, 'x', 'step')).toBe('x')
    expect(valueMethods.debug?.run(context, null)).toBe(null)
    expect(valueMethods.debug?.run(context, [1, 'a'])).toEqual([1, 'a'])
    expect(lines).toEqual(['trace step: x', 'trace null', 'trace [1, a]'])
  })
})
