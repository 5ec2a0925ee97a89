import { PassThrough, Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { ClinkerError } from '../../lib/diagnostics/index.ts'
import { shapeOf } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'
import { type DeadLetter, type TransformOptions, transform } from '../../streams/index.ts'
import { describeContract, plain, run } from './contract.ts'
import { records } from './records.ts'

const results = (input: readonly object[], options: TransformOptions) => run(transform(options), input)

async function failure(input: readonly object[], options: TransformOptions): Promise<ClinkerError> {
  return results(input, options).then(
    () => Promise.reject(new Error('nothing failed')),
    (error) => error as ClinkerError,
  )
}

function refusal(options: unknown): string {
  try {
    transform(options as TransformOptions)
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

/** The records and the dead letters of a transform that goes on. */
async function both(input: readonly object[], options: TransformOptions) {
  const letters: DeadLetter[] = []
  const dead_letters = new Writable({
    objectMode: true,
    write(letter, _, callback) {
      letters.push(letter)
      callback()
    },
  })
  const rows = await results(input, { name: 'work', on_error: 'continue', dead_letters, ...options })
  return { rows, letters }
}

describe('options', () => {
  test('are checked when the node is made', () => {
    expect(refusal({ cxl: 'emit a = 1', batch_size: 0, max_expansion: 1.5 })).toBe(
      [
        'E000: transform: max_expansion must be a whole number of at least 1, got 1.5',
        'E000: transform: batch_size must be a whole number of at least 1, got 0',
      ].join('\n'),
    )
    expect(refusal({ name: 'w', xcl: '' })).toBe(
      [
        'E000: transform "w": unknown key `xcl`',
        '  did you mean `cxl`? known keys: cxl, validations, max_expansion, batch_size, declares, phase, analytic_window, log, name, memory, spill_dir, on_error, dead_letters, batch, signal, functions',
      ].join('\n'),
    )
  })

  test('say what is not built yet', () => {
    expect(refusal({ cxl: '', analytic_window: { group_by: [] } })).toBe(
      'E000: transform: analytic_window must be left out: windows are not supported yet, got {"group_by":[]}',
    )
  })

  test('refuse a program that does not parse', () => {
    expect(refusal({ name: 'w', cxl: 'emit a = = 1' })).toMatch(/^E202: transform "w": cxl: /)
  })
})

describe('records', () => {
  test('keep their columns, and get new ones behind them', async () => {
    const rows = records({ runner: 'string', lap: 'int', secs: 'float' }, [['Mo', 1, 61.5]], { carried: ['shoe'] })
    const [row] = await results(rows, { cxl: 'emit minutes = secs / 60.0\nemit lap = lap + 1' })
    expect(Object.keys(row as object)).toEqual(['runner', 'lap', 'secs', 'minutes', 'shoe'])
    expect(row).toMatchObject({ runner: 'Mo', lap: 2, minutes: 1.025 })
  })

  test('are dropped by filter, kept once by distinct', async () => {
    const input = [1, 2, 3, 3, 2].map((n) => ({ n }))
    expect(await results(input, { cxl: 'filter n > 1\ndistinct' })).toEqual([{ n: 2 }, { n: 3 }])
    expect(await results(input, { cxl: 'emit m = n % 2\ndistinct by m' })).toEqual([
      { n: 1, m: 1 },
      { n: 2, m: 0 },
    ])
  })

  test('count for distinct once, whatever their shape', async () => {
    const input = [{ n: 1 }, { n: 1, other: 2 }, { n: 2 }]
    expect(await results(input, { cxl: 'distinct by n' })).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('are expanded by emit each', async () => {
    const input = [
      { cart: 1, items: ['a', 'b'] },
      { cart: 2, items: [] },
    ]
    expect(await results(input, { cxl: 'emit each it in items { emit sku = it }' })).toEqual([
      { cart: 1, items: ['a', 'b'], sku: 'a' },
      { cart: 1, items: ['a', 'b'], sku: 'b' },
    ])
  })

  test('leave in batches however far they expand', async () => {
    const node = transform({ cxl: 'emit each it in items { emit n = it }', batch: true })
    node.end([[1, 2, 3].map(() => ({ items: Array.from({ length: 600 }, (_, n) => n) }))].flat())
    const chunks = (await node.toArray()) as Row[][]
    expect(chunks.map((chunk) => chunk.length)).toEqual([600, 600, 600])
  })

  test('of plain objects may lack what the program names', async () => {
    const input = [{ a: 1 }, { b: 2 }]
    expect(await results(input, { cxl: 'emit sum = (a ?? 0) + (b ?? 0)' })).toEqual([
      { a: 1, sum: 1 },
      { b: 2, sum: 2 },
    ])
  })

  test('of known types are checked', async () => {
    const rows = records({ a: 'int' }, [[1]])
    expect((await failure(rows, { name: 'w', cxl: 'emit b = aa + 1' })).format()).toMatch(
      /^E203: transform "w": cxl: .*aa/,
    )
    expect((await failure(rows, { cxl: 'emit b = a.upper()' })).format()).toMatch(/^E200: transform: cxl: /)
  })
})

describe('functions', () => {
  test('give a record, several, or none', async () => {
    const cxl = (record: Row) => {
      const n = record.n as number
      return n === 1 ? null : n === 2 ? { ...record, twice: 4 } : [{ n }, { n: -n }]
    }
    expect(await results([{ n: 1 }, { n: 2 }, { n: 3 }], { cxl })).toEqual([{ n: 2, twice: 4 }, { n: 3 }, { n: -3 }])
  })

  test('keep origin, row, and the types that still hold', async () => {
    const rows = records({ id: 'int', kg: 'float', at: 'date' }, [[7, 2, null]], { carried: ['rest'] })
    const node = transform({ cxl: (record) => ({ ...record, kg: 4, at: 'soon', more: true }) })
    node.end(rows)
    const [row] = (await node.toArray()) as Row[]
    const shape = shapeOf(row as Row)
    expect(shape?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id int',
      'kg float',
      'at any',
      'more any',
      'rest any',
    ])
    expect(shape?.declared).toBe(4)
  })

  test('may hand on the record they were given', async () => {
    expect(await results([{ n: 1 }], { cxl: (record) => record })).toEqual([{ n: 1 }])
  })

  test('make dead letters when they throw', async () => {
    const cxl = (record: Row) => {
      if (record.n === 2) throw new RangeError('two is too many')
      return record
    }
    const { rows, letters } = await both([{ n: 1 }, { n: 2 }], { cxl })
    expect(rows).toEqual([{ n: 1 }])
    expect(letters).toMatchObject([
      {
        category: 'type_coercion_failure',
        detail: 'transform "work": the function fails on a record: two is too many',
        record: { n: 2 },
      },
    ])
    const error = await failure([{ n: 2 }], { cxl })
    expect([error.exit, error.cause]).toEqual([3, new RangeError('two is too many')])
  })

  test('are refused what is no record', async () => {
    const error = await failure([{ n: 2 }], { cxl: (() => 5) as never })
    expect(error.message).toContain('cxl must give a record, an array of records or null, got 5')
  })
})

describe('failures', () => {
  const rows = records(
    { id: 'int', v: 'string' },
    [
      [1, '5'],
      [2, 'x'],
      [3, '7'],
    ],
    { carried: ['extra'] },
  )
  const cxl = 'emit n = v.to_int()'

  test('stop the stream with exit status 3, naming node, field and row', async () => {
    const error = await failure(rows, { name: 'work', cxl })
    expect(error.exit).toBe(3)
    expect(error.message).toMatch(
      /transform "work": field "n" fails on row 2 of "rows" \(rows.csv\): .*cannot convert 'x' to Int/,
    )
  })

  test('become dead letters under continue: the record as it came in, without carried columns', async () => {
    const { rows: passed, letters } = await both(rows, { cxl })
    expect(passed.map((row) => (row as Row).n)).toEqual([5, 7])
    expect(letters).toEqual([
      {
        category: 'type_coercion_failure',
        detail: expect.stringContaining("cannot convert 'x' to Int"),
        stage: 'transform:work',
        trigger: true,
        field: 'n',
        value: 'x',
        record: { id: 2, v: 'x' },
        source: { name: 'rows', file: 'rows.csv', row: 2 },
      },
    ])
  })

  test('name no value when none is at fault', async () => {
    const { letters } = await both([{ a: 0 }], { cxl: 'emit q = 8 / a' })
    expect(letters).toMatchObject([{ field: 'q', value: null, detail: expect.stringContaining('division by zero') }])
  })

  test('leave nothing of a record behind', async () => {
    const input = [{ items: [1, 0, 2] }, { items: [4] }]
    const { rows: passed, letters } = await both(input, { cxl: 'emit each it in items { emit q = 8 / it }' })
    expect(passed).toEqual([{ items: [4], q: 2 }])
    expect(letters.length).toBe(1)
  })

  test('of max_expansion reject the record', async () => {
    const input = [{ nums: [1, 2, 3, 4] }, { nums: [7, 8, 9] }]
    const program = 'emit each x in nums { emit x = x }'
    const { rows: passed, letters } = await both(input, { cxl: program, max_expansion: 3 })
    expect(passed.map((row) => (row as Row).x)).toEqual([7, 8, 9])
    expect(letters).toMatchObject([
      { category: 'expansion_limit_exceeded', field: '', value: null, record: { nums: [1, 2, 3, 4] } },
    ])
    expect((await failure(input, { cxl: program, max_expansion: 3 })).exit).toBe(3)
  })
})

describe('validations', () => {
  const users = [
    { id: 1, mail: 'A@x.org', age: 30 },
    { id: 2, mail: '', age: 20 },
    { id: 3, mail: 'c@x.org', age: -4 },
  ]

  test('reject what fails the first of them, naming field, value, message and name', async () => {
    const { rows, letters } = await both(users, {
      cxl: 'emit mail = mail.lower()',
      validations: [
        { field: 'mail', check: 'not_empty', message: 'mail is needed' },
        { check: 'age >= 0', name: 'age_ok' },
      ],
    })
    expect(rows).toEqual([{ id: 1, mail: 'a@x.org', age: 30 }])
    expect(letters).toMatchObject([
      {
        category: 'validation_failure',
        detail: 'transform "work": validation "mail:not_empty" fails on a record: mail is needed',
        field: 'mail',
        value: '',
        record: users[1],
      },
      {
        category: 'validation_failure',
        detail: expect.stringContaining('validation "age_ok"'),
        field: '',
        record: users[2],
      },
    ])
  })

  test('stop the stream under fail_fast', async () => {
    const error = await failure(users, { name: 'w', cxl: '', validations: [{ field: 'mail', check: 'not_empty' }] })
    expect([error.exit, error.message]).toEqual([
      3,
      expect.stringContaining('transform "w": validation "mail:not_empty" fails'),
    ])
  })

  test('pass only what is true', async () => {
    const { rows } = await both([{ age: null }, { age: 1 }], { cxl: '', validations: [{ check: 'age >= 0' }] })
    expect(rows).toEqual([{ age: 1 }])
  })

  test('are refused when they name what is not there', async () => {
    const rows = records({ id: 'int', mail: 'string' }, [[1, 'a']])
    const refused = async (validation: object) =>
      (await failure(rows, { name: 'w', cxl: 'emit a = id', validations: [validation as never] })).format()
    expect(await refused({ field: 'male', check: 'not_empty' })).toBe(
      'E203: transform "w": validation "male:not_empty" names `male`, which the record does not have\n  did you mean `mail`?',
    )
    expect(await refused({ field: 'mail', check: 'is_mail' })).toMatch(
      /E203: transform "w": validation "mail:is_mail": .*is_mail/,
    )
    expect(await refused({ check: 'id + a' })).toMatch(
      /E200: transform "w": validation "id \+ a" must be boolean, it is int/,
    )
  })
})

describe('several', () => {
  test('compose with other streams of objects', async () => {
    const node = transform({ cxl: 'emit b = a + 1' })
    const through = new PassThrough({ objectMode: true })
    through.end({ a: 1 })
    const rows = await through
      .pipe(node)
      .pipe(new PassThrough({ objectMode: true }))
      .toArray()
    expect(plain(rows)).toEqual([{ a: 1, b: 2 }])
  })

  test('are read as typed records', async () => {
    const node = transform<{ a: number }, { a: number; b: number }>({
      cxl: (record) => ({ ...record, b: record.a * 2 }),
    })
    node.end({ a: 1 })
    let total = 0
    for await (const record of node.records()) total += record.b
    expect(total).toBe(2)
  })
})

test('a function that gives a promise is refused, and its rejection is heard', async () => {
  const node = transform({ cxl: (() => Promise.reject(new Error('late'))) as never })
  node.end({ a: 1 })
  await expect(node.toArray()).rejects.toThrow(
    'transform: the function fails on a record: it gave a promise, and is not waited for; do such work in a stream before this one',
  )
})

describeContract({
  title: 'transform',
  streams: true,
  input: Array.from({ length: 600 }, (_, n) => ({ n, note: `note ${n}`, more: [n, n + 1] })),
  output: Array.from({ length: 600 }, (_, n) => ({
    n,
    note: `NOTE ${n}`,
    more: [n, n + 1],
    half: Math.trunc(n / 2),
  })).filter(({ n }) => n % 3 !== 0),
  make: (streams, options) =>
    streams.transform({ cxl: 'filter n % 3 != 0\nemit note = note.upper()\nemit half = n / 2', ...options }),
  hostile: (streams, column, options) => ({
    node: streams.transform({ cxl: 'emit seen = other + 1', ...options }),
    input: [
      Object.fromEntries([
        [column, 'x'],
        ['other', 1],
      ]),
    ],
    output: [
      Object.fromEntries<unknown>([
        [column, 'x'],
        ['other', 1],
        ['seen', 2],
      ]),
    ],
  }),
})
