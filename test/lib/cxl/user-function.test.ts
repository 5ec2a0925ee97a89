import { describe, expect, test } from 'vitest'
import { compile, evaluate, formula, type UserFunction } from '../../../lib/cxl/index.ts'
import { userFunctions } from '../../../lib/cxl/user-function.ts'
import type { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { CivilDate } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { backends } from './support.ts'

function refusal(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return (error as ClinkerError).format()
  }
  return ''
}

/** What a function of this signature is called with, and null where it is not called. */
function given(signature: string, call: string, record: object, backend: 'generated' | 'closures'): unknown[] | null {
  let seen: unknown[] | null = null
  const run = (...values: unknown[]): null => {
    seen = values
    return null
  }
  evaluate(call, record, { backend, functions: { f: { signature, run } } })
  return seen
}

describe.each(backends)('a function of the user, %s', (backend) => {
  test('is called by its name', () => {
    const geo_hash = {
      signature: '(lat: float, lon: float) -> string',
      run: (lat: number, lon: number) => `${lat}/${lon}`,
    }
    const options = { backend, functions: { geo_hash }, columns: { lat: 'float', lon: 'float' } } as const
    expect(compile('emit cell = geo_hash(lat, lon)', options).run({ lat: 59.9, lon: 10 })).toStrictEqual([
      { lat: 59.9, lon: 10, cell: '59.9/10' },
    ])
  })

  test.each<[signature: string, call: string, record: object, values: unknown[] | null]>([
    ['(a: int) -> any?', 'f(x)', { x: 5 }, [5]],
    ['(a: int) -> any?', 'f(x)', { x: 5.9 }, [5]],
    ['(a: float) -> any?', 'f(x)', { x: 5 }, [5]],
    ['(a: float) -> any?', 'f(2.0)', {}, [2]],
    ['(a: any) -> any?', 'f(2.0)', {}, [new Float(2)]],
    ['(a: string) -> any?', 'f(x)', { x: 5 }, null],
    ['(a: string) -> any?', 'f(x)', { x: null }, null],
    ['(a: string, b: int) -> any?', 'f("a", x)', {}, null],
    ['(a: string?) -> any?', 'f(x)', { x: null }, [undefined]],
    ['(a: any) -> any?', 'f(x)', { x: null }, [null]],
    ['(a: string, b?: int) -> any?', 'f("a")', {}, ['a']],
    ['(a: string, b?: int) -> any?', 'f("a", x)', { x: null }, ['a', undefined]],
    ['(...parts: string) -> any?', 'f("a", "b", "c")', {}, ['a', 'b', 'c']],
    ['(a: int|string) -> any?', 'f(x)', { x: 'a' }, ['a']],
    ['() -> any?', 'f()', {}, []],
  ])('%s gets of %s over %j: %j', (signature, call, record, values) => {
    expect(given(signature, call, record, backend)).toStrictEqual(values)
  })

  test.each<[result: string, value: unknown, expected: unknown]>([
    ['string', 'a', 'a'],
    ['int', 5, 5],
    ['int', 5n, 5],
    ['int', 2n ** 60n, 2n ** 60n],
    ['float', 5, 5],
    ['float', 0.5, 0.5],
    ['decimal', '1.50', Decimal.parse('1.50')],
    ['decimal', 2, Decimal.fromInt(2)],
    ['date', '2024-02-29', CivilDate.of(2024, 2, 29)],
    ['date', new Date('2024-02-29T00:00:00Z'), CivilDate.of(2024, 2, 29)],
    ['bool', true, true],
    ['array', [1], [1]],
    ['map', { a: 1 }, { a: 1 }],
    ['string?', undefined, null],
    ['any', { a: 1 }, { a: 1 }],
  ])('a result of type %s may be %o', (result, value, expected) => {
    const functions = { f: { signature: `() -> ${result}`, run: () => value } }
    expect(evaluate('f()', {}, { backend, functions })).toStrictEqual(expected)
  })

  test('a float stays a float, whole or not', () => {
    const functions = { f: { signature: '() -> float', run: () => 2 } }
    expect(evaluate('f().type_of()', {}, { backend, functions })).toBe('float')
    expect(evaluate('f().to_int() / 4', {}, { backend, functions })).toBe(0)
    expect(evaluate('f() / 4', {}, { backend, functions })).toBe(0.5)
  })

  test.each<[result: string, run: () => unknown, message: string]>([
    ['string', () => 5, 'f must give string, got int 5'],
    ['int', () => 1.5, 'f must give int, got float 1.5'],
    ['int', () => Number.NaN, 'f must give int, got float NaN'],
    ['date', () => '29.2.2024', 'f must give date, got string "29.2.2024"'],
    ['date', () => new Date('2024-02-29T10:00:00Z'), 'f must give date, got a Date'],
    ['string?', () => Symbol.iterator, 'f must give string, got a symbol'],
    ['any', async () => 1, 'f must give any, got a Promise'],
    ['map', () => new Map(), 'f must give map, got a Map'],
    ['string', () => null, 'f must give string, got null'],
    ['string', () => undefined, 'f must give string, got nothing'],
  ])('a result of type %s from %s is an evaluation error', (result, run, message) => {
    const functions = { f: { signature: `() -> ${result}`, run } }
    const { run: process } = compile('emit a = f()', { backend, functions })
    expect(refusal(() => process({})).split('\n')[0]).toBe(`EvaluationFailure: field 'a': ${message}`)
  })

  test('what it throws is an evaluation error with its message and its cause', () => {
    const cause = new TypeError('no such country')
    const functions = {
      f: {
        signature: '() -> string',
        run: () => {
          throw cause
        },
      },
    }
    const { run } = compile('emit a = 1\nemit b = f()', { backend, functions })
    expect(refusal(() => run({}))).toBe(
      "EvaluationFailure: field 'b': f: no such country\n  <inline>:2:10\n  2 | emit b = f()\n    |          ^^^",
    )
    try {
      run({})
    } catch (error) {
      expect(((error as Error).cause as Error).cause).toBe(cause)
    }
  })

  test('a null that the signature does not allow says how to allow it', () => {
    const functions = { f: { signature: '() -> string', run: () => null } }
    expect(
      refusal(() => evaluate('f()', {}, { backend, functions }))
        .split('\n')
        .at(-1),
    ).toBe("  write '-> string?' in its signature if it may give null")
  })

  test('modules may call it', () => {
    const functions = { f: { signature: '(a: int) -> int', run: (a: number) => a + 1 } }
    expect(evaluate('use m\nm.g(1)', {}, { backend, functions, modules: { m: 'fn g(a) = f(a) * 10' } })).toBe(20)
  })
})

