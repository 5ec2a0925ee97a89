import { describe, expect, test } from 'vitest'
import { shapeOf } from '../../../lib/record/stamp.ts'
import { type ParseOptions, parse, type WrittenType } from '../../../streams/csv/index.ts'
import { read, refused } from './support.ts'

/** What a column of this type makes of cells, as text. */
async function cells(
  type: WrittenType,
  texts: string[],
  more: object = {},
  options: ParseOptions = {},
): Promise<string[]> {
  const schema = [{ name: 'c', type, ...more }]
  const records = await read(`c,x\n${texts.map((text) => `${text},\n`).join('')}`, { schema, ...options })
  return (records as { c: unknown }[]).map(({ c }) => (Object.is(c, -0) ? '-0' : String(c)))
}

describe('types', () => {
  test('int: an optional sign and digits, 64 bits', async () => {
    expect(
      await cells('int', [
        '0',
        '-0',
        '007',
        '+5',
        '-12',
        '999999999999999',
        '9007199254740993',
        '-9223372036854775808',
      ]),
    ).toEqual(['0', '0', '7', '5', '-12', '999999999999999', '9007199254740993', '-9223372036854775808'])
  })

  test.each(['', '1.0', '1_000', ' 5', '5 ', '-', '+', '1e3', '9223372036854775808', '0x10'])(
    'int: not %j',
    async (text) => {
      expect(await refused(`c,x\n${text},\n`, { schema: { c: 'int' } })).toContain('E126')
    },
  )

  test('float: any finite double, rounded right', async () => {
    expect(
      await cells('float', [
        '1',
        '.5',
        '5.',
        '-0',
        '0.1',
        '123456789.123456789',
        '1e21',
        '0.30000000000000004',
        '9007199254740993',
      ]),
    ).toEqual(['1', '0.5', '5', '-0', '0.1', '123456789.12345679', '1e+21', '0.30000000000000004', '9007199254740992'])
  })

  test('float: the digits of a fast read give the double that Number gives', async () => {
    const texts = Array.from({ length: 2000 }, (_, n) => `${n * 7919 + 1}.${`${n * 104_729}`.padStart(n % 9, '0')}`)
    expect(await cells('float', texts)).toEqual(texts.map((text) => `${Number(text)}`))
  })

  test.each(['', '.', '-', 'NaN', 'inf', 'Infinity', '1e400', '1,5', '0x10', ' 1', '1.2.3'])(
    'float: not %j',
    async (text) => {
      expect(await refused(`c,x\n"${text}",\n`, { schema: { c: 'float' } })).toContain('E126')
    },
  )

  test('decimal: digits and their scale', async () => {
    expect(await cells('decimal', ['7', '7.50', '1e3', '-0.10'], { scale: 2 })).toEqual([
      '7.00',
      '7.50',
      '1000.00',
      '-0.10',
    ])
  })

  test('bool', async () => {
    expect(await cells('bool', ['true', 'FALSE', 'Yes', 'no', 'on', 'off', '1', '0'])).toEqual([
      'true',
      'false',
      'true',
      'false',
      'true',
      'false',
      'true',
      'false',
    ])
  })

  test('date: year first', async () => {
    expect(await cells('date', ['2024-02-29', '2024/03/01', '2024-2-9', '0001-01-01', '2024-02-29'])).toEqual([
      '2024-02-29',
      '2024-03-01',
      '2024-02-09',
      '0001-01-01',
      '2024-02-29',
    ])
  })

  test.each(['', '2023-02-29', '2024-13-01', '2024-00-10', '12/31/1999', '2024-02-29T00:00', '24-02-29', '2024-02-2x'])(
    'date: not %j',
    async (text) => {
      expect(await refused(`c,x\n${text},\n`, { schema: { c: 'date' } })).toContain('E126')
    },
  )

  test('date_time: brought to UTC', async () => {
    expect(
      await cells('date_time', ['2024-07-05T08:09', '2024-07-05 08:09:10.12', '2024-07-05T08:09:10+02:00']),
    ).toEqual(['2024-07-05T08:09:00', '2024-07-05T08:09:10.120', '2024-07-05T06:09:10'])
  })

  test('string and any: the text as it is', async () => {
    expect(await cells('string', [' a ', '007', '', 'null'])).toEqual([' a ', '007', '', 'null'])
    expect(await cells('any', ['7', 'true', ''])).toEqual(['7', 'true', ''])
  })

  test('nullable: an empty cell is null, but for texts', async () => {
    for (const type of ['int', 'float', 'decimal', 'bool', 'date', 'date_time']) {
      expect(await cells(`nullable(${type})`, ['', '""'])).toEqual(['null', 'null'])
    }
    expect(await cells({ nullable: 'string' }, [''])).toEqual([''])
  })

  test('format: the only form then', async () => {
    expect(await cells('date', ['31.12.1999'], { format: '%d.%m.%Y' })).toEqual(['1999-12-31'])
    const schema = [{ name: 'c', type: 'date', format: '%d.%m.%Y' }]
    expect(await refused('c\n1999-12-31\n', { schema })).toContain('E126')
  })
})

