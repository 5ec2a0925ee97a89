import fc from 'fast-check'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { boxFloat } from '../../../lib/record/float.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Value } from '../../../lib/record/value.ts'

/** Columns that the generated programs read, a few of every type. */
export const columns = [
  ['i', Type.of('int')],
  ['j', Type.of('int', true)],
  ['f', Type.of('float')],
  ['g', Type.of('float', true)],
  ['d', Type.of('decimal', true)],
  ['s', Type.of('string')],
  ['t', Type.of('string', true)],
  ['b', Type.of('bool')],
  ['c', Type.of('bool', true)],
  ['day', Type.of('date', true)],
  ['time', Type.of('date_time', true)],
  ['xs', Type.of('array', true)],
  ['m', Type.of('map', true)],
  ['u', Type.of('any')],
  ['w', Type.of('any')],
  ['__proto__', Type.of('int', true)],
  ['constructor', Type.of('any')],
] as const

const leaves = [
  ...columns.map(([name]) => name),
  '0',
  '1',
  '-3',
  '7',
  '9007199254740991',
  '9223372036854775807',
  '2.5',
  '-0.0',
  '1000000.0',
  'true',
  'false',
  'null',
  '"x"',
  "'a\"`${b}\\\\'",
  '"12"',
  '"3.50"',
  '#2024-02-29#',
  '"2.50".to_decimal()',
]

const methods = [
  'upper()',
  'length()',
  'trim()',
  'reverse()',
  'abs()',
  'round(1)',
  'round()',
  'ceil()',
  'floor()',
  'to_string()',
  'try_int()',
  'try_float()',
  'try_decimal()',
  'try_date()',
  'try_bool()',
  'type_of()',
  'is_null()',
  'is_empty()',
  'year()',
  'add_days(3)',
  'left(2)',
  'split("")',
  'join("-")',
  'keys()',
  'first',
  'a.b',
  'to_int()',
  'to_float()',
  'to_bool()',
]

const withArgument = ['min', 'max', 'concat', 'catch', 'contains', 'pad_left', 'repeat', 'diff_days', 'left', 'merge']
const withClosure = ['map', 'filter', 'any', 'find', 'flat_map']
const operators = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', '??']

/** Texts of expressions. Many are refused by the checker; those that are not run the whole language. */
export const expressions: fc.Arbitrary<string> = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression')
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 3, arbitrary: fc.constantFrom(...leaves) },
      {
        weight: 4,
        arbitrary: fc.tuple(inner, fc.constantFrom(...operators), inner).map(([a, o, b]) => `(${a} ${o} ${b})`),
      },
      { weight: 1, arbitrary: inner.map((a) => `(-${a})`) },
      { weight: 1, arbitrary: inner.map((a) => `(not ${a})`) },
      { weight: 3, arbitrary: fc.tuple(inner, fc.constantFrom(...methods)).map(([a, method]) => `(${a}).${method}`) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(inner, fc.constantFrom(...withArgument), inner)
          .map(([a, method, b]) => `(${a}).${method}(${b})`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(inner, fc.constantFrom(...withClosure), inner)
          .map(([a, method, b]) => `(${a}).${method}(it => it == ${b})`),
      },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `(${a})[${b}]`) },
      { weight: 1, arbitrary: fc.tuple(inner, inner, inner).map(([a, b, c]) => `(if ${a} then ${b} else ${c})`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(inner, inner, inner)
          .map(([a, b, c]) => `(match ${a} { ${b} => ${c}, null => 1, _ => ${a} })`),
      },
      { weight: 1, arbitrary: fc.tuple(inner, inner).map(([a, b]) => `concat(${a}, ${b}, "z")`) },
    ),
  }
}).expression

const ints = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom<Value>(9007199254740991, -9007199254740991, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n),
)
const floats = fc.oneof(
  fc.constantFrom(0, -0, 0.5, 1, 2, -3, 2.5, 1e300, 1e16, NaN, Infinity, -Infinity, 9007199254740993),
  fc.double(),
)
const texts = fc.oneof(
  fc.constantFrom('', 'x', '12', '3.50', 'true', '2024-02-29', '`${process}`', '\u2028', '😀', '\ud800', "'\n"),
  fc.string({ maxLength: 4 }),
)
const decimals = fc
  .constantFrom('0', '0.00', '2.50', '-7.125', '79228162514264337593543950335')
  .map((text) => Decimal.parse(text) as Decimal)
const dates = fc.constantFrom(CivilDate.of(2024, 2, 29) as CivilDate, CivilDate.of(1969, 12, 31) as CivilDate)
const times = dates.map((date) => CivilDateTime.of(date, 23, 59, 1, 5_000_000) as CivilDateTime)
const scalars = fc.oneof(
  ints,
  floats.map(boxFloat),
  texts,
  decimals,
  dates,
  times,
  fc.boolean(),
  fc.constant(null),
) as fc.Arbitrary<Value>
const arrays = fc.array(scalars, { maxLength: 3 })
const maps = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'x'), scalars, { maxKeys: 3 }) as fc.Arbitrary<Value>
const anything = fc.oneof(scalars, arrays as fc.Arbitrary<Value>, maps)

const byType: Record<string, fc.Arbitrary<Value>> = {
  int: ints as fc.Arbitrary<Value>,
  float: floats as fc.Arbitrary<Value>,
  decimal: decimals as fc.Arbitrary<Value>,
  string: texts,
  bool: fc.boolean(),
  date: dates as fc.Arbitrary<Value>,
  date_time: times as fc.Arbitrary<Value>,
  array: arrays as fc.Arbitrary<Value>,
  map: maps,
  any: anything,
}

/** Values for {@link columns}, in their forms. */
export const records: fc.Arbitrary<Value[]> = fc.tuple(
  ...columns.map(([, type]) => {
    const value = byType[type.name] as fc.Arbitrary<Value>
    return type.nullable
      ? fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 4, arbitrary: value })
      : value
  }),
) as unknown as fc.Arbitrary<Value[]>

/** What other code may have put into a column: anything JavaScript has. */
export const foreignValues: fc.Arbitrary<unknown> = fc.oneof(
  anything,
  fc.constantFrom<unknown>(undefined, new Date(0), new Date(Number.NaN), 5n, 2 ** 60, -0, Symbol.iterator.toString()),
)
