import { describe, expect, test } from 'vitest'
import { read, refused } from './support.ts'

const schema = { a: 'int', b: 'string' }

test('escape: another character before a quote', async () => {
  expect(await read('a,b\n1,"say \\"hi\\", \\\\ or ""\n', { schema, escape: '\\' }).catch((error) => error.code)).toBe(
    'FormatFailure',
  )
  expect(await read('a,b\n1,"say \\"hi\\""\n2,"x,\ny"\n', { schema, escape: '\\' })).toEqual([
    { a: 1, b: 'say "hi"' },
    { a: 2, b: 'x,\ny' },
  ])
})

test('comment: lines that begin with it are left out', async () => {
  expect(await read('# made by hand\na,b\n1,# no\n#2,x\n3,y\n', { schema, comment: '#' })).toEqual([
    { a: 1, b: '# no' },
    { a: 3, b: 'y' },
  ])
})

test('record_delimiter: one or several texts', async () => {
  expect(await read('a,b|\n1,x|\n2,y', { schema, record_delimiter: '|\n' })).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
  expect(await read('a,b;;1,x\n2,y;;', { schema, record_delimiter: [';;', '\n'] })).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
})

test('relax_quotes: a quote that may not stand there is text', async () => {
  expect(await read('a,b\n1,"abc"x\n2,6" pot\n', { schema, relax_quotes: true })).toEqual([
    { a: 1, b: '"abc"x' },
    { a: 2, b: '6" pot' },
  ])
})

test.each([
  [
    'relax_column_count',
    'a,b\n1\n2,x,y\n',
    [
      { a: 1, b: '' },
      { a: 2, b: 'x' },
    ],
  ],
  ['relax_column_count_less', 'a,b\n1\n', [{ a: 1, b: '' }]],
  ['relax_column_count_more', 'a,b\n2,x,y\n', [{ a: 2, b: 'x' }]],
])('%s: rows may differ from the header', async (option, csv, records) => {
  expect(await read(csv, { schema, [option]: true })).toEqual(records)
})

test.each([
  [
    'trim',
    [
      { a: 1, b: 'x' },
      { a: 2, b: ' y ' },
    ],
  ],
  [
    'ltrim',
    [
      { a: 1, b: 'x ' },
      { a: 2, b: ' y ' },
    ],
  ],
])('%s: blanks around cells are left out', async (option, records) => {
  expect(await read(' a, b\n 1, x \n2," y "\n', { schema, [option]: true })).toEqual(records)
})

test('rtrim: blanks behind cells are left out', async () => {
  expect(await read('a ,b \n1 , x \n', { schema, rtrim: true })).toEqual([{ a: 1, b: ' x' }])
})

test('from_line and to_line: a part of the file', async () => {
  expect(await read('report\n\na,b\n1,x\n2,y\n3,z\n', { schema, from_line: 3, to_line: 5 })).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y' },
  ])
})

describe('all else is as in plain CSV', () => {
  const escape = '\\'

  test('header, types, carried columns, blank lines, byte order mark', async () => {
    expect(await read('\uFEFFc,a\r\n\r\nx,007\ry,8\n', { schema: { a: 'int' }, escape })).toEqual([
      { a: 7, c: 'x' },
      { a: 8, c: 'y' },
    ])
  })

  test('any cut of the bytes', async () => {
    const csv = Buffer.from('a,b\n1,"Zoë \\"Z\\"\n"\n2,日本\n')
    for (let cut = 0; cut <= csv.length; cut++) {
      expect(await read([csv.subarray(0, cut), csv.subarray(cut)], { schema, escape })).toEqual([
        { a: 1, b: 'Zoë "Z"\n' },
        { a: 2, b: '日本' },
      ])
    }
  })

  test.each([
    ['a,b\n1\n', 'in.csv, line 2: the row has 1 cell, the header has 2'],
    ['a,b\n1,"x\n', 'in.csv, line 2: a quote opens and never closes'],
    ['a,b\n1,"x"y\n', 'in.csv, line 2: text follows a closing quote'],
    ['a,b\n1,x"y\n', 'in.csv, line 2: a quote stands in a cell that does not begin with one'],
    ['a,a\n', 'in.csv, line 1: the header has two columns named "a"'],
    ['', 'in.csv, line 1: the file has no header line'],
  ])('%j is refused', async (csv, message) => {
    expect(await refused(csv, { schema, escape, file: 'in.csv' })).toContain(`FormatFailure: source "csv": ${message}`)
  })

  test('bytes that are not UTF-8 are refused', async () => {
    expect(await refused([Buffer.from('a,b\n1,caf'), Buffer.from([0xe9, 0x0a])], { schema, escape })).toContain(
      'not valid UTF-8',
    )
  })

  test('bad cells', async () => {
    expect(await refused('a,b\n1,x\nz,y\n', { schema, escape })).toContain(
      'E126: source "csv": row=2 column=1 field="a"',
    )
  })

  test('many rows', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => `${row},text ${row}\n`)
    const records = await read(`a,b\n${rows.join('')}`, { schema, escape })
    expect(records).toHaveLength(20_000)
    expect(records.at(-1)).toEqual({ a: 19_999, b: 'text 19999' })
  })
})

test('a wrong option is refused', async () => {
  expect(await refused('', { comment: '' })).toBe(
    'E000: source "csv": comment must be a text of at least one character, got ""',
  )
  expect(await refused('', { from_line: 0 })).toBe(
    'E000: source "csv": from_line must be a whole number of at least 1, got 0',
  )
})