describe('binding', () => {
  test('by name, in any order; records have the order of the schema, then the file', async () => {
    const parser = parse({ schema: { id: 'int', hue: 'string' } })
    parser.end('shelf,hue,id,box\nA,red,1,x\n')
    for await (const record of parser.records()) {
      expect(record).toEqual({ id: 1, hue: 'red', shelf: 'A', box: 'x' })
      expect(shapeOf(record)?.names).toEqual(['id', 'hue', 'shelf', 'box'])
      expect(shapeOf(record)?.declared).toBe(2)
    }
  })

  test('exactly: case and blanks count', async () => {
    expect(await refused('ID\n1\n', { schema: { id: 'int' } })).toContain('field="id"')
    expect(await refused('id, hue\n1,red\n', { schema: { hue: 'string' } })).toContain('field="hue"')
  })

  test('a column the file lacks is null when it may be', async () => {
    expect(await read('id\n1\n', { schema: { id: 'int', hue: 'nullable(string)', x: 'any' } })).toEqual([
      { id: 1, hue: null, x: null },
    ])
  })

  test('else every row is refused', async () => {
    const schema = { id: 'int', hue: 'string' }
    expect(await refused('id\n1\n', { schema, file: 'plants.csv', name: 'plants' })).toBe(
      'E126: source "plants": plants.csv row=1 column=2 field="hue": declared string, got null\n' +
        '  the file has "id"; declare it nullable(string) if a file may lack it',
    )
    expect(await read('id\n', { schema })).toEqual([])
  })

  test.each([
    ['HUE,id\nred,1\n', 'the file has "HUE", "id": correct the name, or read it by `source_name: "HUE"`'],
    [' hue ,id\nred,1\n', 'the file has " hue ", "id": correct the name, or read it by `source_name: " hue "`'],
    ['heu,id\nred,1\n', 'the file has "heu", "id": correct the name, or read it by `source_name: "heu"`'],
    ['hue;id\nred;1\n', 'the file has "hue;id": set delimiter to ";"'],
    ['hue\tid\nred\t1\n', 'the file has "hue\\tid": set delimiter to "\\t"'],
    ['x\n1\n', 'the file has "x"; declare it nullable(string) if a file may lack it'],
  ])('a column that is not there is told with what is there: %j', async (text, help) => {
    const [, told] = (await refused(text, { schema: { hue: 'string' } })).split('\n  ')
    expect(told).toBe(help)
  })

  test('source_name reads a column of another name', async () => {
    const schema = [
      { name: 'id', type: 'int' },
      { name: 'maker', type: 'string', source_name: 'made_by' },
    ]
    expect(await read('made_by,id,city\nAda,1,Ulm\n', { schema })).toEqual([{ id: 1, maker: 'Ada', city: 'Ulm' }])
    expect(await refused('id,made_by,maker\n1,Ada,Bo\n', { schema })).toBe(
      'E236: source "csv": column "maker" reads the field "made_by", but the file also has a field "maker"\n' +
        '  give the column another name, or declare one that reads "maker"',
    )
  })

  test('two columns may swap names, or read one field', async () => {
    const swapped = [
      { name: 'a', type: 'string', source_name: 'b' },
      { name: 'b', type: 'string', source_name: 'a' },
    ]
    expect(await read('a,b\n1,2\n', { schema: swapped })).toEqual([{ a: '2', b: '1' }])
    const both = [
      { name: 'n', type: 'int', source_name: 'x' },
      { name: 't', type: 'string', source_name: 'x' },
    ]
    expect(await read('x\n07\n', { schema: both })).toEqual([{ n: 7, t: '07' }])
  })
})

describe('errors', () => {
  test('a bad cell names source, file, row, column, field, type and value', async () => {
    expect(
      await refused('id,age\n1,30\n2,old\n', { schema: { id: 'int', age: 'int' }, file: 'plants.csv', name: 'plants' }),
    ).toBe('E126: source "plants": plants.csv row=2 column=2 field="age": declared int, got "old"')
  })

  test('of several bad cells the first in the file counts', async () => {
    expect(await refused('b,a\nx,y\n', { schema: { a: 'int', b: 'int' } })).toContain('column=1 field="b"')
  })

  test('the value is cut at 256 bytes and shown on one line', async () => {
    const message = await refused(`a\n"${'long\n'.repeat(200)}"\n`, { schema: { a: 'int' } })
    expect(message).toMatch(/got "long[^\n]*…"$/)
    expect(Buffer.byteLength(message.slice(message.indexOf('got ') + 4))).toBeLessThanOrEqual(256)
  })

  test('a wrong schema is refused at once', () => {
    expect(() => parse({ schema: { a: 'itn' } })).toThrow('E000: source "csv": column "a" has the unknown type "itn"')
  })
})