describe('calls are checked', () => {
  const functions = { geo_hash: { signature: '(lat: float, lon: float, places?: int) -> string', run: () => '' } }
  const columns = { lat: 'float', lon: 'nullable(float)', n: 'int', name: 'string', u: 'any' } as const

  test.each([
    ['geo_hash(lat)', "E200: 'geo_hash(lat: float, lon: float, places?: int) -> string' takes 2 to 3 arguments, got 1"],
    ['geo_hash(lat, name)', "E200: 'geo_hash' takes Float as 'lon', got String"],
    ['geo_hash(lat, it => 1)', "E200: 'geo_hash' takes no closure"],
    ['geo_hsh(lat, lat)', "E203: there is no function 'geo_hsh'"],
    ['geo_hash(lat, lat) + 1', "E200: '+' does not take String and Int"],
  ])('%s is refused', (text, message) => {
    expect(() => formula(text, { functions, columns })).toThrow(message)
  })

  test('a name that is nearly right is suggested', () => {
    expect(refusal(() => formula('geo_hsh(lat, lat)', { functions, columns }))).toContain("did you mean 'geo_hash'?")
  })

  test.each([
    ['geo_hash(lat, lat)', 'string'],
    ['geo_hash(n, n)', 'string'],
    ['geo_hash(lat, lon)', 'nullable(string)'],
    ['geo_hash(lat, u)', 'nullable(string)'],
    ['geo_hash(lat, lat, null)', 'string'],
  ])('%s is %s', (text, type) => {
    expect(formula(text, { functions, columns }).type).toBe(type)
  })
})

describe('the option', () => {
  const run = (): null => null

  test('takes signatures with any spaces', () => {
    const [f] = userFunctions({ f: { signature: ' ( a:int ,b? : string|int )->string? ', run } }).values()
    expect(f?.entry.signature).toBe('(a: int, b?: string|int) -> string?')
  })

  test.each<[unknown, string]>([
    [5, 'E000: functions must be a map from names to { signature, run }, got int 5'],
    [[], 'E000: functions must be a map from names to { signature, run }, got []'],
    [
      { f: null },
      "E000: functions.f must be { signature, run }, got null\n  write { signature: '(amount: decimal) -> string', run: (amount) => … }",
    ],
    [
      { f: run },
      "E000: functions.f must be { signature, run }, got a function\n  write { signature: '(amount: decimal) -> string', run: (amount) => … }",
    ],
    [{ 'a-b': { signature: '() -> int', run } }, 'E000: functions.a-b: a name has letters, digits and _ only'],
    [
      { sum: { signature: '() -> int', run } },
      'E000: functions.sum: `sum` means something else in the language\n  give it another name',
    ],
    [
      { concat: { signature: '() -> int', run } },
      'E000: functions.concat: `concat` means something else in the language\n  give it another name',
    ],
    [
      { emit: { signature: '() -> int', run } },
      'E000: functions.emit: `emit` means something else in the language\n  give it another name',
    ],
    [
      { f: { signature: 'int', run } },
      "E000: functions.f: malformed signature: int\n  a signature is written as '(lat: float, note?: string) -> string'",
    ],
    [
      { f: { signature: '(a) -> int', run } },
      "E000: functions.f: malformed parameter: a\n  a signature is written as '(lat: float, note?: string) -> string'",
    ],
    [
      { f: { signature: '(a: number) -> int', run } },
      "E000: functions.f: unknown type in a signature: number\n  a signature is written as '(lat: float, note?: string) -> string'",
    ],
    [
      { f: { signature: '(a: closure) -> int', run } },
      "E000: functions.f: a function takes no closure\n  a signature is written as '(lat: float, note?: string) -> string'",
    ],
  ])('refuses %o', (functions, text) => {
    expect(refusal(() => userFunctions(functions as Record<string, UserFunction>))).toBe(text)
  })
})
