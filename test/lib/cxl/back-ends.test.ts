import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileExpression,
  compileTransform,
  EvaluationError,
  formatProgram,
  fuse,
} from '../../../lib/cxl/engine.ts'
import { ClinkerError } from '../../../lib/diagnostics/error.ts'
import { unknownOrigin } from '../../../lib/record/origin.ts'
import { ShapeTable } from '../../../lib/record/shape.ts'
import type { Type } from '../../../lib/record/type.ts'
import type { Row, Value } from '../../../lib/record/value.ts'
import { columns, expressions, foreignValues, records } from './programs.ts'

const scope = { columns: new Map<string, Type>(columns.map(([name, type]) => [name, type])) }
const environment = bareEnvironment()
const runs = Number(process.env.CXL_RUNS ?? 300)

function shapeAndTable() {
  const shapes = new ShapeTable()
  return { shapes, shape: shapes.of(columns.map(([name, type]) => ({ name, type }))) }
}

/** A program's outcome as something to compare; undefined for one that is refused. */
function outcome(compute: () => unknown): unknown {
  try {
    return { value: compute() }
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message, place: error.place }
    throw error
  }
}

function compiled<T>(compile: () => T): T | undefined {
  try {
    return compile()
  } catch (error) {
    if (error instanceof ClinkerError) return undefined
    throw error
  }
}

describe('both back ends', { timeout: 600_000 }, () => {
  test('give the same value and the same error for an expression', () => {
    const { shape } = shapeAndTable()
    fc.assert(
      fc.property(expressions, fc.array(records, { minLength: 1, maxLength: 4 }), (text, rows) => {
        const generated = compiled(() => compileExpression(text, scope, { backend: 'generated' }))
        if (!generated) return
        const closures = compileExpression(text, scope, { backend: 'closures' })
        for (const values of rows) {
          const row = shape.make(values, unknownOrigin, 1)
          const wanted = outcome(() => closures.evaluate(row, environment))
          expect(outcome(() => generated.evaluate(row, environment))).toStrictEqual(wanted)
          const truth = outcome(() => closures.test(row, environment))
          expect(outcome(() => generated.test(row, environment))).toStrictEqual(truth)
        }
      }),
      { numRuns: runs },
    )
  })

  test('give the same records for a program, stage by stage and fused', () => {
    const { shape, shapes } = shapeAndTable()
    const program = fc.tuple(expressions, expressions, expressions)
    fc.assert(
      fc.property(program, program, records, ([a, b, c], [d, e, f], values) => {
        const first = `emit i = ${a}\nlet k = ${b}\nemit q = ${c}\nemit r = k ?? q`
        const second = `emit q = ${d}\nfilter ${e} ?? true\nemit o = ${f}\nemit p = i`
        const results = (['generated', 'closures'] as const).map((backend) => {
          const one = compiled(() => compileTransform(first, scope, { backend }))
          if (!one) return undefined
          const types = new Map(one.output.map(({ name, type }) => [name, type]))
          const two = compiled(() => compileTransform(second, { columns: types }, { backend }))
          if (!two) return undefined
          const row = shape.make(values, unknownOrigin, 1)
          const chain = outcome(() => {
            const middle: Row[] = []
            const out: Row[] = []
            one.bind(shape, shapes)(row, environment, middle)
            const behind = one.shapeBehind(shape, shapes)
            for (const each of middle) two.bind(behind, shapes)(each, environment, out)
            return out
          })
          const stages = [
            { program: one, node: 'one' },
            { program: two, node: 'two' },
          ]
          const fused = fuse(stages, shape, shapes)
          expect(fused === undefined).toBe(backend === 'closures')
          if (fused && (chain as { error?: string }).error === undefined) {
            const out: Row[] = []
            fused(row, environment, out)
            expect({ value: out }).toStrictEqual(chain)
          }
          return chain
        })
        expect(results[0]).toStrictEqual(results[1])
      }),
      { numRuns: runs },
    )
  })

  test('survive whatever other code put into a record, alike', () => {
    const { shape } = shapeAndTable()
    const changes = fc.array(fc.tuple(fc.constantFrom(...columns.map(([name]) => name)), foreignValues), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(expressions, records, changes, (text, values, changed) => {
        const generated = compiled(() => compileExpression(text, scope, { backend: 'generated' }))
        if (!generated) return
        const row = shape.make(values, unknownOrigin, 1)
        for (const [name, value] of changed) {
          Object.defineProperty(row, name, {
            value: value as Value,
            enumerable: true,
            writable: true,
            configurable: true,
          })
        }
        outcome(() => generated.evaluate(row, environment))
        outcome(() => compileExpression(text, scope, { backend: 'closures' }).evaluate(row, environment))
      }),
      { numRuns: runs },
    )
  })
})

describe('formatting', { timeout: 600_000 }, () => {
  test('changes nothing the second time, and never the tree', () => {
    fc.assert(
      fc.property(expressions, (text) => {
        const program = `emit r = ${text}\n`
        const once = compiled(() => formatProgram(program))
        if (once === undefined) return
        expect(formatProgram(once)).toBe(once)
        const before = compiled(() => compileExpression(text, scope).canonical)
        if (before === undefined) return
        const after = compileExpression(once.slice('emit r = '.length), scope).canonical
        expect(after).toBe(before)
      }),
      { numRuns: runs },
    )
  })
})
