import { describe, expect, test } from 'vitest'
import { compileExpression, formatProgram } from '../../../lib/cxl/engine.ts'

const formatted: [title: string, before: string, after: string][] = [
  ['blanks', 'emit  r=1+2*3', 'emit r = 1 + 2 * 3\n'],
  ['a statement a line', 'let a = 2 emit r = a * 3 emit s = a', 'let a = 2\nemit r = a * 3\nemit s = a\n'],
  ['parentheses that do not matter', 'emit r = ((a) * (b.c)) + (1)', 'emit r = a * b.c + 1\n'],
  ['parentheses that matter', 'emit r = (a + b) * -(c - d) - (e - f)', 'emit r = (a + b) * -(c - d) - (e - f)\n'],
  ['the end of a chain of comparisons', 'emit r = (a<b)==(c)', 'emit r = (a < b) == c\n'],
  [
    'receivers',
    'emit r = (-5).abs() + (a ?? "").length() + 5.max( 1 )',
    'emit r = (-5).abs() + (a ?? "").length() + 5.max(1)\n',
  ],
  ['an if as an operand', 'emit r = 1 + if a then 2 else 3', 'emit r = 1 + (if a then 2 else 3)\n'],
  [
    "an else that is not the inner if's",
    'emit r = if a then (if b then 1) else 2',
    'emit r = if a then (if b then 1) else 2\n',
  ],
  [
    'literals as written',
    "emit r = '\\d+' + \"it's\" + x.to_date(#2024-3-5#)",
    "emit r = '\\d+' + \"it's\" + x.to_date(#2024-3-5#)\n",
  ],
  [
    'a match on one line and on several',
    'emit r = match x { 1=>2 , _=>3 }\nemit q = match {\n a>1=>2\n _=>3 }',
    'emit r = match x { 1 => 2, _ => 3 }\nemit q = match {\n  a > 1 => 2,\n  _ => 3\n}\n',
  ],
  ['chains on several lines', 'emit r = x\n    ?? y\n ?? z', 'emit r = x\n  ?? y\n  ?? z\n'],
  [
    'an if on several lines',
    'emit r = if a then 1\nelse if b then 2\nelse 3',
    'emit r = if a then 1\n  else if b then 2\n  else 3\n',
  ],
  [
    'blocks',
    'emit each x in xs outer{emit r=x\n\n\n# why\nlet y=1}',
    'emit each x in xs outer {\n  emit r = x\n\n  # why\n  let y = 1\n}\n',
  ],
  [
    'comments',
    '#first\n\n\nemit a = 1   # one\n# two\nemit b = 2\n#last',
    '#first\n\nemit a = 1 # one\n# two\nemit b = 2\n#last\n',
  ],
  ['a statement with a comment inside as it is', 'emit a = x # why\n    ??  1', 'emit a = x # why\n    ??  1\n'],
  [
    'a comment behind a brace',
    'emit each x in xs { # each\nemit r = x }',
    'emit each x in xs {\n  # each\n  emit r = x\n}\n',
  ],
  [
    'trace',
    'trace warn if a>1 "big"\ntrace (if a then "b")\ntrace info (-1)',
    'trace warn if a > 1 then "big"\ntrace (if a then "b")\ntrace info (-1)\n',
  ],
  [
    'other statements',
    'use a.b  as c\ndistinct  by k\ndistinct\nfilter  (a)\nemit $record.x=1\na',
    'use a.b as c\ndistinct by k\ndistinct\nfilter a\nemit $record.x = 1\na\n',
  ],
  ['a bare expression that opens with a minus', 'emit a = b\n((-c) + 1)', 'emit a = b\n(-c + 1)\n'],
  ['lines that end in CR LF', 'emit a = 1\r\n\r\nemit b = 2 # x\r\n', 'emit a = 1\n\nemit b = 2 # x\n'],
  ['nothing', '\n\n', ''],
  ['only a comment', '# nothing here', '# nothing here\n'],
]

describe('formatProgram', () => {
  test.each(formatted)('writes %s', (_, before, after) => {
    expect(formatProgram(before)).toBe(after)
    expect(formatProgram(after)).toBe(after)
  })

  test('refuses what does not parse', () => {
    expect(() => formatProgram('emit = 1')).toThrow('E202')
  })
})

describe('the canonical text of an expression', () => {
  test.each([
    ["( a+'x' )", 'a + "x"'],
    ['007 + 1.50', '7 + 1.5'],
    ['#2024-3-5#', '#2024-03-05#'],
    ["'\\n\\d'", '"\\n\\\\d"'],
    ['a # why\n ?? b', 'a ?? b'],
  ])('%s', (text, canonical) => {
    expect(compileExpression(text, {}).canonical).toBe(canonical)
    expect(compileExpression(canonical, {}).canonical).toBe(canonical)
  })
})
