import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bareEnvironment, compileTransform, EvaluationError } from '../../../../lib/cxl/engine.ts'
import { unknownOrigin } from '../../../../lib/record/origin.ts'
import { shapeOf } from '../../../../lib/record/stamp.ts'
import type { Row, Value } from '../../../../lib/record/value.ts'
import { records } from '../programs.ts'
import { programs, scope, shapeAndTable } from './generated.ts'

/** All that can be seen of a run: outcome, records with their columns, messages, and where it failed. */
function trace(text: string, rows: readonly Value[][], backend: 'generated' | 'closures'): unknown[] {
  const { shape, shapes } = shapeAndTable()
  const run = compileTransform(text, scope, { backend }).bind(shape, shapes, { max_expansion: 5 })
  const seen: unknown[] = []
  const environment = { ...bareEnvironment(), log: (...said: unknown[]) => void seen.push(said.slice(0, 2)) }
  for (const [index, values] of rows.entries()) {
    const out: Row[] = []
    try {
      const outcome = run(shape.make(values, unknownOrigin, index + 1), environment, out)
      seen.push({ outcome })
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error
      const { message, place, field, category, row, help } = error
      seen.push({
        message,
        line: place?.line,
        column: place?.column,
        length: place?.length,
        field,
        category,
        row,
        help,
      })
    }
    const columnsOf = (record: Row): string[] =>
      (shapeOf(record)?.columns ?? []).map((one) => `${one.name}: ${one.type}`)
    seen.push(out.map((record) => ({ columns: columnsOf(record), values: Object.entries(record) })))
  }
  return seen
}

describe('generated code and closures', { timeout: 600_000 }, () => {
  test('agree on records, messages and errors of whole programs', () => {
    const rows = fc.array(records, { minLength: 1, maxLength: 4 }).map((all) => [...all, all[0] as Value[]])
    fc.assert(
      fc.property(programs, rows, (lines, given) => {
        const text = lines.join('\n')
        expect(trace(text, given, 'generated')).toStrictEqual(trace(text, given, 'closures'))
      }),
    )
  })
})
