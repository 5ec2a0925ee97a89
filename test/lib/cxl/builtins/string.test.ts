import { describe, expect, test } from 'vitest'
import { evaluate } from './evaluate.ts'
import { failures, results } from './table.ts'

const row = { n: null, i: 42, f: 2.9, s: 'Harbour Master', m: 'a🚢b⚓c', xs: ['a', 'b'], z: 'straße' }

describe('case', () => {
  results({ ...row, tr: 'İzmir', ff: 'ﬁn', g: 'ΟΔΟΣ ΟΣ.' }, [
    ['z.upper()', 'STRASSE'],
    ['ff.upper()', 'FIN'],
    ['g.lower()', 'οδος ος.'],
    ['tr.lower()', 'i̇zmir'],
    ['i.upper()', null],
    ['xs.lower()', null],
    ['n.upper()', null],
  ])
})

describe('white space', () => {
  results({ t: '\u0085\u00a0\u2003 a b \u3000\t', bom: '\ufeffx\ufeff', blank: ' \u2028\r\n' }, [
    ['t.trim()', 'a b'],
    ['t.trim_start()', 'a b \u3000\t'],
    ['t.trim_end()', '\u0085\u00a0\u2003 a b'],
    ['bom.trim()', '\ufeffx\ufeff'],
    ['blank.trim()', ''],
  ])
})

describe('parts of a text', () => {
  results(row, [
    ["s.starts_with('')", true],
    ["s.ends_with('Master')", true],
    ['s.contains(n)', null],
    ['s.starts_with(i)', null],
    ["'aaaa'.replace('aa', 'b')", 'bb'],
    ["'ab'.replace('b', '$1$&')", 'a$1$&'],
    ["m.replace('', '|')", '|a|🚢|b|⚓|c|'],
    ["''.replace('', '-')", '-'],
    ["s.replace('a', n)", null],
    ['m.substring(1, 3)', '🚢b⚓'],
    ['m.substring(1)', '🚢b⚓c'],
    ['s.substring(-3)', 'Harbour Master'],
    ['s.substring(n, 3)', 'Har'],
    ['s.substring(8, n)', 'Master'],
    ['s.substring(8, -1)', 'Master'],
    ['s.substring(3, 0)', ''],
    ['s.substring(99)', ''],
    ['s.substring(f)', 'rbour Master'],
    ['s.substring(xs)', null],
    ['s.substring(0, 9223372036854775807)', 'Harbour Master'],
    ['m.left(2)', 'a🚢'],
    ['m.left(99)', 'a🚢b⚓c'],
    ['m.right(4)', '🚢b⚓c'],
    ['m.right(99)', 'a🚢b⚓c'],
    ['m.right(0)', ''],
    ['s.left(n)', null],
    ['s.right(-1)', null],
    ['m.reverse()', 'c⚓b🚢a'],
    ['m.length()', 5],
    ['i.length()', null],
  ])
})

describe('filling', () => {
  results(row, [
    ["'7'.pad_left(4, 'xy')", 'xxx7'],
    ["'7'.pad_left(3, '')", '  7'],
    ["'7'.pad_left(3, n)", '  7'],
    ["'x'.pad_left(3, m.substring(1, 1))", '🚢🚢x'],
    ["m.pad_left(7, '*')", '**a🚢b⚓c'],
    ['m.pad_right(7)', 'a🚢b⚓c  '],
    ["'abc'.pad_left(-1)", null],
    ["'abc'.pad_left(n)", null],
    ["'abc'.pad_right(0)", 'abc'],
    ["'ab'.repeat(0)", ''],
    ["''.repeat(9223372036854775807)", ''],
    ["'ab'.repeat(f)", 'abab'],
    ["'ab'.repeat(n)", null],
  ])

  failures(row, [
    ["'abcdefghij'.repeat(1048577)", 'the text would have more than 10485760 bytes'],
    ["'x'.pad_left(10485761)", 'the text would have more than 10485760 bytes'],
    ["'⚓'.pad_right(9223372036854775807)", 'the text would have more than 10485760 bytes'],
    ["'é'.repeat(5242881)", 'the text would have more than 10485760 bytes'],
  ])

  test('counts the limit in bytes of UTF-8', () => {
    expect(evaluate("'é'.repeat(5242880).length()")).toBe(5_242_880)
    expect(evaluate("'x'.pad_left(10485760).length()")).toBe(10_485_760)
  })
})

describe('lists', () => {
  results({ ...row, ms: [1, 2.5, true, null, 't', [1, null]] }, [
    ["',a,'.split(',')", ['', 'a', '']],
    ["''.split(',')", ['']],
    ["''.split('')", ['', '']],
    ["m.split('')", ['', 'a', '🚢', 'b', '⚓', 'c', '']],
    ["'a--b'.split('--')", ['a', 'b']],
    ['s.split(n)', null],
    ["'abc'.join(',')", null],
    ['xs.join(n)', null],
    ["ms.join('|')", '1|2.5|true||t|[1, ]'],
    ["i.join(',')", null],
  ])
})

describe('concat', () => {
  results({ ...row, b: true }, [
    ["'a'.concat(n, 'b', i, f, xs)", 'ab422.9[a, b]'],
    ["i.concat('a')", null],
    ["n.concat('a')", null],
    ["concat(n, 'a', n, i)", 'a42'],
    ['concat(n, n)', null],
    ["concat('')", ''],
    ['concat(b)', 'true'],
  ])
  failures(row, [
    ["'a'.concat()", "'concat(...parts: text) -> string' takes 1 or more arguments, got 0"],
    ["concat('a', 1)", "'concat' takes"],
  ])
})

describe('patterns', () => {
  results({ ...row, p: '[0-9]+', u: 'Größe: 42 µm' }, [
    ["'a1'.matches(p)", false],
    ["'12'.matches(p)", true],
    ['u.find(p)', true],
    ["u.capture('(\\d+) (.)m', 2)", 'µ'],
    ["u.capture('(\\d+)', -1)", '42'],
    ["u.capture('(\\d+)', n)", '42'],
    ["u.capture('(\\d+)', 7)", null],
    ["u.capture('(x)?\\d+', 1)", null],
    ['u.matches(n)', null],
    ["i.matches('42')", null],
  ])
  failures({ ...row, bad: '(' }, [
    ["'77'.matches(bad)", "invalid regex '(': a `(` without its `)`, at character 2"],
    ["'77'.find('a(?=b)')", "invalid regex 'a(?=b)': look-around is not supported, at character 5"],
  ])
})
