import { describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileExpression,
  compileTransform,
  type Scope,
  userFunctions,
} from '../../../lib/cxl/engine.ts'
import type { Type } from '../../../lib/record/type.ts'
import { faults, scopeOf, shortFaults, type } from './support.ts'

const columns = {
  i: 'int',
  n: 'nullable(int)',
  f: 'float',
  dec: 'decimal',
  s: 'string',
  b: 'bool',
  day: 'date',
  time: 'date_time',
  xs: 'array',
  m: 'map',
  u: 'any',
}

const scope = scopeOf(columns)
const environment = bareEnvironment()

describe('types of expressions', () => {
  test.each([
    ['i + 1', 'int'],
    ['i + n', 'nullable(int)'],
    ['i / 2.0', 'float'],
    ['i * dec', 'decimal'],
    ['s + "x"', 'string'],
    ['u + 1', 'any'],
    ['i + null', 'nullable(int)'],
    ['-n', 'nullable(int)'],
    ['i == n', 'bool'],
    ['i < n', 'nullable(bool)'],
    ['i < 1 and b', 'bool'],
    ['n < 1 or b', 'nullable(bool)'],
    ['not b', 'bool'],
    ['if b then i', 'nullable(int)'],
    ['if b then i else s', 'any'],
    ['if b then i else f', 'float'],
    ['n ?? 0', 'int'],
    ['null ?? s', 'string'],
    ['n ?? s', 'any'],
    ['xs[0]', 'any'],
    ['m.a.b', 'any'],
    ['s.length()', 'int'],
    ['n.to_string()', 'nullable(string)'],
    ['n.is_null()', 'bool'],
    ['s.try_int()', 'nullable(int)'],
    ['concat(s, u)', 'string'],
    ['concat(u)', 'nullable(string)'],
    ['match i { 1 => "a", _ => null }', 'nullable(string)'],
    ['now', 'date_time'],
    ['$pipeline.total_count', 'int'],
    ['$source.count', 'nullable(int)'],
    ['$meta.synthetic', 'bool'],
    ['$doc.head.batch', 'any'],
  ])('%s is %s', (text, written) => {
    expect(`${compileExpression(text, scope).type}`).toBe(written)
  })

  test('tell the language from the representation where ints and floats meet', () => {
    const { type: written, form } = compileExpression('if b then i else f', scope)
    expect([`${written}`, `${form}`]).toStrictEqual(['float', 'numeric'])
  })
})

const refused: [text: string, fault: string][] = [
  ['s - "a"', "1:1 '-' does not take String and String"],
  ['1 + (s + 1)', "1:6 '+' does not take String and Int"],
  ['b + b', "1:1 '+' does not take Bool and Bool"],
  ['day - day', "1:1 '-' does not take Date and Date"],
  ['dec + f', '1:1 cannot mix decimal and float without an explicit cast'],
  ['dec < f', '1:1 cannot mix decimal and float without an explicit cast'],
  ['i == s', '1:1 cannot compare Int with String'],
  ['day < time', '1:1 cannot compare Date with DateTime'],
  ['n < s', '1:1 cannot compare Nullable(Int) with String'],
  ['i.upper()', "1:1 'upper' is a method of String, got Int"],
  ['s.uper()', "1:1 there is no method 'uper'"],
  ['s.left()', "1:1 'left(count: int) -> string?' takes 1 argument, got 0"],
  ['s.left("a")', "1:1 'left' takes Int as 'count', got String"],
  ['concat()', "1:1 'concat(...parts: text) -> string?' takes 1 or more arguments, got 0"],
  ['s.find("(")', '1:8 invalid regex'],
  ['match i { 1 => 2 }', "1:1 'match' needs an arm '_ => …' for everything else"],
  ['sum(i)', "1:1 the aggregate 'sum' needs a group of records and cannot be used here"],
  ['upper(s)', "1:1 there is no function 'upper'"],
  ['$window.sum(i)', "1:1 $window.sum needs an 'analytic_window' on its transform"],
  ['$window.total(i)', '1:1 there is no window function $window.total'],
  ['$window.any(i)', '1:13 $window.any needs a Bool, got Int'],
  ['$window.any($window.count() > 1)', '1:13 $window.count cannot stand inside $window.any'],
  ['$meta.synthetc', '1:1 there is no $meta.synthetc'],
  ['$vars.rate', '1:1 $vars.rate is not declared'],
  ['$config.rate', '1:1 $config.rate can be read inside a composition only'],
  ['$source.fil', '1:1 $source.fil is neither built in nor declared'],
  ['$source.left.label', "1:1 $source.left.label names no input 'left'"],
  ['$record.x', '1:1 $record.x is not declared'],
  ['toString', "1:1 unknown name 'toString'"],
  ['__proto__', "1:1 unknown name '__proto__'"],
  ['u * 2 == 1 and u == "a"', "1:16 'u' is used as Numeric and as String"],
  ['u and u < 1', "1:1 'u' is used as Int and as Bool"],
]

