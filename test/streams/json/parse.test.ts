import { describe, expect, test } from 'vitest'
import { json, ndjson } from '../../../streams/json/index.ts'
import { letters } from '../records.ts'
import { columns, read, readObjects, refusal, through } from './text.ts'

describe('lines', () => {
  test('blank ones are skipped, whatever ends them, and a byte order mark is removed', async () => {
    const text = '\uFEFF{"id":1,"t":"a\\r\\nb"}\r\n\r\n  \t\r\n{"id":2}\n\n{"id":3}'
    expect(await read(text)).toEqual([{ id: 1, t: 'a\r\nb' }, { id: 2 }, { id: 3 }])
  })

  test.each(['', '\n', ' \r\n\n', '\uFEFF'])('%j has no records', async (text) => {
    expect(await read(text)).toEqual([])
  })

  test('white space inside an object does not matter', async () => {
    expect(await through(' { "a" : 1 , "b" : { "c" : [ 1 , 2.0 ] } } \n')).toBe('{"a":1,"b":{"c":[1,2.0]}}\n')
  })

  test('rows are numbered without the blank ones', async () => {
    const records = await read('{"a":1}\n\n{"a":2}')
    expect(records.map(columns)).toEqual(['1 a: any | ', '2 a: any | '])
  })

  test.each([
    ['{"id":1}\n\n{"id":3,\n{"id":4}', 'line 3 of in.ndjson is not JSON: it ends too early\n  in.ndjson:3:9'],
    ['{"id":1}}', 'line 1 of in.ndjson is not JSON: column 9 cannot be "}"\n  in.ndjson:1:9'],
    ['{"id":1}{"id":2}', 'line 1 of in.ndjson is not JSON: column 9 cannot be "{\\"id\\":2}"\n  in.ndjson:1:9'],
    ["{'id':1}", 'line 1 of in.ndjson is not JSON: column 2 cannot be "\'id\':1}"\n  in.ndjson:1:2'],
    ['{"a":NaN}', 'line 1 of in.ndjson is not JSON: column 6 cannot be "NaN}"\n  in.ndjson:1:6'],
    ['{"a":"\t"}', 'line 1 of in.ndjson is not JSON: column 7 cannot be "\\t\\"}"\n  in.ndjson:1:7'],
    ['{"a":1}\n7', 'line 2 of in.ndjson is no object but 7\n  in.ndjson:2:1'],
    ['{"a":1}\n[1,{"b":2}]', 'line 2 of in.ndjson is no object but [1,{"b":2}]\n  in.ndjson:2:1'],
    ['null', 'line 1 of in.ndjson is no object but null\n  in.ndjson:1:1'],
    [
      '{"a":1,"a":2}',
      'line 1 of in.ndjson cannot be a record: the key "a" occurs twice in one object\n  in.ndjson:1:1',
    ],
    [
      '{"a":1,"a" :1}',
      'line 1 of in.ndjson cannot be a record: the key "a" occurs twice in one object\n  in.ndjson:1:1',
    ],
    [
      '{"l":[{"b":1,"\\u0062":2}]}',
      'line 1 of in.ndjson cannot be a record: the key "b" occurs twice in one object\n  in.ndjson:1:1',
    ],
    [
      '{"s":"\\ud83d"}',
      'line 1 of in.ndjson cannot be a record: the string "\\ud83d" holds half of a surrogate pair\n  in.ndjson:1:1',
    ],
    [
      '{"\\udE00":1}',
      'line 1 of in.ndjson cannot be a record: the string "\\ude00" holds half of a surrogate pair\n  in.ndjson:1:1',
    ],
  ])('%j is refused', async (text, message) => {
    expect(await refusal(() => read(text, { file: 'in.ndjson', name: 'src' }))).toBe(
      `FormatFailure: source "src": ${message}`,
    )
  })

  test('bytes that are no UTF-8 are refused, with their line', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":1}\n{"a":"'), Buffer.from([0xe9]), Buffer.from('"}\n')])
    expect(await refusal(() => read([bytes], { file: 'in.ndjson' }))).toBe(
      'FormatFailure: source "json": line 2 of in.ndjson is not valid UTF-8\n  in.ndjson:2:1',
    )
  })

  test('brackets without end are refused, not a crash', async () => {
    const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(await refusal(() => read(text))).toBe(
      'FormatFailure: source "json": line 1 nests 100001 levels deep, and at most 512 are read',
    )
  })
})

