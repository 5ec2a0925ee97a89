import { describe, expect, test } from 'vitest'
import { compileExpression, compileTransform, EvaluationError } from '../../../lib/cxl/engine.ts'
import { backends, faults, modules, run, scopeOf, shortFaults } from './support.ts'

const money = `
# Prices.
let vat = 0.19
let double = vat * 2.0
fn net(gross) = gross / (1.0 + vat)
fn clamp_to(n, lo, hi) = if n < lo then lo else if n > hi then hi else n
fn half(n) = n / 2
fn twice(n) = half(n) * 4
`

const resolver = modules({
  'shared.money': money,
  'app.shop': 'use shared.money as m\nlet rate = m.vat\nfn price(g) = m.net(g).round(2)',
})

describe.each(backends)('%s code', (backend) => {
  const program = (text: string, columns: Record<string, string>, row: never[]) =>
    run(text, columns, [row], { backend, scope: { modules: resolver } })

  test('calls functions and reads constants of a module', () => {
    const text = [
      'use shared.money as m',
      'use app.shop',
      'emit a = m.twice(n)',
      'emit b = m.clamp_to(n, 1, 5)',
      'emit c = m.double',
      'emit d = shop.price(f)',
      'emit e = shop.rate',
      'emit g = m.half(f)',
    ].join('\n')
    expect(program(text, { n: 'int', f: 'float' }, [7, 11.9] as never[])).toStrictEqual([
      { n: 7, f: 11.9, a: 12, b: 5, c: 0.38, d: 10, e: 0.19, g: 5.95 },
    ])
  })

  test('works inside closures, conditions and expressions', () => {
    const text = 'use shared.money as m\nemit r = xs.map(it => m.half(it)).filter(it => m.clamp_to(it, 0, 2) == it)'
    expect(program(text, { xs: 'array' }, [[2, 4, 9]] as never[])[0]?.r).toStrictEqual([1, 2])
    const scope = { ...scopeOf({ n: 'int' }), modules: resolver }
    const expression = compileExpression('use shared.money as m\nm.half(n) > 2', scope, { backend })
    expect(expression.canonical).toBe('use shared.money as m m.half(n) > 2')
  })

  test('an error inside a function tells field and row of the caller and the place in the module', () => {
    const scope = { modules: modules({ 'a.one': 'fn f(n) =\n  10 / n' }) }
    try {
      run('use a.one as o\nemit a = 1\nemit r = o.f(n)', { n: 'int' }, [[0]], { backend, scope })
      expect.unreachable()
    } catch (error) {
      const { message, place } = error as EvaluationError
      expect([message, place?.file, place?.line, place?.column]).toStrictEqual([
        "EvaluationFailure: row 1: field 'r': division by zero",
        'rules/a/one.cxl',
        2,
        3,
      ])
    }
  })
})