describe('refused expressions', () => {
  test.each(refused)('%s', (text, fault) => {
    const found = shortFaults(() => compileExpression(text, scope))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(fault)
  })

  test('name the nearest known thing', () => {
    expect(faults(() => compileExpression('s.uper()', scope))).toContain("help: did you mean 'upper'?")
    expect(faults(() => compileExpression('tiem', scope))).toContain("help: did you mean 'time'?")
    expect(faults(() => compileExpression('$pipeline.nmae', scope))).toContain("help: did you mean '$pipeline.name'?")
  })

  test('unknown names are told before types, all of them', () => {
    const text = 'emit a = yy + 1\nemit b = s - 1\nemit c = zz'
    expect(shortFaults(() => compileTransform(text, scope))).toStrictEqual([
      "1:10 unknown name 'yy'",
      "3:10 unknown name 'zz'",
    ])
  })

  test('type faults are told all', () => {
    const text = 'emit a = s - 1\nfilter i\nemit each x in s { filter b distinct }'
    expect(shortFaults(() => compileTransform(text, scope))).toStrictEqual([
      "1:10 '-' does not take String and Int",
      '2:8 filter needs a Bool, got Int',
      "3:16 'emit each' needs an Array, got String",
      "3:20 'filter' cannot stand inside 'emit each'",
      "3:29 'distinct' cannot stand inside 'emit each'",
    ])
  })
})