describe('objects one after another', () => {
  test('take as many lines as they like', async () => {
    expect(await readObjects('{"a":1}{"a":\n2} {"a":"}{"}\n\n{\n  "a": {"b": "\\\\"}\n}\n')).toEqual([
      { a: 1 },
      { a: 2 },
      { a: '}{' },
      { 'a.b': '\\' },
    ])
  })

  test.each([
    ['{"a":1}\n\n{"a":\n\n2,}', 'line 5 of in.json is not JSON: column 3 cannot be "}"\n  in.json:5:3'],
    ['{"a":1}\n{"a":2', 'line 2 of in.json is not JSON: it ends too early\n  in.json:2:7'],
    ['{"a":1}\n  x', 'line 2 of in.json is not JSON objects one after another: column 3 cannot be "x"\n  in.json:2:3'],
    [
      '{"a":1},{"a":2}',
      'line 1 of in.json is not JSON objects one after another: column 8 cannot be ","\n  in.json:1:8',
    ],
    [
      '{"a":1}\n[{"a":2}]',
      'line 2 of in.json is not JSON objects one after another: column 1 cannot be "["\n  in.json:2:1',
    ],
  ])('%j is refused', async (text, message) => {
    expect(await refusal(() => readObjects(text, { file: 'in.json' }))).toBe(`FormatFailure: source "json": ${message}`)
  })

  test('an array is refused with a way out', async () => {
    expect(await refusal(() => readObjects('\n [{"a":1}]', { file: 'in.json' }))).toBe(
      'FormatFailure: source "json": line 2 of in.json begins with `[`: JSON arrays and documents cannot be read yet\n' +
        '  in.json:2:2\n  give one object a line (NDJSON)',
    )
  })
})

