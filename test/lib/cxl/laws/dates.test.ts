import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { bareEnvironment, compileExpression } from '../../../../lib/cxl/engine.ts'
import { CivilDate, CivilDateTime } from '../../../../lib/record/civil.ts'
import { Type } from '../../../../lib/record/type.ts'
import type { Value } from '../../../../lib/record/value.ts'

const days = fc.integer({ min: -800_000, max: 2_000_000 }).map((n) => CivilDate.fromDays(n))
const near = fc.tuple(days, fc.integer({ min: -900, max: 900 })).map(([day, n]) => [day, day.addDays(n)] as const)
const seconds = fc.integer({ min: 0, max: 86_399 })
const environment = bareEnvironment()

function plain({ year, month, day }: CivilDate): Temporal.PlainDate {
  return Temporal.PlainDate.from({ year, month, day })
}

function atTime(day: CivilDate, second: number): CivilDateTime {
  const hour = Math.floor(second / 3600)
  return CivilDateTime.of(day, hour, Math.floor(second / 60) % 60, second % 60, 0) as CivilDateTime
}

/** Evaluates for `a` and `b` of both kinds and in all mixtures: each must give the same. */
function evaluator(text: string): (a: CivilDate, b: CivilDate, second: number) => Value {
  const types = (['date', 'date_time', 'any'] as const).map((name) => Type.of(name))
  const expressions = types.map((type) => {
    const columns = new Map([
      ['a', type],
      ['b', type],
    ])
    return { type, run: compileExpression(text, { columns }) }
  })
  return (a, b, second) => {
    const [c, d] = [atTime(a, second), atTime(b, 86_399 - second)]
    const results = expressions.flatMap(({ type, run }) => {
      if (type.name === 'date') return [run.evaluate({ a, b }, environment)]
      if (type.name === 'date_time') return [run.evaluate({ a: c, b: d }, environment)]
      return [run.evaluate({ a, b: d }, environment), run.evaluate({ a: c, b }, environment)]
    })
    expect(new Set(results).size).toBe(1)
    return results[0] as Value
  }
}

describe('differences of dates', () => {
  const pairs = fc.oneof(fc.tuple(days, days), near) as fc.Arbitrary<readonly [CivilDate, CivilDate]>

  test('in days are those of Temporal, whatever the times', () => {
    const run = evaluator('a.diff_days(b)')
    fc.assert(
      fc.property(pairs, seconds, ([a, b], second) => {
        expect(run(a, b, second)).toBe(plain(b).until(plain(a), { largestUnit: 'day' }).days)
      }),
    )
  })

  test('in months are as many as Temporal can add to the earlier day; twelve make a year', () => {
    const months = evaluator('a.diff_months(b)')
    const years = evaluator('a.diff_years(b)')
    fc.assert(
      fc.property(pairs, seconds, ([a, b], second) => {
        const [from, to] = a.compare(b) >= 0 ? [b, a] : [a, b]
        const found = Number(months(a, b, second))
        expect(years(a, b, second)).toBe(Math.trunc(found / 12) + 0)
        if (from === a && !a.equals(b)) expect(found).toBeLessThanOrEqual(0)
        const passes = (count: number): boolean =>
          Temporal.PlainDate.compare(plain(from).add({ months: count }), plain(to)) > 0
        expect([passes(Math.abs(found)), passes(Math.abs(found) + 1)]).toStrictEqual([false, true])
      }),
    )
  })

  test('in months undo add_months', () => {
    const steps = fc.integer({ min: 0, max: 2000 })
    const run = compileExpression('a.add_months(n).diff_months(a)', {
      columns: new Map([
        ['a', Type.of('date')],
        ['n', Type.of('int')],
      ]),
    })
    fc.assert(
      fc.property(days, steps, (a, n) => {
        expect(run.evaluate({ a, n }, environment)).toBe(n)
      }),
    )
  })
})
