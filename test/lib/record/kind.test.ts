import { expect, test } from 'vitest'
import { CivilDate, CivilDateTime } from '../../../lib/record/civil.ts'
import { Decimal } from '../../../lib/record/decimal.ts'
import { Float } from '../../../lib/record/float.ts'
import { fromForeign } from '../../../lib/record/foreign.ts'
import { isMap, kindOf } from '../../../lib/record/kind.ts'
import type { Value } from '../../../lib/record/value.ts'

const date = CivilDate.fromDays(0)
const time = CivilDateTime.fromEpoch(0)

test.each<[unknown, string]>([
  [null, 'null'],
  [undefined, 'null'],
  [true, 'bool'],
  [5, 'int'],
  [2 ** 53, 'float'],
  [-0, 'float'],
  [2.5, 'float'],
  [Number.NaN, 'float'],
  [2n ** 60n, 'int'],
  [new Float(2), 'float'],
  [Decimal.of(1n, 0), 'decimal'],
  ['', 'string'],
  [date, 'date'],
  [time, 'date_time'],
  [new Date(0), 'date_time'],
  [[], 'array'],
  [{}, 'map'],
  [Object.create(null), 'map'],
])('%s is of kind %s', (value, kind) => {
  expect(kindOf(value as Value)).toBe(kind)
  expect(isMap(value as Value)).toBe(kind === 'map')
})

test('values of other code become values of ours', () => {
  expect(fromForeign(undefined)).toBeNull()
  expect(fromForeign(new Date(0))).toEqual(time)
  expect(fromForeign(new Date(Number.NaN))).toBeNull()
  expect(fromForeign('a')).toBe('a')
  expect(fromForeign(null)).toBeNull()
})