describe('schema', () => {
  test('declares columns, which come first, in its order', async () => {
    const [record] = await read('{"x":1,"b":2,"a":"t"}', { schema: { a: 'string', b: 'int' } })
    expect(record).toEqual({ a: 't', b: 2, x: 1 })
    expect(columns(record as never)).toBe('1 a: string, b: int | x: any')
  })

  test('types are read as the language has them', async () => {
    const schema = { i: 'int', f: 'float', d: 'decimal', b: 'bool', t: 'date', at: 'date_time' }
    expect(await through('{"i":7.0,"f":7,"d":1.50,"b":1,"t":"2024-1-2","at":"2024-07-05T08:09:10Z"}', { schema })).toBe(
      '{"i":7,"f":7.0,"d":"1.50","b":true,"t":"2024-01-02","at":"2024-07-05T08:09:10"}\n',
    )
    expect(
      await through('{"i":"-7","f":"1.5","d":"2.5","b":"yes","t":"2024/01/02","at":"2024-07-05 08:09"}', { schema }),
    ).toBe('{"i":-7,"f":1.5,"d":"2.5","b":true,"t":"2024-01-02","at":"2024-07-05T08:09:00"}\n')
  })

  test('decimals keep the digits they are written with', async () => {
    const text = '{"d":12345678901234567890.123456789}\n{"d":0.1}\n{"d":"0.10"}\n{"d":1.50}\n{"d":5}\n'
    expect(await through(text, { schema: { d: 'decimal' } })).toBe(
      '{"d":"12345678901234567890.123456789"}\n{"d":"0.1"}\n{"d":"0.10"}\n{"d":"1.50"}\n{"d":"5"}\n',
    )
    const schema = [{ name: 'd', type: 'decimal', scale: 4 }]
    expect(await through('{"d":0.1}\n{"d":5}\n{"d":2.06250}\n', { schema })).toBe(
      '{"d":"0.1000"}\n{"d":"5.0000"}\n{"d":"2.0625"}\n',
    )
  })

  test('nested columns are named with dots, and a container that is null or empty says only that they are absent', async () => {
    const schema = { id: 'int', 'pos.dec': 'nullable(float)' }
    const text = '{"id":1,"pos":{"dec":2}}\n{"id":2,"pos":null}\n{"id":3,"pos":{}}\n{"id":4,"pos":{"ra":1}}'
    const records = await read(text, { schema })
    expect(records).toEqual([
      { id: 1, 'pos.dec': 2 },
      { id: 2, 'pos.dec': null },
      { id: 3, 'pos.dec': null },
      { id: 4, 'pos.dec': null, 'pos.ra': 1 },
    ])
  })

  test('a column of type map or any keeps its object whole', async () => {
    const text = '{"id":1,"v":{"k":[1],"m":{"z":0,"2":1,"1":2.0}},"w":{"a":{}}}\n'
    expect(await through(text, { schema: { id: 'int', v: 'map', w: 'any' } })).toBe(text)
  })

  test('a literal dot is escaped, and source_name gives it a name', async () => {
    const schema = [
      { name: 'a.b', type: 'int' },
      { name: 'a\\.b', type: 'int' },
      { name: 'ab', type: 'int', source_name: 'a\\.b' },
    ]
    expect(await read('{"a":{"b":1},"a.b":2}', { schema })).toEqual([{ 'a.b': 1, 'a\\.b': 2, ab: 2 }])
  })

  test('two columns may swap names', async () => {
    const schema = [
      { name: 'a', type: 'int', source_name: 'b' },
      { name: 'b', type: 'int', source_name: 'a' },
    ]
    expect(await read('{"a":1,"b":2}', { schema })).toEqual([{ a: 2, b: 1 }])
  })

  test('a field with the name of a column that reads another one is refused', async () => {
    const schema = [{ name: 'a', type: 'int', source_name: 'b' }]
    expect(await refusal(() => read('{"b":1}\n{"a":1,"b":2}', { schema, file: 'in.ndjson' }))).toBe(
      'E236: source "json": in.ndjson row=2: column "a" reads the field "b", and there is a field "a", too\n' +
        '  give the column a name that no other field has',
    )
  })

  test('multiple makes an array of one value', async () => {
    const schema = [{ name: 't', type: 'nullable(int)', multiple: true }]
    expect(await read('{"t":[1,"2"]}\n{"t":3}\n{"t":[]}\n{"t":null}\n{}', { schema })).toEqual([
      { t: [1, 2] },
      { t: [3] },
      { t: [] },
      { t: null },
      { t: null },
    ])
  })

  test.each([
    ['{"id":2.5}', 'int', 'row=1 column=1 field="id": declared int, got 2.5'],
    ['{"id":9223372036854775808}', 'int', 'row=1 column=1 field="id": declared int, got 9223372036854775808'],
    ['{"id":1.00000000000000000001}', 'int', 'row=1 column=1 field="id": declared int, got 1.00000000000000000001'],
    ['{"id":1e400}', 'float', 'row=1 column=1 field="id": declared float, got 1e400'],
    ['{"id":5}', 'string', 'row=1 column=1 field="id": declared string, got 5'],
    ['{"id":["a"]}', 'string', 'row=1 column=1 field="id": declared string, got ["a"]'],
    ['{"id":{}}', 'string', 'row=1 column=1 field="id": declared string, got {}'],
    ['{"id":2}', 'bool', 'row=1 column=1 field="id": declared bool, got 2'],
    [
      '{"id":null}',
      'int',
      'row=1 column=1 field="id": declared int, got null\n  declare it nullable(int) if it may be empty',
    ],
    [
      '{"x":1}',
      'int',
      'row=1 column=1 field="id": declared int, got null\n  declare it nullable(int) if it may be empty',
    ],
  ])('%s is no %s', async (text, type, message) => {
    expect(await refusal(() => read(text, { schema: { id: type } }))).toBe(`E126: source "json": ${message}`)
  })

  test('a bad value is found behind many good ones, whose code is generated', async () => {
    const text = `${'{"id":1,"t":"2024-01-01"}\n'.repeat(20)}{"id":1,"t":"2024-02-30"}`
    expect(await refusal(() => read(text, { schema: { id: 'int', t: 'date' } }))).toBe(
      'E126: source "json": row=21 column=2 field="t": declared date, got "2024-02-30"\n' +
        '  a date is written year first, as 2024-02-29; for another order give the column a `format`',
    )
  })
})

