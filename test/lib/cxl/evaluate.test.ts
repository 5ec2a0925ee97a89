import { describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileExpression,
  evaluateOnce,
  fieldValue,
  parseJson,
  printJson,
} from '../../../lib/cxl/engine.ts'
import { Float } from '../../../lib/record/float.ts'
import { mapKeys } from '../../../lib/record/map.ts'
import type { ValueMap } from '../../../lib/record/value.ts'
import { backends, scopeOf } from './support.ts'

describe('evaluateOnce', () => {
  test('prints what is emitted, an object for a record', () => {
    const result = evaluateOnce('emit b = a * 2\nemit c = "x".split(",")\nemit d = m', { a: 1.5, m: {} })
    expect(result.text).toBe('{\n  "b": 3.0,\n  "c": [\n    "x"\n  ],\n  "d": {}\n}')
    expect(result).toMatchObject({ expanded: false, dropped: false })
  })

  test('prints an array once an emit each was reached', () => {
    const text = 'emit k = 1\nemit each x in xs { emit r = x }'
    expect(evaluateOnce(text, { xs: [1, 2] }).text).toBe(
      '[\n  {\n    "k": 1,\n    "r": 1\n  },\n  {\n    "k": 1,\n    "r": 2\n  }\n]',
    )
    expect(evaluateOnce(text, { xs: [] }).text).toBe('[]')
    expect(evaluateOnce(`filter false\n${text}`, { xs: [1] })).toMatchObject({
      text: '{}',
      expanded: false,
      dropped: true,
    })
  })

  test('tells the file as the source', () => {
    expect(evaluateOnce('emit a = $source.file\nemit b = $pipeline.name', {}, { file: 'p.cxl' }).records).toStrictEqual(
      [{ a: 'p.cxl', b: 'cxl-eval' }],
    )
  })

  test('a window call fails when it is evaluated', () => {
    expect(() => evaluateOnce('emit a = $window.sum(x)', { x: 1 })).toThrow(
      "field 'a': $window.sum needs an 'analytic_window'",
    )
  })

  test.each([
    ['5', 5],
    ['-5', -5],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', new Float(9223372036854775808)],
    ['2.0', new Float(2)],
    ['2.5', 2.5],
    ['true', true],
    ['null', null],
    ['NO', 'NO'],
    ['', ''],
  ])('a field written as %s', (text, value) => {
    expect(fieldValue(text)).toStrictEqual(value)
  })
})

describe('JSON', () => {
  test('keeps the digits of integers, what is a float, and the order of keys', () => {
    const value = parseJson(
      '{"b":9007199254740993,"2":1.0,"1":1e2,"a":[-0,-0.0,1e400],"__proto__":{"x":null}}',
    ) as ValueMap
    expect(mapKeys(value)).toStrictEqual(['b', '2', '1', 'a', '__proto__'])
    expect([value.b, value['2'], value['1']]).toStrictEqual([9007199254740993n, new Float(1), new Float(100)])
    expect(value.a).toStrictEqual([0, new Float(-0), Infinity])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test.each(['', '{', '[1,]', '{"a" 1}', '01', '"\n"', 'nul', '[1] 2', '{a:1}', '['.repeat(600)])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    },
  )

  test('is printed with floats that look like floats', () => {
    expect(printJson([1, new Float(1), 1e16, 1.5e-7, Number.NaN, null, { a: -0 }])).toBe(
      '[\n  1,\n  1.0,\n  1e+16,\n  1.5e-7,\n  null,\n  null,\n  {\n    "a": -0.0\n  }\n]',
    )
  })
})

describe.each(backends)('an expression in %s code', (backend) => {
  const environment = bareEnvironment()

  test('is tested: only true is true', () => {
    const scope = scopeOf({ a: 'nullable(int)', b: 'nullable(bool)' })
    const holds = (text: string, a: number | null, b: boolean | null) =>
      compileExpression(text, scope, { backend }).test({ a, b }, environment)
    expect([holds('a > 1', 2, null), holds('a > 1', null, null), holds('b', 1, null)]).toStrictEqual([
      true,
      false,
      false,
    ])
    expect([holds('a > 1 or b', null, true), holds('not b', 1, null), holds('not (a > 1)', 1, null)]).toStrictEqual([
      true,
      false,
      true,
    ])
    expect(() => holds('a > 1 and 1 / a > 0', 0, null)).not.toThrow()
    expect(() => holds('a > 1 and 1 / 0 > a', null, null)).toThrow('division by zero')
  })

  test('names the field it is computed for', () => {
    const expression = compileExpression('1 / a', scopeOf({ a: 'int' }), { backend, field: 'total' })
    expect(() => expression.evaluate({ a: 0 }, environment)).toThrow("field 'total': division by zero")
  })

  test('without names is known before any data is there', () => {
    const constant = (text: string) => compileExpression(text, {}, { backend }).constant
    expect([constant("'synthesized'"), constant('1 + 2 * 3'), constant('-2.0'), constant('null')]).toStrictEqual([
      'synthesized',
      7,
      -2,
      null,
    ])
    expect([constant('a'), constant('now'), constant('1 / 0'), constant('$source.row')]).toStrictEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
