import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Builtin, builtins, parseSignature, resultOf } from '../../../../lib/cxl/builtins/index.ts'
import { CivilDate, CivilDateTime } from '../../../../lib/record/civil.ts'
import { Decimal } from '../../../../lib/record/decimal.ts'
import { boxFloat, Float } from '../../../../lib/record/float.ts'
import { Type, type TypeName } from '../../../../lib/record/type.ts'
import type { Value } from '../../../../lib/record/value.ts'

const of = (text: string): Type => {
  const [, inner] = /^nullable\((.*)\)$/.exec(text) ?? []
  return Type.of((inner ?? text) as TypeName, inner !== undefined)
}
const overloads = (name: string): readonly Builtin[] => builtins.get(name) as readonly Builtin[]
const result = (name: string, receiver: string, ...given: string[]): string => {
  return resultOf(
    overloads(name),
    of(receiver),
    given.map((text) => (text === 'closure' ? text : of(text))),
  ).toString()
}

describe('signatures', () => {
  test('are read into parameters and a result', () => {
    expect(parseSignature('(width: int, fill?: string) -> string?')).toEqual({
      parameters: [
        { name: 'width', types: ['int'], optional: false, rest: false, nullable: false },
        { name: 'fill', types: ['string'], optional: true, rest: false, nullable: true },
      ],
      result: Type.of('string', true),
    })
    expect(parseSignature('(...parts: text) -> string').parameters[0]?.rest).toBe(true)
    expect(parseSignature('(other: date|date_time?) -> int').parameters[0]).toMatchObject({
      types: ['date', 'date_time'],
      nullable: true,
    })
  })

  test.each(['(a int) -> int', '() int', '(a: text2) -> int', '() -> integer'])('%s is refused', (text) => {
    expect(() => parseSignature(text)).toThrow()
  })
})

describe('the type of a call', () => {
  test.each([
    ['upper', 'string', [], 'string'],
    ['upper', 'nullable(string)', [], 'nullable(string)'],
    ['upper', 'any', [], 'nullable(string)'],
    ['contains', 'string', ['string'], 'bool'],
    ['contains', 'string', ['nullable(string)'], 'nullable(bool)'],
    ['contains', 'string', ['any'], 'nullable(bool)'],
    ['left', 'string', ['int'], 'nullable(string)'],
    ['substring', 'string', ['nullable(int)'], 'string'],
    ['concat', 'string', ['any', 'null'], 'string'],
    ['is_null', 'nullable(int)', [], 'bool'],
    ['is_null', 'any', [], 'bool'],
    ['to_int', 'nullable(string)', [], 'nullable(int)'],
    ['try_int', 'string', [], 'nullable(int)'],
    ['catch', 'string', ['string'], 'any'],
    ['abs', 'int', [], 'int'],
    ['abs', 'numeric', [], 'numeric'],
    ['abs', 'any', [], 'any'],
    ['ceil', 'float', [], 'int'],
    ['ceil', 'numeric', [], 'int'],
    ['round', 'decimal', ['int'], 'decimal'],
    ['min', 'int', ['int'], 'int'],
    ['min', 'int', ['float'], 'numeric'],
    ['min', 'decimal', ['int'], 'any'],
    ['min', 'int', ['nullable(int)'], 'nullable(int)'],
    ['clamp', 'int', ['int', 'nullable(int)'], 'int'],
    ['length', 'array', [], 'int'],
    ['length', 'any', [], 'nullable(int)'],
    ['find', 'any', ['string'], 'nullable(bool)'],
    ['add_days', 'date', ['int'], 'nullable(date)'],
    ['add_days', 'any', ['int'], 'any'],
    ['diff_days', 'date', ['date_time'], 'int'],
  ])('%s of %s with %j is %s', (name, receiver, given, expected) => {
    const fitting = overloads(name).filter((builtin) =>
      given.every((text, index) => builtin.takesArgument(index, of(text))),
    )
    expect(resultOf(fitting, of(receiver), given.map(of)).toString()).toBe(expected)
  })

  test('filter and map of an array are arrays', () => {
    expect(result('filter', 'array', 'closure')).toBe('array')
    expect(result('map', 'any', 'closure')).toBe('nullable(array)')
  })
})