const refused: [title: string, use: string, texts: Record<string, string>, fault: string][] = [
  ['no such module', 'use a.b as m\nemit x = 1', {}, "1:1 there is no module 'a.b'"],
  [
    'an alias twice',
    'use a.one as m\nuse a.two as m\nemit x = 1',
    { 'a.one': '', 'a.two': '' },
    "2:1 the alias 'm' is there twice",
  ],
  [
    'a name twice',
    'use a.one as m\nemit x = 1',
    { 'a.one': 'let p = 1\nfn p(x) = x' },
    "2:4 module 'a.one': the name 'p' is there twice",
  ],
  [
    'a syntax error',
    'use a.one as m\nemit x = 1',
    { 'a.one': 'let p = = 1' },
    "1:9 module 'a.one': expected an expression, found '='",
  ],
  [
    'emit in a module',
    'use a.one as m\nemit x = 1',
    { 'a.one': 'emit z = 2' },
    "1:1 module 'a.one': a module holds only 'use', 'let' and 'fn', found emit",
  ],
  [
    'an import cycle',
    'use a.one as m\nemit x = 1',
    { 'a.one': 'use a.two as t', 'a.two': 'use a.one as o' },
    '1:1 the modules import each other in a cycle: a.one -> a.two -> a.one',
  ],
  [
    'a module that imports itself',
    'use a.one as m\nemit x = 1',
    { 'a.one': 'use a.one as o' },
    '1:1 the modules import each other in a cycle: a.one -> a.one',
  ],
  [
    'a constant cycle',
    'use a.one as m\nemit x = m.p',
    { 'a.one': 'let p = q + 1\nlet q = p + 1' },
    '2:9 in a.one.q: a constant depends on itself: a.one.p -> a.one.q -> a.one.p',
  ],
  [
    'recursion',
    'use a.one as m\nemit x = m.f(1)',
    { 'a.one': 'fn f(n) = if n < 1 then 0 else f(n - 1)' },
    '1:32 in a.one.f: a function calls itself: a.one.f -> a.one.f',
  ],
  [
    'mutual recursion',
    'use a.one as m\nemit x = m.f(1)',
    { 'a.one': 'fn f(n) = g(n)\nfn g(n) = f(n)' },
    '2:11 in a.one.g: a function calls itself: a.one.f -> a.one.g -> a.one.f',
  ],
  [
    'a field in a constant',
    'use a.one as m\nemit x = m.p',
    { 'a.one': 'let p = ml + 1' },
    "1:9 in a.one.p: unknown name 'ml'; a module sees no fields",
  ],
  [
    'a variable in a function',
    'use a.one as m\nemit x = m.f(1)',
    { 'a.one': 'fn f(n) = n + $vars.x' },
    '1:15 in a.one.f: a module cannot read $vars.x',
  ],
  [
    'an unknown member',
    'use a.one as m\nemit x = m.halv(1)',
    { 'a.one': 'fn half(n) = n / 2' },
    "2:12 the module 'a.one' has no 'halv'",
  ],
  [
    'a call of a constant',
    'use a.one as m\nemit x = m.p(1)',
    { 'a.one': 'let p = 1' },
    "2:12 'a.one.p' is a constant and cannot be called",
  ],
  [
    'a function without call',
    'use a.one as m\nemit x = m.f',
    { 'a.one': 'fn f(n) = n' },
    "2:10 'a.one.f' is a function and must be called",
  ],
  [
    'too few arguments',
    'use a.one as m\nemit x = m.f(1)',
    { 'a.one': 'fn f(a, b) = a' },
    "2:10 'a.one.f' takes 2 arguments (a, b), got 1",
  ],
  [
    'types that do not fit',
    'use a.one as m\nemit x = m.f("a")',
    { 'a.one': 'fn f(n) = n / 2' },
    "1:11 in a.one.f: '/' does not take String and Int",
  ],
  [
    'an import of a module that is private to it',
    'use a.one as m\nemit x = two.k',
    { 'a.one': 'use a.two as two', 'a.two': 'let k = 1' },
    "2:10 unknown name 'two'",
  ],
]

describe('refused modules', () => {
  test.each(refused)('%s', (_, text, texts, fault) => {
    const found = shortFaults(() => compileTransform(text, { ...scopeOf({ ml: 'int' }), modules: modules(texts) }))
    expect(found).toStrictEqual([fault])
  })

  test('suggest the nearest member', () => {
    const compile = () => compileExpression('use shared.money as m\nm.vatt', { modules: resolver })
    expect(faults(compile)).toContain("help: did you mean 'vat'?")
  })

  test('functions that call each other twice are compiled once for each list of types', () => {
    const lines = [
      'fn f0(n) = n + 1',
      ...Array.from({ length: 60 }, (_, n) => `fn f${n + 1}(n) = f${n}(n) - f${n}(n) + n`),
    ]
    const scope = { ...scopeOf({ n: 'int' }), modules: modules({ 'a.deep': lines.join('\n') }) }
    expect(`${compileExpression('use a.deep as d\nd.f60(n)', scope).type}`).toBe('int')
  })
})
