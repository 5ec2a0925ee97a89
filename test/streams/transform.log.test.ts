import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { bareEnvironment } from '../../lib/cxl/engine.ts'
import type { ClinkerError } from '../../lib/diagnostics/index.ts'
import { MemoryBudget, SpillFolder } from '../../lib/memory/index.ts'
import { shapeOf } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'
import { edgeOf } from '../../streams/from-code.ts'
import { type LogDirective, type TransformOptions, transform } from '../../streams/index.ts'
import type { PlanContext, RunContext } from '../../streams/node.ts'
import { fuseTransforms, type TransformConfig, type TransformPlan, transformNode } from '../../streams/transform.ts'
import { plain } from './contract.ts'
import { records } from './records.ts'

const ferries = { id: 'int', port: 'string', cars: 'int' }
const crossings = records(ferries, [
  [1, 'Oban', 12],
  [2, 'Mallaig', 0],
  [3, 'Ullapool', 30],
  [4, 'Oban', 7],
])
const seen: LogDirective = { name: 'ferry.seen', level: 'info', when: 'per_record', every: 1, message: 'Seen' }

/** What is told of the records, and what comes out, when transforms follow each other in one stream. */
async function told(
  configs: readonly (Partial<TransformConfig> & { log?: LogDirective[] })[],
  input: readonly Row[] = crossings,
  on_error: RunContext['on_error'] = 'continue',
) {
  const lines: string[] = []
  const rows: Row[] = []
  const letters: string[] = []
  const run: RunContext = {
    budget: new MemoryBudget(),
    folder: new SpillFolder(),
    environment: bareEnvironment(),
    on_error,
    report: (letter) => void letters.push(`${letter.stage} ${letter.source.row}`),
    warn: () => {},
    log: (_, line) => void lines.push(line),
    batch: true,
  }
  let error: string | undefined
  try {
    const stream = fuseTransforms(plansOf(configs)).stream(run)
    await pipeline(
      Readable.from(input.length > 0 ? [[...input]] : []),
      stream,
      async (source: AsyncIterable<Row[]>) => {
        for await (const batch of source) rows.push(...batch)
      },
    )
  } catch (thrown) {
    error = (thrown as ClinkerError).format()
  }
  return { lines, rows: plain(rows), letters, error }
}

function plansOf(configs: readonly Partial<TransformConfig>[]): TransformPlan[] {
  let edge = edgeOf(shapeOf(crossings[0] as Row) as never)
  return configs.map((config, index) => {
    const plan = transformNode.plan({ cxl: '', ...config }, edge, contextOf(`t${index + 1}`)) as TransformPlan
    edge = plan.output
    return plan
  })
}

function contextOf(name: string): PlanContext {
  return {
    name,
    node: `transform "${name}"`,
    scope: (edge) => ({ columns: new Map(edge?.columns.map((column) => [column.name, column.type])) }),
    place: () => undefined,
  }
}