describe('what is allowed', () => {
  const one = (name: string): Builtin => overloads(name)[0] as Builtin

  test.each([
    ['upper', 'string', true],
    ['upper', 'any', true],
    ['upper', 'null', true],
    ['upper', 'int', false],
    ['min', 'decimal', true],
    ['min', 'numeric', true],
    ['to_int', 'map', true],
    ['diff_days', 'date_time', true],
  ])('%s takes a receiver %s: %s', (name, receiver, expected) => {
    expect(one(name).takesReceiver(of(receiver))).toBe(expected)
  })

  test.each([
    ['left', 0, 'int', true],
    ['left', 0, 'float', true],
    ['left', 0, 'numeric', true],
    ['left', 0, 'decimal', false],
    ['left', 0, 'nullable(int)', true],
    ['left', 1, 'int', false],
    ['concat', 5, 'string', true],
    ['concat', 0, 'int', false],
    ['set', 1, 'map', true],
    ['diff_days', 0, 'date_time', true],
    ['diff_days', 0, 'string', false],
  ])('%s takes as argument %i a %s: %s', (name, index, type, expected) => {
    expect(one(name).takesArgument(index, of(type))).toBe(expected)
  })
})

describe('laws', () => {
  const doubles = fc.double({ noDefaultInfinity: true })
  const values: Partial<Record<TypeName, fc.Arbitrary<Value>>> = {
    int: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n })),
    float: fc.oneof(doubles, fc.integer({ min: -3, max: 3 })),
    decimal: fc
      .tuple(fc.bigInt({ min: -9999n, max: 9999n }), fc.integer({ min: 0, max: 4 }))
      .map(([c, s]) => Decimal.of(c, s)),
    string: fc.oneof(
      fc.string({ unit: fc.constantFrom(...'aé🚢 \n.,'), maxLength: 8 }),
      fc.constantFrom('1', '-2.5', 'yes', '%d', 'inf'),
    ),
    date: fc.integer({ min: -1e5, max: 1e5 }).map((n) => CivilDate.fromDays(n)),
    date_time: fc.integer({ min: -1e9, max: 1e9 }).map((n) => CivilDateTime.fromEpoch(n, 5)),
    bool: fc.boolean(),
  }
  const names = Object.keys(values) as TypeName[]

  /** A value in the form of its static type, as one of unknown type. */
  const boxed = (type: Type, value: Value): Value => (type.name === 'float' ? boxFloat(value as number) : value)
  const attempt = (run: () => Value): unknown => {
    try {
      const value = run()
      return value instanceof Float ? value.value : value
    } catch (error) {
      return (error as Error).message
    }
  }

  test('direct code gives what checked code gives', () => {
    const all = [...builtins.values()].flat().filter((builtin) => !builtin.entry.needsContext)
    let direct = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.constantFrom(...names),
        fc.array(fc.constantFrom(...names), { maxLength: 2 }),
        fc.infiniteStream(fc.nat()),
        fc.gen(),
        (builtin, receiver, given, _, gen) => {
          const types = given
            .slice(0, Math.max(builtin.least, Math.min(given.length, builtin.most)))
            .map((name) => Type.of(name))
          if (types.length < builtin.least) return
          const type = Type.of(receiver)
          if (!builtin.takesReceiver(type)) return
          const code = builtin.direct(type, types)
          if (!code) return
          direct++
          const value = gen(() => values[receiver] as fc.Arbitrary<Value>)
          const args = types.map((one) => gen(() => values[one.name] as fc.Arbitrary<Value>))
          const anyForm = args.map((arg, index) => boxed(types[index] as Type, arg))
          const plainArgs = args.map((arg, index) =>
            builtin.parameterAt(index)?.types.includes('any') ? anyForm[index] : arg,
          )
          expect(attempt(() => code(value, ...plainArgs))).toEqual(
            attempt(() => builtin.call(boxed(type, value), ...anyForm)),
          )
        },
      ),
      { numRuns: 3000 },
    )
    expect(direct).toBeGreaterThan(300)
  })
})
