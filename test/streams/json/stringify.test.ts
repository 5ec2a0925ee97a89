import { describe, expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { json, ndjson } from '../../../streams/json/index.ts'
import { records } from '../records.ts'
import { refusal, write } from './text.ts'

describe('format', () => {
  test('array: a bracket, a record a line, a bracket', async () => {
    expect(await write([{ id: 1 }, { id: 2 }])).toBe('[\n{"id":1},\n{"id":2}\n]\n')
    expect(await write([])).toBe('[\n]\n')
  })

  test('ndjson: a record a line, each ended', async () => {
    expect(await write([{ id: 1 }, { id: 2 }], { format: 'ndjson' })).toBe('{"id":1}\n{"id":2}\n')
    expect(await write([], { format: 'ndjson' })).toBe('')
  })

  test('records come single or in batches', async () => {
    expect(await write([[{ id: 1 }, { id: 2 }], { id: 3 }, [], [{ id: 4 }]], { format: 'ndjson' })).toBe(
      '{"id":1}\n{"id":2}\n{"id":3}\n{"id":4}\n',
    )
  })

  test('another one is refused', async () => {
    expect(await refusal(() => json.stringify({ format: 'lines' } as never))).toBe(
      'E000: output: format must be `array` or `ndjson`, got "lines"',
    )
    expect(await refusal(() => ndjson.stringify({ indent: 2, name: 'sky' } as never))).toContain(
      'E000: output "sky": unknown key `indent`',
    )
  })
})

describe('pretty', () => {
  test('indents by two inside each record', async () => {
    const rows = [{ id: 1, 'a.b': [1, 2], e: [], s: '{"x": [1,2]}\\"', m: {} }, { id: 2 }]
    expect(await write(rows, { pretty: true })).toBe(
      '[\n{\n  "id": 1,\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  },\n  "e": [],\n  "s": "{\\"x\\": [1,2]}\\\\\\"",\n  "m": {}\n},\n' +
        '{\n  "id": 2\n}\n]\n',
    )
  })

  test('goes with ndjson', async () => {
    expect(await write([{ id: 1 }, { id: 2 }], { pretty: true, format: 'ndjson' })).toBe(
      '{\n  "id": 1\n}\n{\n  "id": 2\n}\n',
    )
  })
})

describe('preserve_nulls', () => {
  const rows = records({ id: 'int', name: 'nullable(string)', 'a.b': 'nullable(int)', 'a.c': 'nullable(int)' }, [
    [1, null, null, null],
    [2, 'x', null, 3],
  ])

  test('false leaves nulls out, and objects with nothing in them', async () => {
    expect(await write(rows, { format: 'ndjson' })).toBe('{"id":1}\n{"id":2,"name":"x","a":{"c":3}}\n')
  })

  test('true writes them', async () => {
    expect(await write(rows, { format: 'ndjson', preserve_nulls: true })).toBe(
      '{"id":1,"name":null,"a":{"b":null,"c":null}}\n{"id":2,"name":"x","a":{"b":null,"c":3}}\n',
    )
  })

  test('a record of nulls is an empty object', async () => {
    expect(await write([{ a: null, b: undefined }], { format: 'ndjson' })).toBe('{}\n')
    expect(await write([{}], { format: 'ndjson', pretty: true })).toBe('{}\n')
  })
})

describe('text forms', () => {
  const date = CivilDate.of(2024, 7, 5) as CivilDate
  const values = {
    int: [0, -12, 9007199254740991, 9007199254740993n],
    float: [2, -0, 0.00001, 0.000001, 1e15, 1e16, 1.25e-7, 1.5],
    decimal: [Decimal.parse('7.50'), Decimal.parse('-0.10')],
    bool: [true, false],
    string: ['', 'é<\u0001', '"\\\n\r\t\b\f\u001f', '\u2028', '😀', 'x'.repeat(100)],
    date: [date],
    date_time: [CivilDateTime.of(date, 8, 9, 10, 0), CivilDateTime.of(date, 8, 9, 10, 120_000_000)],
    array: [[1, 2.5, new Float(2), 'x', null, [true], { k: 1 }]],
    map: [{ k: [1], m: {} }],
  }
  const written = {
    int: ['0', '-12', '9007199254740991', '9007199254740993'],
    float: ['2.0', '-0.0', '0.00001', '1e-6', '1000000000000000.0', '1e+16', '1.25e-7', '1.5'],
    decimal: ['"7.50"', '"-0.10"'],
    bool: ['true', 'false'],
    string: ['""', '"é<\\u0001"', '"\\"\\\\\\n\\r\\t\\b\\f\\u001f"', '"\u2028"', '"😀"', `"${'x'.repeat(100)}"`],
    date: ['"2024-07-05"'],
    date_time: ['"2024-07-05T08:09:10"', '"2024-07-05T08:09:10.120"'],
    array: ['[1,2.5,2.0,"x",null,[true],{"k":1}]'],
    map: ['{"k":[1],"m":{}}'],
  }

  test.each(Object.keys(values) as (keyof typeof values)[])('of %s', async (type) => {
    const rows = records(
      { v: type },
      values[type].map((value) => [value as never]),
    )
    const lines = written[type].map((text) => `{"v":${text}}\n`).join('')
    expect(await write(rows, { format: 'ndjson' })).toBe(lines)
  })

  test('without a type the value tells', async () => {
    const rows = [1, 2.5, new Float(2), -0, 1e16, 2n ** 70n, 'x', true, date, new Date(0)].map((v) => ({ v }))
    expect(await write(rows, { format: 'ndjson' })).toBe(
      [
        '1',
        '2.5',
        '2.0',
        '-0.0',
        '1e+16',
        '1180591620717411303424',
        '"x"',
        'true',
        '"2024-07-05"',
        '"1970-01-01T00:00:00"',
      ]
        .map((text) => `{"v":${text}}\n`)
        .join(''),
    )
  })

  test('a value that is not of its column’s type is written as what it is', async () => {
    const rows = records({ i: 'int', f: 'float', s: 'string', b: 'bool', d: 'date' }, [
      [1.5, 'x', 7, 'no', true],
      ['x', 2n, false, 1, 'later'],
    ])
    expect(await write(rows, { format: 'ndjson' })).toBe(
      '{"i":1.5,"f":"x","s":7,"b":"no","d":true}\n{"i":"x","f":2,"s":false,"b":1,"d":"later"}\n',
    )
  })

  test.each([
    [{ w: NaN }, 'float', 'NaN'],
    [{ w: Infinity }, 'float', 'inf'],
    [{ w: -Infinity }, 'any', '-inf'],
  ])('%o is refused', async ({ w }, type, shown) => {
    expect(await refusal(() => write(records({ w: type }, [[1.5], [w]]), { name: 'out' }))).toBe(
      `UnwritableValue: output "out": column \`w\` of row 2 of rows.csv cannot be written as JSON: ${shown} has no form in JSON\n` +
        '  give it another value, or null, in a transform before the output',
    )
  })
})

describe('names', () => {
  test('nest, grouped where a prefix first appears', async () => {
    expect(await write([{ 'm.p': 1, id: 2, 'm.q': 3, 'a\\.b': 4, 'C:\\\\x': 5 }], { format: 'ndjson' })).toBe(
      '{"m":{"p":1,"q":3},"id":2,"a.b":4,"C:\\\\x":5}\n',
    )
  })

  test('correlation keys nest under $ck', async () => {
    expect(await write([{ id: 1, '$ck.bottle': 'b1' }], { format: 'ndjson' })).toBe('{"id":1,"$ck":{"bottle":"b1"}}\n')
  })

  test('that cannot both be written are refused before the first byte', async () => {
    expect(await refusal(() => write([{ id: 1, a: 2, 'a.x': 3 }], { name: 'sky' }))).toBe(
      'UnwritableName: output "sky": columns `a` and `a.x` cannot both be written: `a` would be a value and an object\n' +
        "  rename `a` in the output's mapping, or exclude it",
    )
  })

  test('records may differ in their columns', async () => {
    expect(await write([{ a: 1 }, { b: 2, a: 1 }, { 'c.d': 1 }], { format: 'ndjson' })).toBe(
      '{"a":1}\n{"b":2,"a":1}\n{"c":{"d":1}}\n',
    )
  })
})

test('without generated code the text is the same', async () => {
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`c${index}.x`, index % 3 ? index : null]))
  const text = await write([wide], { format: 'ndjson' })
  const expected = Object.fromEntries(
    Object.entries(wide).flatMap(([name, x]) => (x === null ? [] : [[name.slice(0, -2), { x }]])),
  )
  expect(text).toBe(`${JSON.stringify(expected)}\n`)
})