function refusal(...log: unknown[]): string {
  try {
    plansOf([{ log: log as LogDirective[] }])
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

function optionRefusal(log: unknown): string {
  try {
    transform({ cxl: '', log } as TransformOptions)
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return 'accepted'
}

describe('events', () => {
  const frame: LogDirective[] = [
    { name: 'ferry.start', level: 'debug', when: 'before_transform', message: 'Cast off' },
    { name: 'ferry.end', level: 'info', when: 'after_transform', message: 'Moored' },
  ]

  test('come once before and once after the records', async () => {
    expect((await told([{ log: frame }, { log: [seen] }])).lines).toEqual([
      'debug: transform "t1": ferry.start: Cast off',
      'info: transform "t2": ferry.seen row 1: Seen',
      'info: transform "t2": ferry.seen row 2: Seen',
      'info: transform "t2": ferry.seen row 3: Seen',
      'info: transform "t2": ferry.seen row 4: Seen',
      'info: transform "t1": ferry.end: Moored',
    ])
  })

  test('come once when there is no record', async () => {
    expect((await told([{ log: [...frame, seen] }], [])).lines).toEqual([
      'debug: transform "t1": ferry.start: Cast off',
      'info: transform "t1": ferry.end: Moored',
    ])
  })

  test('of records come for each n-th one, whatever becomes of it, and show it as it came in', async () => {
    const log = [{ ...seen, every: 2, fields: ['port', 'cars'] }]
    const { lines, rows } = await told([{ cxl: 'filter cars > 0\nemit cars = cars * 100', log }])
    expect(lines).toEqual([
      'info: transform "t1": ferry.seen row 2: Seen; port="Mallaig"; cars=0',
      'info: transform "t1": ferry.seen row 4: Seen; port="Oban"; cars=7',
    ])
    expect(rows.map((row) => (row as Row).cars)).toEqual([1200, 3000, 700])
  })

  test('are picked by their condition among the n-th ones; where it fails nothing is told', async () => {
    const log = [{ ...seen, every: 2, condition: 'cars > 5' }]
    expect((await told([{ log }])).lines).toEqual(['info: transform "t1": ferry.seen row 4: Seen'])
    const failing = await told([{ log: [{ ...seen, condition: '84 / cars > 5' }] }], crossings, 'fail_fast')
    expect(failing.lines).toEqual([
      'info: transform "t1": ferry.seen row 1: Seen',
      'info: transform "t1": ferry.seen row 4: Seen',
    ])
    expect(failing).toMatchObject({ error: undefined, rows: { length: 4 } })
  })

  test('of failures come for programs and validations, before the dead letter or the end of the run', async () => {
    const log: LogDirective[] = [
      { name: 'ferry.bad', level: 'error', when: 'on_error', message: 'Refused', fields: ['id'] },
      ...frame,
    ]
    const config = { cxl: 'emit share = 84 / cars', validations: [{ check: 'share < 10' }], log }
    const going = await told([config])
    expect(going.lines).toEqual([
      'debug: transform "t1": ferry.start: Cast off',
      'error: transform "t1": ferry.bad row 2: Refused; id=2',
      'error: transform "t1": ferry.bad row 4: Refused; id=4',
      'info: transform "t1": ferry.end: Moored',
    ])
    expect(going.letters).toEqual(['transform:t1 2', 'transform:t1 4'])
    const stopped = await told([config], crossings, 'fail_fast')
    expect(stopped.error).toMatch(/^EvaluationFailure: transform "t1": field "share" fails on row 2 /)
    expect(stopped.lines.slice(1)).toEqual(['error: transform "t1": ferry.bad row 2: Refused; id=2'])
  })

  test('are one line each, and show values short', async () => {
    const [row] = records(ferries, [[1, `${'ö'.repeat(400)}\n`, null]])
    const log = [{ ...seen, message: ' Seen\nat\tsea\n', fields: ['port', 'cars'] }]
    const [line = ''] = (await told([{ log }], [row as Row])).lines
    expect(line).toMatch(/^info: transform "t1": ferry\.seen row 1: Seen at sea; port="ö+…"; cars=null$/)
    expect(Buffer.byteLength(line.split('port=')[1]?.split(';')[0] ?? '')).toBeLessThanOrEqual(256)
  })

  test('change no result of fused transforms', async () => {
    const configs = [{ cxl: 'emit all = cars * 2' }, { cxl: 'filter all != 14' }, { cxl: 'emit per = 840 / all' }]
    const quiet = await told(configs)
    const loud = await told(configs.map((config) => ({ ...config, log: [...frame, seen] })))
    expect(loud.rows).toEqual(quiet.rows)
    expect(loud.letters).toEqual(quiet.letters)
    expect(loud.lines).toHaveLength(6 + 4 + 4 + 3)
  })

  test('of the transform alone leave the stages fused', async () => {
    const { lines, rows } = await told([{ cxl: 'emit a = cars + 1', log: frame }, { cxl: 'emit b = a + 1' }])
    expect(lines).toHaveLength(2)
    expect(rows[0]).toEqual({ id: 1, port: 'Oban', cars: 12, a: 13, b: 14 })
  })
})

describe('from code', () => {
  test('events are warnings of the process, and a condition may be a function', async () => {
    const lines: string[] = []
    const listen = (warning: Error): void => {
      if (warning.name === 'ClinkerWarning') lines.push(warning.message)
    }
    process.on('warning', listen)
    const condition = (record: Row) => {
      if (record.n === 3) throw new Error('no')
      return (record.n as number) > 1
    }
    const node = transform({ name: 'n', cxl: 'emit m = n', log: [{ ...seen, fields: ['n', 'none'], condition }] })
    const rows: Row[] = []
    await pipeline(
      Readable.from([{ n: 1 }, { n: 2 }, { n: 3 }]),
      node,
      new Writable({ objectMode: true, write: (row, _, done) => (rows.push(row), done()) }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(rows).toHaveLength(3)
    expect(lines).toEqual(['info: transform "n": ferry.seen: Seen; n=2; none=null'])
  })
})

describe('options', () => {
  test('are checked', () => {
    const wrong = { name: '2nd', level: 'fatal', when: 'never', message: 'x'.repeat(1025), fields: ['a', 'a'] }
    expect(optionRefusal([wrong]).split('\n')).toEqual([
      expect.stringMatching(
        /^E000: transform: log "2nd": name must be a name, or several with dots between them: `orders.seen`, got "2nd"$/,
      ),
      'E000: transform: log "2nd": level must be `trace`, `debug`, `info`, `warn` or `error`, got "fatal"',
      'E000: transform: log "2nd": when must be `before_transform`, `after_transform`, `per_record` or `on_error`, got "never"',
      expect.stringMatching(/^E000: transform: log "2nd": message must be text of at most 1024 bytes, got "x+…"$/),
      'E000: transform: log "2nd": fields must be a list of at most 256 columns, each once, got ["a","a"]',
    ])
    expect(optionRefusal([{ ...seen, condition: true }])).toBe(
      'E000: transform: log "ferry.seen": condition must be CXL text, got true\n  write it as text: "true"',
    )
    expect(optionRefusal(Array.from({ length: 32 }, () => seen))).toBe('accepted')
    expect(optionRefusal(Array.from({ length: 33 }, () => seen))).toMatch(
      /^E000: transform: log must be a list of at most 32 log directives, got /,
    )
    expect(optionRefusal([{ name: 'a' }])).toBe(
      [
        'E000: transform: log "a": level is missing: it must be `trace`, `debug`, `info`, `warn` or `error`',
        'E000: transform: log "a": when is missing: it must be `before_transform`, `after_transform`, `per_record` or `on_error`',
        'E000: transform: log "a": message is missing: it must be text of at most 1024 bytes',
      ].join('\n'),
    )
  })

  test.each([
    [0, 'every must be a whole number of at least 1, got 0'],
    [1.5, 'every must be a whole number of at least 1, got 1.5'],
    ['often', 'every must be a whole number of at least 1, got "often"'],
    [null, 'every must be a whole number of at least 1, got null'],
    [undefined, 'every is missing: per_record needs a whole number of at least 1'],
  ])('every: %j is E011', (every, text) => {
    expect(refusal({ ...seen, every })).toBe(`E011: transform "t1": log "ferry.seen": ${text}`)
  })

  test('every belongs to per_record', () => {
    expect(refusal({ ...seen, when: 'on_error', every: 5 })).toBe(
      'E011: transform "t1": log "ferry.seen": every is for per_record only, got 5',
    )
  })

  test.each([
    [['cars > 1', 'id > 1'], '["cars > 1","id > 1"]'],
    [['cars > 1'], '["cars > 1"]'],
    ['cars > 1\nid > 1', '"cars > 1\\nid > 1"'],
    ['cars > 1; id > 1', '"cars > 1; id > 1"'],
    ['let many = cars\nmany > 1', '"let many = cars\\nmany > 1"'],
  ])('condition: %j is E373', (condition, shown) => {
    expect(refusal({ ...seen, condition })).toBe(
      `E373: transform "t1": log "ferry.seen": condition must be one predicate, got ${shown}\n  join predicates with \`and\`, or write a directive for each`,
    )
  })

  test('condition belongs to per_record, over the columns that come in', () => {
    expect(refusal({ ...seen, when: 'on_error', every: undefined, condition: 'cars > 1' })).toBe(
      'E373: transform "t1": log "ferry.seen": condition is for per_record only, it is told on_error',
    )
    expect(refusal({ ...seen, condition: 'cars + 1' })).toBe(
      'E200: transform "t1": log "ferry.seen": condition must be boolean, it is int',
    )
    expect(refusal({ ...seen, condition: 'cras > 1' })).toMatch(/^E203: transform "t1": log "ferry.seen": condition: /)
    expect(refusal({ ...seen, condition: 'cars >' })).toMatch(/^E202: transform "t1": log "ferry.seen": condition: /)
    expect(refusal({ ...seen, condition: 'cars > 1\n  and\n  id > 1' })).toBe('accepted')
  })

  test('fields are columns of the record that comes in', () => {
    expect(refusal({ ...seen, fields: ['id', 'prot'] })).toBe(
      'E374: transform "t1": log "ferry.seen": fields names `prot`, which the incoming record does not have\n  did you mean `port`? columns: id, port, cars',
    )
    expect(refusal({ ...seen, when: 'after_transform', every: undefined, fields: ['id'] })).toBe(
      'E374: transform "t1": log "ferry.seen": fields names columns, and after_transform has no record\n  leave `fields` out, or choose per_record or on_error',
    )
  })
})
