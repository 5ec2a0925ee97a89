import { describe, expect, test } from 'vitest'
import { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { Type } from '../../../lib/record/type.ts'
import { columnType, parseSchema, parseTypeName } from '../../../lib/schema/index.ts'

/** The text of what is wrong with a schema. */
const fault = (written: unknown): string => {
  try {
    parseSchema(written, { node: 'source "orders"' })
  } catch (error) {
    if (error instanceof ClinkerError) return error.format()
    throw error
  }
  throw new Error('the schema was taken')
}

describe('types', () => {
  test.each([
    ['int', Type.of('int')],
    ['date_time', Type.of('date_time')],
    ['nullable(int)', Type.of('int', true)],
    [{ nullable: 'int' }, Type.of('int', true)],
    ['nullable(nullable(int))', Type.of('int', true)],
    ['nullable(any)', Type.of('any')],
    ['numeric', Type.of('numeric')],
    ['null', Type.of('null')],
  ])('%j is a type', (written, type) => {
    expect(parseTypeName(written)).toBe(type)
  })

  test.each([
    ['integer'],
    ['INT'],
    ['nullable()'],
    ['nullable(int'],
    [' int'],
    [''],
    [5],
    [null],
    [undefined],
    [['int']],
    [{}],
  ])('%j is none', (written) => {
    expect(parseTypeName(written)).toBeUndefined()
    expect(parseTypeName({ nullable: 'int', more: 1 })).toBeUndefined()
  })
})

describe('a schema', () => {
  test('is a list of columns with their details', () => {
    expect(
      parseSchema([
        { name: 'id', type: 'int', long_unique: true },
        { name: 'price', type: 'decimal', scale: 2, precision: 9 },
        { name: 'day', type: { nullable: 'date' }, format: '%d.%m.%Y', source_name: 'Day of order' },
        { name: 'tags', type: 'string', multiple: true },
      ]),
    ).toEqual([
      { name: 'id', type: Type.of('int'), long_unique: true },
      { name: 'price', type: Type.of('decimal'), scale: 2, precision: 9 },
      { name: 'day', type: Type.of('date', true), format: '%d.%m.%Y', source_name: 'Day of order' },
      { name: 'tags', type: Type.of('string'), multiple: true },
    ])
  })

  test('is a map from names to types in code', () => {
    expect(parseSchema({ id: 'int', note: 'nullable(string)' })).toEqual([
      { name: 'id', type: Type.of('int') },
      { name: 'note', type: Type.of('string', true) },
    ])
  })

  test('may be empty, and name columns anything', () => {
    expect(parseSchema([])).toEqual([])
    expect(
      parseSchema([
        { name: '__proto__', type: 'int' },
        { name: '', type: 'int' },
      ]).map(({ name }) => name),
    ).toEqual(['__proto__', ''])
  })

  test('tells the type of the column in a record', () => {
    const [tags, id] = parseSchema([
      { name: 'tags', type: 'nullable(string)', multiple: true },
      { name: 'id', type: 'int' },
    ])
    expect(tags && columnType(tags)).toBe(Type.of('array', true))
    expect(id && columnType(id)).toBe(Type.of('int'))
  })
})

test.each([
  ['id, name', 'E000: source "orders": schema must be a list of { name, type }, got "id, name"'],
  [
    ['id'],
    'E000: source "orders": a column of the schema must be { name, type }, got "id"\n  write { name: id, type: string }',
  ],
  [[{ type: 'int' }], 'E000: source "orders": a column of the schema has no name'],
  [[{ name: 5, type: 'int' }], 'E000: source "orders": the name of a column must be text, got 5'],
  [
    [{ name: 'id' }],
    'E000: source "orders": column "id" has no type\n  known types: null, string, int, float, decimal, bool, date, date_time, array, map, any, nullable(type)',
  ],
  [
    [{ name: 'id', type: 'integr' }],
    'E000: source "orders": column "id" has the unknown type "integr"\n  did you mean `int`? known types: null, string, int, float, decimal, bool, date, date_time, array, map, any, nullable(type)',
  ],
  [
    [{ name: 'id', type: 'nullable(strng)' }],
    'E000: source "orders": column "id" has the unknown type "nullable(strng)"\n  did you mean `string`? known types: null, string, int, float, decimal, bool, date, date_time, array, map, any, nullable(type)',
  ],
  [
    [{ name: 'id', type: 'numeric' }],
    'E158: source "orders": column "id" cannot be numeric: that is a type of expressions only\n  declare it int or float',
  ],
  [
    [{ name: 'id', type: 'int', formt: 'x' }],
    'E000: source "orders": unknown key `formt` in a column of the schema\n  did you mean `format`? known keys: name, type, source_name, format, scale, precision, multiple, long_unique',
  ],
  [
    [{ name: 'id', type: 'int', somethingElse: 1 }],
    'E000: source "orders": unknown key `somethingElse` in a column of the schema\n  known keys: name, type, source_name, format, scale, precision, multiple, long_unique',
  ],
  [
    [
      { name: 'id', type: 'int' },
      { name: 'id', type: 'string' },
    ],
    'E000: source "orders": two columns are named "id"\n  rename one of them',
  ],
  [
    [{ name: 'id', type: 'int', scale: 2 }],
    'E000: source "orders": scale is for a decimal column, but "id" is declared int',
  ],
  [
    [{ name: 'p', type: 'decimal', scale: 29 }],
    'E000: source "orders": scale of column "p" must be a whole number from 0 to 28, got 29',
  ],
  [
    [{ name: 'p', type: 'decimal', precision: '9' }],
    'E000: source "orders": precision of column "p" must be a whole number from 1 to 29, got "9"',
  ],
  [
    [{ name: 'p', type: 'int', format: '%d' }],
    'E000: source "orders": format is for a date or date_time column, but "p" is declared int',
  ],
  [
    [{ name: 'd', type: 'date', format: 5 }],
    'E000: source "orders": format of column "d" must be a date pattern, got 5',
  ],
  [
    [{ name: 't', type: 'date_time', format: '%Y-%m-%d' }],
    'E000: source "orders": format of column "t" has no time of day, but the column is a date_time\n  declare it date, or put the time into the format',
  ],
  [
    [{ name: 'p', type: 'int', multiple: 'yes' }],
    'E000: source "orders": multiple of column "p" must be true or false, got "yes"',
  ],
  [
    [{ name: 'p', type: 'int', source_name: 5, long_unique: 0 }],
    'E000: source "orders": source_name of column "p" must be the name of an input field, got 5\nE000: source "orders": long_unique of column "p" must be true or false, got 0',
  ],
])('refuses %j', (written, text) => {
  expect(fault(written)).toBe(text)
})

test('a bad date pattern is named', () => {
  expect(fault([{ name: 'd', type: 'date', format: '%!' }])).toMatch(
    /^E000: source "orders": format of column "d": bad date pattern '%!'/,
  )
})

test.each([
  ['integer', 'int'],
  ['Double', 'float'],
  ['text', 'string'],
  ['boolean', 'bool'],
  ['timestamp', 'date_time'],
  ['int?', 'nullable(int)'],
])('the type %s of other languages is known as %s', (written, meant) => {
  expect(fault([{ name: 'id', type: written }])).toContain(`\n  did you mean \`${meant}\`? known types: `)
})

test('a misspelt key is not missing as well', () => {
  expect(
    fault([
      { name: 'id', tpye: 'int' },
      { nmae: 'a', type: 'int' },
    ])
      .split('\n')
      .filter((line) => line.startsWith('E')),
  ).toEqual([
    'E000: source "orders": unknown key `tpye` in a column of the schema',
    'E000: source "orders": unknown key `nmae` in a column of the schema',
  ])
})

test('everything that is wrong is told at once, each with its place', () => {
  const places: unknown[] = []
  const place = (path: readonly (string | number)[], options?: { key?: string }) => {
    places.push([...path, options])
    return { file: 'pipeline.yaml', line: places.length, column: 1 }
  }
  const written = [
    { name: 'id', type: 'nt' },
    { name: 'a', type: 'int', formt: 1, scale: -1 },
  ]
  expect(() => parseSchema(written, { node: 'source "orders"', place })).toThrow(ClinkerError)
  expect(places).toEqual([
    [0, 'type', {}],
    [1, { key: 'formt' }],
    [1, 'scale', {}],
  ])
})
