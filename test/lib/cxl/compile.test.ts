import { describe, expect, test } from 'vitest'
import { compile, evaluate, formula, type ProgramOptions } from '../../../lib/cxl/index.ts'
import type { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { backends } from './support.ts'

/** The whole text of what is thrown. */
function refusal(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return ''
}

describe.each(backends)('compile, %s', (backend) => {
  test('gives new records of plain values and leaves the given one alone', () => {
    const { run } = compile('emit total = price * qty\nemit name = name.upper()', { backend })
    const record = Object.freeze({ name: 'ink', price: 2.5, qty: 4 })
    expect(run(record)).toStrictEqual([{ name: 'INK', price: 2.5, qty: 4, total: 10 }])
    expect(record).toStrictEqual({ name: 'ink', price: 2.5, qty: 4 })
  })

  test('gives none or several records', () => {
    const { run } = compile('filter xs.length() > 0\nemit each x in xs {\n emit y = x + 1\n}', {
      backend,
      keep: 'emitted',
    })
    const given = [{ xs: [1, 2] }, { xs: [] }, { xs: [5] }]
    expect(given.flatMap(run)).toStrictEqual([{ y: 2 }, { y: 3 }, { y: 6 }])
  })

  test('takes fields of declared columns as values of their types', () => {
    const { run } = compile('emit total = price * qty\nemit due = day.add_days(1)\nemit half = share / 2', {
      backend,
      columns: { price: 'decimal', qty: 'int', day: 'date', at: 'date_time', share: 'float', note: 'nullable(string)' },
    })
    const at = new Date('2024-02-29T12:30:00Z')
    expect(
      run({ price: '19.90', qty: 3, day: new Date('2024-02-29'), at, share: 3, extra: 'rides along' }),
    ).toStrictEqual([
      {
        price: Decimal.parse('19.90'),
        qty: 3,
        day: CivilDate.of(2024, 2, 29),
        at: CivilDateTime.parse('2024-02-29T12:30:00'),
        share: 3,
        note: null,
        total: Decimal.parse('59.70'),
        due: CivilDate.of(2024, 3, 1),
        half: 1.5,
        extra: 'rides along',
      },
    ])
    expect(JSON.stringify(run({ price: 0.1, qty: 3n, day: '2024-01-01', at, share: 1 })[0])).toBe(
      '{"price":"0.1","qty":3,"day":"2024-01-01","at":"2024-02-29T12:30:00","share":1,"note":null,"total":"0.3","due":"2024-01-02","half":0.5}',
    )
  })

  test.each<[object, string]>([
    [{ qty: 'three' }, 'E126: column "qty": declared int, got "three"'],
    [{ qty: 2.5 }, 'E126: column "qty": declared int, got 2.5'],
    [{}, 'E126: column "qty": declared int, got null\n  declare it nullable(int) if it may be missing'],
    [[] as object, 'E000: a record must be an object, got []'],
  ])('refuses the record %j', (record, text) => {
    const { run } = compile('emit next = qty + 1', { backend, columns: { qty: 'int' } })
    expect(refusal(() => run(record))).toBe(text)
  })

  test('tells of an evaluation that fails, with its place', () => {
    const { run } = compile('emit a = 1\nemit share = 1 / parts', { backend })
    expect(refusal(() => run({ parts: 0 }))).toBe(
      "EvaluationFailure: field 'share': division by zero\n  <inline>:2:14\n  2 | emit share = 1 / parts\n    |              ^^^^^^^^^",
    )
  })

  test('columns that are not declared may be there or not, in any record', () => {
    const { run } = compile('emit both = concat(a, b)', { backend })
    expect([{ a: 'x' }, { b: 'y', a: 'x' }, {}].flatMap(run)).toStrictEqual([
      { a: 'x', both: 'x' },
      { b: 'y', a: 'x', both: 'xy' },
      { both: null },
    ])
  })

  test('hostile names are columns like any other', () => {
    const record = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}') as object
    const [out] = compile('emit a = constructor + toString', { backend }).run(record)
    expect(JSON.stringify(out)).toBe('{"__proto__":1,"constructor":2,"toString":3,"a":5}')
    expect(compile('emit a = constructor', { backend }).run({})).toStrictEqual([{ a: null }])
  })

  test('records of one program are records of the next, floats included', () => {
    const [first] = compile('emit share = amount * 2', { backend, columns: { amount: 'float' } }).run({ amount: 1 })
    expect(compile('emit kind = share.type_of()', { backend }).run(first as object)).toStrictEqual([
      { amount: 1, share: 2, kind: 'float' },
    ])
  })

  test('distinct remembers what earlier calls saw', () => {
    const { run } = compile('distinct by k\nemit n = 1', { backend, keep: 'emitted' })
    expect([{ k: 1 }, { k: 1 }, { k: 2 }].map((record) => run(record).length)).toStrictEqual([1, 0, 1])
    expect(compile('distinct by k\nemit n = 1', { backend }).run({ k: 1 })).toHaveLength(1)
  })

  test('max_expansion limits what emit each makes of one record', () => {
    const { run } = compile('emit each x in xs {\n emit y = x\n}', { backend, max_expansion: 2 })
    expect(() => run({ xs: [1, 2, 3] })).toThrow("'emit each' makes more than 2 records of one (max_expansion)")
  })
})