describe('scopes', () => {
  test('an open scope takes every name for a field', () => {
    expect(compileExpression('amount > limit', {}).columns).toStrictEqual(['amount', 'limit'])
  })

  test('qualified fields are read by input, and a bare one is told its input', () => {
    const qualified: Scope = {
      columns: new Map(),
      qualifiers: new Map([['orders', new Map([['id', type('int')]])]]),
    }
    const expression = compileExpression('orders.id + 1', qualified)
    expect(expression.evaluate({}, environment, { orders: { id: 4 } })).toBe(5)
    expect(expression.evaluate({}, environment, { orders: null })).toBe(null)
    expect(faults(() => compileExpression('id', qualified))).toContain("help: write 'orders.id'")
    expect(shortFaults(() => compileExpression('orders.idd', qualified))).toStrictEqual([
      "1:1 'orders' has no field 'idd'",
    ])
  })

  test('$doc is checked against what the sources declare', () => {
    const doc = new Map([['head', new Map([['batch', type('string')]])]])
    expect(`${compileExpression('$doc.head.batch', { doc }).type}`).toBe('nullable(string)')
    expect(shortFaults(() => compileExpression('$doc.head.bach', { doc }))).toStrictEqual([
      "1:1 no source declares the field 'bach' of $doc.head",
    ])
    expect(shortFaults(() => compileExpression('$doc.head.batch', { doc: false }))).toStrictEqual([
      '1:1 $doc.head.batch cannot be read here',
    ])
  })

  test('functions of the user are called by name, with checked arguments', () => {
    const functions = userFunctions({
      risk: {
        signature: '(amount: float, country: string) -> float',
        run: (amount: number, country: string) => (country === 'NO' ? amount / 2 : 1),
      },
    })
    const own: Scope = { ...scope, functions }
    expect(compileExpression('risk(f, s)', own).evaluate({ f: 3, s: 'NO' }, environment)).toBe(1.5)
    expect(shortFaults(() => compileExpression('risk(s, s)', own))).toStrictEqual([
      "1:1 'risk' takes Float as 'amount', got String",
    ])
  })

  test('writes go to declared variables of the declared type only', () => {
    const variables = {
      record: new Map([
        ['grade', { type: type('string') }],
        ['other', { type: type('int') }],
      ]),
      writable: new Set(['$record.grade']),
    }
    const written = (text: string) => shortFaults(() => compileTransform(text, { ...scope, variables }))
    expect(written('emit $record.grade = s')).toStrictEqual([])
    expect(written('emit $record.grade = i')).toStrictEqual(['1:22 $record.grade is declared as String, got Int'])
    expect(written('emit $record.grad = s')).toStrictEqual(['1:14 $record.grad is not declared'])
    expect(written('emit $record.other = i')).toStrictEqual(['1:14 $record.other is not declared by this node'])
    expect(written('emit $pipeline.name = s')).toStrictEqual(['1:16 $pipeline.name is built in and cannot be written'])
  })
})

describe('columns with dots in their names', () => {
  const dotted = scopeOf({ 'pos.dec': 'float', 'pos.at.x': 'int', m: 'map', 'm.k': 'int', 'a.b': 'any' })
  const row = { 'pos.dec': 1.5, 'pos.at.x': 3, m: { k: 9, j: 8 }, 'm.k': 7, 'a.b': { c: 5 } }

  test.each([
    ['pos.dec * 2', 3],
    ['pos.at.x + 1', 4],
    ['pos.dec.round(0)', 2],
    ['m.k', 7],
    ['m.j', 8],
    ['a.b.c', 5],
  ])('%s reads them and gives %j', (text, value) => {
    for (const backend of ['generated', 'closures'] as const) {
      expect(compileExpression(text, dotted, { backend }).evaluate(row, environment)).toStrictEqual(value)
    }
  })

  test('the type is that of the column', () => {
    expect(`${compileExpression('pos.dec', dotted).type}`).toBe('float')
    expect(compileExpression('pos.dec + pos.at.x', dotted).columns).toStrictEqual(['pos.dec', 'pos.at.x'])
  })

  test('a let of the first name hides them', () => {
    const program = compileTransform('let m = xs[0]\nemit k = m.k', scopeOf({ xs: 'array', 'm.k': 'int' }))
    expect(program.columns).toStrictEqual(['xs'])
  })

  test('a field of an input may have them', () => {
    const over: Scope = { columns: new Map(), qualifiers: new Map([['stars', dotted.columns as Map<string, Type>]]) }
    expect(compileExpression('stars.pos.dec', over).evaluate({}, environment, { stars: row })).toBe(1.5)
    expect(compileExpression('stars.m.j', over).evaluate({}, environment, { stars: row })).toBe(8)
    expect(shortFaults(() => compileExpression('stars.pos', over))).toStrictEqual(["1:1 'stars' has no field 'pos'"])
  })

  test('one that is misspelled is suggested', () => {
    expect(faults(() => compileExpression('pos.dce + 1', dotted))).toBe(
      "error[resolve]: unknown name 'pos.dce'\n --> <inline>:1:1\n  |\n1 | pos.dce + 1\n  | ^^^^^^^\n  = help: did you mean 'pos.dec'?",
    )
  })
})
