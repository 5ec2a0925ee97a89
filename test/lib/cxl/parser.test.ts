import { describe, expect, test } from 'vitest'
import { compileExpression, compileTransform } from '../../../lib/cxl/engine.ts'
import { backends, faults, run, shortFaults } from './support.ts'

const program = (text: string) => () => compileTransform(text, {})

describe('errors', () => {
  test('show message, place, line, mark and cure', () => {
    expect(faults(program('emit a = 1\nemit b = a && 2'))).toBe(
      [
        "error[parse]: unexpected '&&'",
        ' --> <inline>:2:12',
        '  |',
        '2 | emit b = a && 2',
        '  |            ^^',
        "  = help: use 'and'",
      ].join('\n'),
    )
  })

  test('count columns in characters and keep the mark below tabs', () => {
    expect(faults(() => compileTransform('\temit r = "ünï😀" + )', {}, { file: 'a.cxl' }))).toBe(
      [
        "error[parse]: expected an expression, found ')'",
        ' --> a.cxl:1:20',
        '  |',
        '1 | \temit r = "ünï😀" + )',
        '  | \t                  ^',
      ].join('\n'),
    )
  })

  test('are told for every statement that has one', () => {
    const text = 'emit r = )\nlet = 2\nemit q = 1\nfilter\nemit s = x.\nemit t = "open'
    expect(shortFaults(program(text))).toStrictEqual([
      "1:10 expected an expression, found ')'",
      "2:5 expected a name after 'let', found '='",
      "5:1 'filter' needs an expression on its line",
      "6:1 expected a name after '.', found 'emit'",
      '6:10 this text has no closing quote on its line',
    ])
  })
})

const refused: [text: string, fault: string][] = [
  ['emit filter = 1', "1:6 expected a column name after 'emit', found 'filter': 'filter' is a reserved word"],
  ['emit r 1', "1:8 expected '=' after 'emit r', found '1'"],
  ['emit r =', "1:9 'emit' needs an expression, found the end"],
  ['emit r = 5.', "1:12 expected a name after '.', found the end"],
  ['emit r = 9223372036854775808', '1:10 the integer 9223372036854775808 does not fit into 64 bits'],
  ['emit r = 1 < 2 < 3', '1:16 comparisons do not chain'],
  ['emit r = #2023-02-29#', '1:10 there is no such day as #2023-02-29#'],
  ['#1 note', '1:1 a date literal must be #YYYY-MM-DD#'],
  ['emit r = now()', "1:13 'now' is not a call"],
  ['emit r = (1', "1:10 this '(' has no matching ')'"],
  ['emit r = f(1', "1:11 this '(' has no matching ')'"],
  ['emit r = a.left(1,)', "1:19 unexpected ')' after ','"],
  ['emit r = [1]', "1:10 expected an expression, found '['"],
  ['emit r = xs.map(x => x)', "1:17 the parameter of a closure is always 'it', found 'x'"],
  ['let f = it => it', '1:9 a closure can only be the direct argument of a method such as filter or map'],
  ['emit each x of xs { }', "1:13 expected 'in' after 'x', found 'of'"],
  ['emit each x in xs { emit r = x', "1:19 this '{' has no matching '}'"],
  ['emit r = match x { 1 2 }', "1:22 expected '=>' after the pattern of an arm, found '2'"],
  ['emit r = $env.HOME', '1:10 there is no namespace $env'],
  ['emit r = $pipeline', "1:19 expected '.' after $pipeline, found the end"],
  ['emit $ck.id = 1', '1:6 $ck cannot be written'],
  ['emit a = 1\nuse x.y', "2:1 'use' must stand before all other statements"],
  ['use x::y', "1:6 the parts of a module's name are joined by '.', not '::'"],
  ['use x.*', "1:7 '.*' imports are not allowed"],
  ['fn f(a) = a', "1:1 'fn' stands only in a module"],
  ['a = 1', "1:3 unexpected '='"],
  ['distinct b', "1:10 expected 'by' after 'distinct', found 'b'"],
  ['emit r = 1; emit q = 2', "1:11 unexpected ';'"],
  ['emit r = ñ', "1:10 unexpected character 'ñ'"],
]

describe('refused programs', () => {
  test.each(refused)('%s', (text, fault) => {
    expect(shortFaults(program(text))).toStrictEqual([fault])
  })

  test('an expression is one expression, after its imports', () => {
    expect(shortFaults(() => compileExpression('', {}))).toStrictEqual(['1:1 expected an expression, found the end'])
    expect(shortFaults(() => compileExpression('a b', {}))).toStrictEqual(["1:3 unexpected 'b' after the expression"])
    expect(shortFaults(() => compileExpression('emit a = 1', {}))).toStrictEqual([
      "1:1 expected an expression, found the word 'emit'",
    ])
  })

  test.each([
    ['257 parentheses', `emit r = ${'('.repeat(257)}1${')'.repeat(257)}`, '1:266 expressions nest at most 256 deep'],
    ['a chain of 1300', `emit r = 1${' + 1'.repeat(1300)}`, '1:5136 an expression has at most 1280 steps in a row'],
    ['65537 bytes', `# ${'x'.repeat(65_535)}`, '1:1 this text has more than 65536 bytes'],
  ])('%s', (_, text, fault) => {
    expect(shortFaults(program(text))).toStrictEqual([fault])
  })

  test('a tall tree of chains inside parentheses does not overflow the stack', () => {
    const text = `emit r = ${'('.repeat(200)}a${`${' + 1'.repeat(60)})`.repeat(200)}`
    expect(shortFaults(program(text))[0]).toContain('steps in a row')
  })
})

describe('programs at the limits', () => {
  test.each([
    ['255 parentheses', `emit r = ${'('.repeat(255)}a${')'.repeat(255)}`, 'x'],
    ['a chain of 1200', `emit r = a${' + "y"'.repeat(1200)}`, `x${'y'.repeat(1200)}`],
    ['1200 calls in a row', `emit r = a${'.trim()'.repeat(1200)}`, 'x'],
    ['250 alternatives', `emit r = ${'n ?? '.repeat(250)}a`, 'x'],
    ['5000 columns', `${Array.from({ length: 5000 }, (_, n) => `emit c${n}=a`).join('\n')}\nemit r = c4999`, 'x'],
    [
      '20 closures in one another',
      `emit r = ${'xs.map(it => '.repeat(20)}it${')'.repeat(20)}.join("")`,
      `${'['.repeat(19)}1${']'.repeat(19)}`,
    ],
  ])('%s', (_, text, wanted) => {
    for (const backend of backends) {
      const [record] = run(text, { a: 'string', n: 'nullable(string)', xs: 'array' }, [['x', null, [1]]], { backend })
      expect(record?.r).toBe(wanted)
    }
  })
})
