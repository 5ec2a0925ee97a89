import fc from 'fast-check'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { makeMap } from '../../../lib/record/map.ts'
import type { Value } from '../../../lib/record/value.ts'

const date = fc.integer({ min: -90_000_000, max: 90_000_000 }).map((days) => CivilDate.fromDays(days))

const dateTime = fc
  .tuple(fc.integer({ min: -(10 ** 11), max: 10 ** 11 }), fc.integer({ min: 0, max: 999_999_999 }))
  .map(([seconds, nanosecond]) => CivilDateTime.fromEpoch(seconds, nanosecond))

const decimal = fc
  .tuple(fc.bigInt({ min: -(2n ** 96n) + 1n, max: 2n ** 96n - 1n }), fc.integer({ min: 0, max: 28 }))
  .map(([coefficient, scale]) => Decimal.of(coefficient, scale))

const int = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value))

const float = fc.double().map((value) => (Number.isInteger(value) ? new Float(value) : value))

/** Texts with lone surrogates among them. */
const text = fc.string({
  unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), fc.constantFrom('\ud800', '\udfff', '😀', '\0')),
})

const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '0', '10', '2'))

/** Values of every kind, arrays and maps of them. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, -0, ''),
    int,
    float,
    decimal,
    date,
    dateTime,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(makeMap),
  ),
})).value