describe('on_unmapped', () => {
  const text = '{"id":1}\n{"id":2,"zip":"01001"}\n{"id":3,"maker":{"name":"Ada"}}\n{"id":4,"gone":null}'
  const schema = { id: 'int' }

  test('carries what the schema does not name', async () => {
    expect((await read(text, { schema })).map(columns)).toEqual([
      '1 id: int | ',
      '2 id: int | zip: any',
      '3 id: int | maker.name: any',
      '4 id: int | gone: any',
    ])
  })

  test('drop leaves it out', async () => {
    expect(await read(text, { schema, on_unmapped: { mode: 'drop' } })).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
      { id: 4 },
    ])
  })

  test('reject stops at the first field, nested or null', async () => {
    const reject = (text: string) =>
      refusal(() => read(text, { schema, on_unmapped: { mode: 'reject' }, file: 'in.ndjson' }))
    const rest =
      ' is not in the schema, and on_unmapped is reject\n' +
      '  declare it, or set on_unmapped to { mode: auto_widen } or { mode: drop }'
    expect(await reject(text)).toBe(`FormatFailure: source "json": in.ndjson row=2: field "zip"${rest}`)
    expect(await reject('{"id":3,"maker":{"name":"Ada"}}')).toBe(
      `FormatFailure: source "json": in.ndjson row=1: field "maker.name"${rest}`,
    )
    expect(await reject('{"id":4,"gone":null}')).toBe(
      `FormatFailure: source "json": in.ndjson row=1: field "gone"${rest}`,
    )
    expect(await reject('{"id":4}')).toBe('accepted')
  })
})

describe('on_error', () => {
  test('continue sends the row as it was read, undeclared fields included', async () => {
    const { letters: found, dead_letters } = letters()
    const text =
      '{"k":"a","id":1.0}\n{"k":"b","id":1.5,"x":{"y":[1]}}\n{"k":"c","id":1e400}\n{"k":"d","id":"1x"}\n{"k":"e","id":5}'
    const schema = { k: 'string', id: 'int' }
    const options = {
      schema,
      on_error: 'continue',
      dead_letters,
      file: 'in.ndjson',
      on_unmapped: { mode: 'drop' },
    } as const
    expect(await read(text, options)).toEqual([
      { k: 'a', id: 1 },
      { k: 'e', id: 5 },
    ])
    expect(found).toEqual([
      {
        category: 'type_coercion_failure',
        detail: 'in.ndjson row=2 column=2 field="id": declared int, got 1.5',
        stage: 'source',
        trigger: true,
        field: 'id',
        value: 1.5,
        record: { k: 'b', id: 1.5, 'x.y': [1] },
        source: { name: 'json', file: 'in.ndjson', row: 2 },
      },
      expect.objectContaining({ value: '1e400', record: { k: 'c', id: '1e400' } }),
      expect.objectContaining({ value: '1x', record: { k: 'd', id: '1x' } }),
    ])
  })

  test('continue does not help input that is no JSON, nor on_unmapped reject', async () => {
    const { dead_letters } = letters()
    const on_error = 'continue'
    expect(await refusal(() => read('{', { on_error, dead_letters }))).toContain('FormatFailure')
    const schema = { a: 'int' }
    expect(
      await refusal(() => read('{"a":1,"b":1}', { schema, on_error, dead_letters, on_unmapped: { mode: 'reject' } })),
    ).toContain('FormatFailure')
  })
})

describe('options', () => {
  test('are checked when the stream is made', async () => {
    expect(await refusal(() => ndjson.parse({ shema: { a: 'int' } } as never))).toBe(
      'E000: source "json": unknown key `shema`\n  did you mean `schema`? known keys: format, record_path, max_index_bytes, schema, on_unmapped, date_formats, name, file, on_error, batch, signal, dead_letters',
    )
    expect(await refusal(() => ndjson.parse({ schema: { a: 'integer' } }))).toContain('unknown type')
  })

  test.each([
    ['$.data.rows', 'write `data.rows`'],
    ['/data', 'write `data`'],
    ['data..rows', 'write `data.rows`'],
    ['', 'leave it out when the document itself is the array'],
  ])('the record_path %j is refused with the right one', async (record_path, help) => {
    expect(await refusal(() => json.parse({ record_path, name: 'stars' } as never))).toBe(
      `E363: source "stars": record_path must be keys with dots between them, from the root to an array, got ${JSON.stringify(record_path)}\n  ${help}`,
    )
  })

  test.each([
    [{ format: 'object' }, 'E000: source "json": format: object needs a record_path'],
    [{ format: 'array' }, 'E000: source "json": format is `array`: JSON arrays and documents cannot be read yet'],
    [{ record_path: 'a.b' }, 'E000: source "json": record_path is given: JSON arrays and documents cannot be read yet'],
  ])('%j is refused', async (options, message) => {
    expect(await refusal(() => json.parse(options as never))).toContain(message)
  })
})