describe('a compiled program', () => {
  test('tells its columns with types, what it reads and what is suspicious', () => {
    const program = compile('emit total = price * qty\nemit name = name.length()', {
      columns: { name: 'string', price: 'decimal', qty: 'nullable(int)' },
    })
    expect(program.columns).toStrictEqual([
      { name: 'name', type: 'int' },
      { name: 'price', type: 'decimal' },
      { name: 'qty', type: 'nullable(int)' },
      { name: 'total', type: 'nullable(decimal)' },
    ])
    expect(program.reads).toStrictEqual(['price', 'qty', 'name'])
    expect(program.warnings).toStrictEqual([])
    expect(compile('let a = 1').warnings.map(({ message }) => message)).toStrictEqual(['the program emits nothing'])
  })

  test('gives columns that another one takes', () => {
    const first = compile('emit total = price * 2', { columns: { price: 'decimal' } })
    expect(compile('emit more = total + 1', { columns: first.columns }).columns).toStrictEqual([
      { name: 'price', type: 'decimal' },
      { name: 'total', type: 'decimal' },
      { name: 'more', type: 'decimal' },
    ])
  })

  test('reads variables, functions, modules and the clock that it is given', () => {
    const lines: string[] = []
    const { run } = compile(
      'use tax.rates as t\nemit net = t.net(double(gross))\nemit rate = $vars.rate\nemit at = now\ntrace "seen"',
      {
        columns: { gross: 'float' },
        vars: { rate: { type: 'float', default: 2 }, unused: 'x' },
        functions: { double: { signature: '(amount: float) -> float', run: (amount: number) => amount * 2 } },
        modules: { 'tax.rates': 'let rate = 1.25\nfn net(gross) = gross / rate' },
        now: () => new Date('2024-01-02T03:04:05Z'),
        log: (level, message) => lines.push(`${level} ${message}`),
      },
    )
    expect(run({ gross: 5 })).toStrictEqual([
      { gross: 5, net: 8, rate: 2, at: CivilDateTime.parse('2024-01-02T03:04:05') },
    ])
    expect(lines).toStrictEqual(['info seen'])
  })

  test('modules may be found by a function, and are refused when it finds none', () => {
    const modules = (name: string): string | undefined => (name === 'a' ? 'let k = 1' : undefined)
    expect(compile('use a\nemit k = a.k', { modules }).run({})).toStrictEqual([{ k: 1 }])
    expect(() => compile('use b\nemit k = b.k', { modules })).toThrow("there is no module 'b'")
  })
})

describe('a program at fault', () => {
  test('is refused with line, column and cure', () => {
    expect(
      refusal(() => compile('emit a = 1\nemit total = prise * qty', { columns: { price: 'int', qty: 'int' } })),
    ).toBe(
      "E203: unknown name 'prise'\n  <inline>:2:14\n  2 | emit total = prise * qty\n    |              ^^^^^\n  did you mean 'price'?",
    )
  })

  test('names the file it is from', () => {
    expect(refusal(() => compile('emit a =', { file: 'net.cxl' }))).toBe(
      "E202: 'emit' needs an expression, found the end\n  net.cxl:1:9\n  1 | emit a =\n    |         ^",
    )
  })

  test('tells all of its faults', () => {
    expect(() => compile('emit a = x\nemit b = y', { columns: {} })).toThrow(
      "E203: unknown name 'x'\nE203: unknown name 'y'",
    )
  })

  test.each<[unknown, string]>([
    [
      { colums: {} },
      'E000: compile: unknown option `colums`\n  did you mean `columns`? known options: columns, vars, functions, modules, backend, file, now, log, keep, max_expansion',
    ],
    [
      { columns: { a: 'strng' } },
      'E000: columns.a has the unknown type "strng"\n  did you mean `string`? known types: bool, int, float, decimal, string, date, date_time, array, map, any, nullable(type)',
    ],
    [{ vars: { k: { type: 'int', default: 'x' } } }, 'E000: vars.k must be int, got "x"'],
    [
      { functions: { f: 1 } },
      "E000: functions.f must be { signature, run }, got int 1\n  write { signature: '(amount: decimal) -> string', run: (amount) => … }",
    ],
  ])('the options %j are refused', (options, text) => {
    expect(refusal(() => compile('emit a = 1', options as ProgramOptions))).toBe(text)
  })

  test('a text is needed', () => {
    expect(refusal(() => compile(5 as never))).toBe('E000: compile takes a text, got 5')
  })
})

describe('formula', () => {
  test('is a function of a record', () => {
    const net = formula('(amount / 1.19).round(2)', { columns: { amount: 'float' } })
    expect([{ amount: 119 }, { amount: 1 }].map(net)).toStrictEqual([100, 0.84])
    expect([net.type, net.reads]).toStrictEqual(['float', ['amount']])
  })

  test('gives whole floats of unknown type as plain numbers', () => {
    expect(formula('a * 2.0')({ a: 1 })).toBe(2)
  })

  test('refuses a statement and a name that is not declared', () => {
    expect(() => formula('emit a = 1')).toThrow('E202')
    expect(() => formula('amont + 1', { columns: { amount: 'int' } })).toThrow("E203: unknown name 'amont'")
  })
})

test('evaluate gives the value of one expression', () => {
  expect(evaluate('a + 1', { a: 1 })).toBe(2)
  expect(evaluate("'7'.pad_left(3, '0')")).toBe('007')
  expect(evaluate('$vars.n + 1', {}, { vars: { n: 4 } })).toBe(5)
})
