import { describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileTransform,
  EvaluationError,
  filtered,
  type LogLevel,
  passed,
  repeated,
} from '../../../lib/cxl/engine.ts'
import { CivilDate } from '../../../lib/record/civil.ts'
import { Float } from '../../../lib/record/float.ts'
import { Origin, SourceFile } from '../../../lib/record/origin.ts'
import { ShapeTable } from '../../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Row, Value } from '../../../lib/record/value.ts'
import { backends, entries, run, testOrigin, type } from './support.ts'

/** The error a program ends with. */
function failure(compute: () => unknown): EvaluationError {
  try {
    compute()
  } catch (error) {
    if (error instanceof EvaluationError) return error
    throw error
  }
  throw new RangeError('nothing was thrown')
}

describe.each(backends)('%s code', (backend) => {
  const options = { backend }

  describe('columns', () => {
    test('pass on; an emit of an existing name replaces in place; new names follow; carried ones come last', () => {
      const [record] = run(
        'emit z = a + 1\nemit a = a * 2\nemit y = "n"',
        { a: 'int', b: 'string' },
        [[3, 'x', 'c1', 'c2']],
        {
          ...options,
          carried: ['k', 'l'],
        },
      )
      expect(entries(record)).toStrictEqual([
        ['a', 6],
        ['b', 'x'],
        ['z', 4],
        ['y', 'n'],
        ['k', 'c1'],
        ['l', 'c2'],
      ])
    })

    test('an emitted column replaces a carried one of its name and stands with the emitted ones', () => {
      const [record] = run('emit l = 1\nemit m = l', { a: 'int' }, [[3, 'c1', 'c2']], {
        ...options,
        carried: ['k', 'l'],
      })
      expect(entries(record)).toStrictEqual([
        ['a', 3],
        ['l', 1],
        ['m', 1],
        ['k', 'c1'],
      ])
    })

    test('an input field keeps its value after an emit of its name', () => {
      const [record] = run('emit a = a + 1\nemit b = a', { a: 'int' }, [[1]], options)
      expect(record).toStrictEqual({ a: 2, b: 1 })
    })

    test('records keep origin and row, and are plain objects', () => {
      const [first, second] = run('emit b = 1', { a: 'int' }, [[1], [2]], options)
      expect(originOf(first as Row)).toBe(testOrigin)
      expect([rowOf(first as Row), rowOf(second as Row)]).toStrictEqual([1, 2])
      expect(Object.getPrototypeOf(first)).toBe(Object.prototype)
      expect(shapeOf(first as Row)).toBe(shapeOf(second as Row))
    })

    test('of any name work as columns', () => {
      const names = [
        '__proto__',
        'constructor',
        'toString',
        '',
        'a.b',
        'x"y',
        "x'y",
        'x`${1}`',
        'x\ny',
        '\u2028',
        '2024',
        'it',
        'row',
        'at',
        'out',
        'k0',
      ]
      const columns = Object.fromEntries(names.map((name) => [name, 'int']))
      Object.defineProperty(columns, '__proto__', { value: 'int', enumerable: true })
      const values = Object.keys(columns).map((_, index) => index)
      const [record] = run(
        'emit valueOf = __proto__ + constructor + toString\nemit c0 = row + at + out + k0',
        columns,
        [values],
        options,
      )
      const by = new Map(entries(record))
      const at = (name: string): number => by.get(name) as number
      expect(by.size).toBe(names.length + 2)
      expect(at('valueOf')).toBe(at('__proto__') + at('constructor') + at('toString'))
      expect(at('c0')).toBe(at('row') + at('at') + at('out') + at('k0'))
      expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
      expect(({} as Record<string, unknown>).polluted).toBe(undefined)
    })

    test('more than a literal holds are copied by a loop', () => {
      const columns = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`c${n}`, 'int']))
      const [record] = run(
        'emit sum = c0 + c399\nemit c1 = 7',
        columns,
        [Array.from({ length: 400 }, (_, n) => n)],
        options,
      )
      expect(entries(record).length).toBe(401)
      expect([record?.c1, record?.c2, record?.sum]).toStrictEqual([7, 2, 399])
    })

    test('texts of any kind are data', () => {
      const texts = ['`${process.exit()}`', "'", '\u2028\u2029', '</script>', '*/ }', '$&']
      for (const text of texts) {
        const [record] = run(`emit r = "${text}"\nemit q = s + "${text}"`, { s: 'string' }, [['']], options)
        expect(record).toStrictEqual({ s: '', r: text, q: text })
      }
    })
  })

  describe('representation', () => {
    test('floats are plain numbers in float columns and boxed where the type is not known', () => {
      const program =
        'emit a = f * 2.0\nemit b = u\nemit c = if n > 1 then 1 else f\nemit d = f.to_string() + "/" + (f + 0.5).to_string()'
      const [record] = run(program, { f: 'float', n: 'int', u: 'any' }, [[2, 1, new Float(3)]], options)
      expect(record).toStrictEqual({ f: 2, n: 1, u: new Float(3), a: 4, b: new Float(3), c: new Float(2), d: '2/2.5' })
      const types = (shapeOf(record as Row)?.columns ?? []).map(({ name, type: own }) => `${name}: ${own}`)
      expect(types).toStrictEqual(['f: float', 'n: int', 'u: any', 'a: float', 'b: any', 'c: numeric', 'd: string'])
    })

    test('ints stay exact beyond 2^53 and overflow is an error', () => {
      const program = 'emit a = i + 1\nemit b = i * 3\nemit c = -i\nemit d = i / 2\nemit e = i % 10'
      const [record] = run(program, { i: 'int' }, [[9007199254740991]], options)
      expect(record).toStrictEqual({
        i: 9007199254740991,
        a: 9007199254740992n,
        b: 27021597764222973n,
        c: -9007199254740991,
        d: 4503599627370495,
        e: 1,
      })
      expect(failure(() => run(program, { i: 'int' }, [[2n ** 63n - 1n]], options)).detail).toBe('integer overflow')
    })

    test('no int is -0', () => {
      const [record] = run(
        'emit a = i * -5\nemit b = i % 5\nemit c = -i\nemit d = i / -5',
        { i: 'int' },
        [[0]],
        options,
      )
      expect(record).toStrictEqual({ i: 0, a: 0, b: 0, c: 0, d: 0 })
    })

    test('what other code left in a column is taken for what it is', () => {
      const program = 'emit a = i + 1\nemit b = s.upper()\nemit c = day.year()\nemit d = f * 2.0'
      const shapes = new ShapeTable()
      const columns = { i: 'int', s: 'string', day: 'any', f: 'float' }
      const shape = shapes.of(Object.entries(columns).map(([name, written]) => ({ name, type: type(written) })))
      const row = shape.make([1, 'x', null, 1], testOrigin, 1)
      Object.assign(row, { i: '7', s: 5, day: new Date(Date.UTC(2024, 1, 3)), f: undefined })
      const out: Row[] = []
      const compiled = compileTransform(
        program,
        { columns: new Map(shape.columns.map((one) => [one.name, one.type])) },
        options,
      )
      compiled.bind(shape, shapes)(row, bareEnvironment(), out)
      expect([out[0]?.a, out[0]?.b, out[0]?.c, out[0]?.d]).toStrictEqual([null, null, 2024, null])
    })
  })

  describe('open scopes', () => {
    test('a field a record lacks is null, an inherited name too, and an emitted column is seen', () => {
      const shapes = new ShapeTable()
      const compiled = compileTransform(
        'emit p = a ?? 0\nemit q = p\nemit t = toString\nemit a = 9\nemit u = a',
        {},
        options,
      )
      const results = [{ a: 1 }, { b: 2 }].map((plain) => {
        const shape = shapes.of(Object.keys(plain).map((name) => ({ name, type: Type.of('any') })))
        const out: Row[] = []
        compiled.bind(shape, shapes)(plain as unknown as Row, bareEnvironment(), out)
        return out[0]
      })
      expect(results).toStrictEqual([
        { a: 9, p: 1, q: 1, t: null, u: 1 },
        { b: 2, p: 0, q: 0, t: null, a: 9, u: 9 },
      ])
    })
  })

  describe('statements', () => {
    test('filter drops all but true and ends the program', () => {
      const rows = [[true], [false], [null]] as const
      expect(run('filter b\nemit r = 1', { b: 'nullable(bool)' }, rows, options)).toStrictEqual([{ b: true, r: 1 }])
      expect(run('filter false\nemit r = 1 / 0', { b: 'nullable(bool)' }, rows, options)).toStrictEqual([])
    })

    test('a program tells what became of a record', () => {
      const shapes = new ShapeTable()
      const shape = shapes.of([{ name: 'a', type: Type.of('int') }])
      const compiled = compileTransform(
        'filter a > 0\ndistinct by a',
        { columns: new Map([['a', Type.of('int')]]) },
        options,
      )
      const bound = compiled.bind(shape, shapes)
      const outcomes = [1, 0, 1].map((a) => bound(shape.make([a], testOrigin, 1), bareEnvironment(), []))
      expect(outcomes).toStrictEqual([passed, filtered, repeated])
    })

    test('distinct compares whole records, carried columns too', () => {
      const rows = [
        [1, 'x'],
        [1, 'y'],
        [1, 'x'],
      ]
      expect(run('distinct', { a: 'int' }, rows, { ...options, carried: ['k'] })).toStrictEqual([
        { a: 1, k: 'x' },
        { a: 1, k: 'y' },
      ])
      expect(run('emit a = 0\ndistinct', { a: 'int' }, rows, { ...options, carried: ['k'] })).toHaveLength(2)
    })

    test('distinct by compares by value, nulls alike', () => {
      const values: Value[][] = [[1], [new Float(1)], [null], ['1'], [null], [''], [1]]
      expect(run('distinct by u', { u: 'any' }, values, options).map((row) => row.u)).toStrictEqual([1, null, '1', ''])
      expect(run('let k = s.upper()\ndistinct by k', { s: 'string' }, [['a'], ['A'], ['b']], options)).toHaveLength(2)
    })

    test('what distinct has seen belongs to a run', () => {
      const compiled = compileTransform('distinct', { columns: new Map([['a', Type.of('int')]]) }, options)
      for (const shapes of [new ShapeTable(), new ShapeTable()]) {
        const shape = shapes.of([{ name: 'a', type: Type.of('int') }])
        const wider = shapes.of(
          [
            { name: 'a', type: Type.of('int') },
            { name: 'k', type: Type.of('string') },
          ],
          1,
        )
        const out: Row[] = []
        compiled.bind(shape, shapes)(shape.make([1], testOrigin, 1), bareEnvironment(), out)
        compiled.bind(shape, shapes)(shape.make([1], testOrigin, 2), bareEnvironment(), out)
        compiled.bind(wider, shapes)(wider.make([1, 'x'], testOrigin, 3), bareEnvironment(), out)
        expect(out).toHaveLength(2)
      }
    })

    test('distinct refuses arrays, maps and NaN', () => {
      const by = (value: Value) => failure(() => run('distinct by u', { u: 'any' }, [[value]], options)).detail
      expect(by([1])).toBe("distinct cannot compare 'u', which holds an array")
      expect(by({ a: 1 })).toBe("distinct cannot compare 'u', which holds a map")
      expect(by(Number.NaN)).toBe("distinct cannot compare 'u', which holds NaN")
    })

    test('emit each makes a record of each element, of the columns there are at its end', () => {
      const program = [
        'emit k = s',
        'emit each x in xs {',
        '  let y = x * 2',
        '  emit r = y',
        '}',
        'emit late = 1',
        'emit each x in xs {',
        '  emit q = x',
        '}',
      ].join('\n')
      const [first, , third] = run(program, { s: 'string', xs: 'array' }, [['a', [1, 2]]], options)
      expect(entries(first)).toStrictEqual([
        ['s', 'a'],
        ['xs', [1, 2]],
        ['k', 'a'],
        ['r', 2],
        ['late', null],
        ['q', null],
      ])
      expect(entries(third).slice(2)).toStrictEqual([
        ['k', 'a'],
        ['r', null],
        ['late', 1],
        ['q', 1],
      ])
    })

    test('emit each nests; an inner block without elements contributes nothing, unless it is outer', () => {
      const program = 'emit each x in xs { emit a = x.n emit each y in x.ys { emit b = y } emit c = 1 }'
      const data: Value[][] = [[[{ n: 1, ys: [7, 8] }, { n: 2, ys: [] }, { n: 3 }]]]
      const pairs = (records: Row[]) => records.map(({ a, b }) => [a, b])
      const without = run(program, { xs: 'array' }, data, options)
      expect(pairs(without)).toStrictEqual([
        [1, 7],
        [1, 8],
      ])
      expect(entries(without[0]).map(([name]) => name)).toStrictEqual(['xs', 'a', 'b'])
      expect(pairs(run(program.replace('x.ys {', 'x.ys outer {'), { xs: 'array' }, data, options))).toStrictEqual([
        [1, 7],
        [1, 8],
        [2, null],
        [3, null],
      ])
    })

    test('max_expansion counts the records of all blocks', () => {
      const program = 'emit each x in xs { emit a = x }\nemit each y in xs { emit a = y }'
      const limited = { ...options, max_expansion: 4 }
      expect(run(program, { xs: 'array' }, [[[1, 2]]], limited)).toHaveLength(4)
      const error = failure(() => run(program, { xs: 'array' }, [[[1, 2, 3]]], limited))
      expect([error.category, error.detail]).toStrictEqual([
        'expansion_limit_exceeded',
        "'emit each' makes more than 4 records of one (max_expansion)",
      ])
    })

    test('a failing record leaves nothing behind', () => {
      const shapes = new ShapeTable()
      const shape = shapes.of([{ name: 'xs', type: Type.of('array') }])
      const compiled = compileTransform(
        'emit each x in xs { emit a = 1 / x }',
        { columns: new Map([['xs', Type.of('array')]]) },
        options,
      )
      const bound = compiled.bind(shape, shapes)
      const out: Row[] = []
      bound(shape.make([[1, 2]], testOrigin, 1), bareEnvironment(), out)
      expect(() => bound(shape.make([[1, 0]], testOrigin, 2), bareEnvironment(), out)).toThrow('division by zero')
      expect(out).toHaveLength(2)
    })

    test('trace logs its message with its level when its guard is true', () => {
      const said: [LogLevel, string, number][] = []
      const environment = {
        ...bareEnvironment(),
        log: (level: LogLevel, message: string, row?: Row) => said.push([level, message, row ? rowOf(row) : 0]),
      }
      run(
        'trace warn if i > 1 then "big " + s\ntrace s\nlet x = s.debug("s")',
        { i: 'int', s: 'string' },
        [
          [1, 'a'],
          [2, 'b'],
        ],
        { ...options, environment },
      )
      expect(said.filter(([level]) => level !== 'trace')).toStrictEqual([
        ['info', 'a', 1],
        ['warn', 'big b', 2],
        ['info', 'b', 2],
      ])
      expect(said.filter(([level]) => level === 'trace')).toHaveLength(2)
    })
  })

  describe('variables', () => {
    const variables = {
      vars: new Map([['rate', { type: Type.of('float'), value: 2 }]]),
      record: new Map([['grade', { type: type('nullable(string)') }]]),
      source: new Map([['seen', { type: Type.of('int'), default: 0 }]]),
      pipeline: new Map([['sum', { type: Type.of('float'), default: 0 }]]),
    }

    test('of a record travel with it, those of a file and a run are shared', () => {
      const origin = new Origin(new SourceFile('orders', 'o.csv'))
      const environment = bareEnvironment()
      const program = [
        'emit before = $record.grade',
        'emit $record.grade = s',
        'emit grade = $record.grade',
        'emit $source.seen = $source.seen + 1',
        'emit seen = $source.seen',
        'emit $pipeline.sum = $pipeline.sum + $vars.rate',
        'emit sum = $pipeline.sum',
      ].join('\n')
      const rows = run(program, { s: 'string' }, [['H'], ['L']], {
        ...options,
        origin,
        environment,
        scope: { variables },
      })
      expect(rows).toStrictEqual([
        { s: 'H', before: null, grade: 'H', seen: 1, sum: 2 },
        { s: 'L', before: null, grade: 'L', seen: 2, sum: 4 },
      ])
      expect(originOf(rows[1] as Row)?.variables).toStrictEqual({ grade: 'L' })
      expect(origin.variables).toBe(undefined)
      expect(environment.variables.get('sum')).toStrictEqual(new Float(4))
    })

    test('$source and $meta tell where a record is from', () => {
      const audit = { synthetic: true, synthesizedBy: 'fix:a', mutatedBy: '' }
      const origin = new Origin(new SourceFile('orders', 'in/o.csv', { batch: 'b1' }), audit)
      const program =
        'emit f = $source.file.file_stem()\nemit n = $source.name\nemit r = $source.row\nemit c = $source.count\nemit b = $source.batch\nemit s = $meta.synthetic\nemit w = $meta.synthesized_by'
      expect(run(program, {}, [[]], { ...options, origin })).toStrictEqual([
        { f: 'o', n: 'orders', r: 1, c: null, b: 'b1', s: true, w: 'fix:a' },
      ])
    })
  })

  describe('errors', () => {
    test('tell row, field, value and place', () => {
      const error = failure(() =>
        run('emit a = 1\nemit total = 1 + s.to_int()', { s: 'string' }, [['1'], ['x1']], options),
      )
      expect(error.message).toBe("EvaluationFailure: row 2: field 'total': cannot convert 'x1' to Int")
      expect([error.field, error.value, error.category, error.row, error.exit]).toStrictEqual([
        'total',
        'x1',
        'type_coercion_failure',
        2,
        3,
      ])
      expect([error.place?.line, error.place?.column]).toStrictEqual([2, 18])
    })

    test('outside of an emit name no field', () => {
      for (const program of ['let x = 1 / i', 'filter 1 / i == 1', 'emit a = 1\n1 / i', 'emit each x in i { }']) {
        const columns = { i: 'any' }
        expect(failure(() => run(program, columns, [[0]], options)).field).toBe(undefined)
      }
    })

    test('of other code stay what they are', () => {
      const environment = {
        ...bareEnvironment(),
        now: () => {
          throw new TypeError('a defect')
        },
      }
      expect(() => run('emit a = now', {}, [[]], { ...options, environment })).toThrow(TypeError)
    })
  })

  test('dates compare and count by calendar', () => {
    const days = [CivilDate.of(2024, 3, 1), CivilDate.of(2024, 2, 28)] as Value[]
    const [record] = run(
      'emit n = a.diff_days(b)\nemit o = a > b\nemit e = a == b',
      { a: 'date', b: 'date' },
      [days],
      options,
    )
    expect([record?.n, record?.o, record?.e]).toStrictEqual([2, true, false])
  })
})

describe('a compiled program', () => {
  test('tells its columns before any data is there', () => {
    const columns = new Map([
      ['a', Type.of('int')],
      ['b', Type.of('string')],
    ])
    const program = compileTransform('emit c = a / 2.0\nemit b = a\nlet k = b', { columns })
    expect(program.output.map(({ name, type: own }) => `${name}: ${own}`)).toStrictEqual([
      'a: int',
      'b: int',
      'c: float',
    ])
    expect([program.emitted, program.columns, program.one]).toStrictEqual([['c', 'b'], ['a', 'b'], true])
    expect(compileTransform('filter a > 1', { columns }).one).toBe(false)
  })

  test('warns when it emits nothing', () => {
    expect(compileTransform('let x = 1', {}).warnings.map(({ message }) => message)).toStrictEqual([
      'the program emits nothing',
    ])
    expect(compileTransform('emit x = 1', {}).warnings).toStrictEqual([])
  })
})
