import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bareEnvironment, compileExpression, compileTransform, EvaluationError } from '../../../../lib/cxl/engine.ts'
import { Float } from '../../../../lib/record/float.ts'
import { isIntNumber, kindOf } from '../../../../lib/record/kind.ts'
import { unknownOrigin } from '../../../../lib/record/origin.ts'
import { shapeOf } from '../../../../lib/record/stamp.ts'
import type { Type } from '../../../../lib/record/type.ts'
import type { Row, Value } from '../../../../lib/record/value.ts'
import { expressions, records } from '../programs.ts'
import { attempt, programs, scope, shapeAndTable } from './generated.ts'

const environment = bareEnvironment()

/** Kinds of the values of a type of the language: an int stands where a float, a number or a decimal may. */
const covered: Readonly<Record<string, readonly string[]>> = {
  float: ['int', 'float'],
  numeric: ['int', 'float', 'decimal'],
  decimal: ['int', 'decimal'],
}

function covers(type: Type, value: Value): boolean {
  if (type.name === 'any') return true
  if (value === null) return type.nullable
  return (covered[type.name] ?? [type.name]).includes(kindOf(value))
}

/** Whether a value is represented as its form promises. */
function hasForm(form: Type, value: Value): boolean {
  if (value === undefined) return false
  if (value === null) return form.nullable
  switch (form.name) {
    case 'any':
      return true
    case 'float':
      return typeof value === 'number'
    case 'int':
      return typeof value === 'bigint' || (typeof value === 'number' && isIntNumber(value))
    case 'numeric':
      return ['int', 'float', 'decimal'].includes(kindOf(value))
    default:
      return kindOf(value) === form.name
  }
}

/** Whether a whole float of unknown type is boxed, so that it is not taken for an int. */
function isCanonical(value: Value): boolean {
  if (typeof value === 'bigint') return !Number.isSafeInteger(Number(value)) || BigInt(Number(value)) !== value
  if (value instanceof Float) return !Number.isFinite(value.value) || Number.isInteger(value.value)
  return typeof value !== 'number' || !Number.isInteger(value) || isIntNumber(value)
}

/** Runs what may end with an error of the program, which has no value. */
function valuesOf<T>(compute: () => T): T | undefined {
  try {
    return compute()
  } catch (error) {
    if (error instanceof EvaluationError) return undefined
    throw error
  }
}

describe.each(['generated', 'closures'] as const)('static types, %s', { timeout: 600_000 }, (backend) => {
  test('cover the value of an expression, and the form tells how it is represented', () => {
    const { shape } = shapeAndTable()
    fc.assert(
      fc.property(expressions, fc.array(records, { minLength: 1, maxLength: 5 }), (text, rows) => {
        const expression = attempt(() => compileExpression(text, scope, { backend }))
        if (!expression) return
        for (const values of rows) {
          const row = shape.make(values, unknownOrigin, 1)
          const found = valuesOf(() => [expression.evaluate(row, environment)])
          if (!found) continue
          const [value] = found as [Value]
          const told = { text, type: `${expression.type}`, form: `${expression.form}`, kind: kindOf(value), value }
          expect(told).toSatisfy(() => covers(expression.type, value) || isFloatForm(expression.form, value))
          expect(told).toSatisfy(() => hasForm(expression.form, value))
          if (expression.form.name === 'any' || expression.form.name === 'numeric') {
            expect(told).toSatisfy(() => isCanonical(value))
          }
        }
      }),
    )
  })

  test('are those of the columns behind a program', () => {
    const { shape, shapes } = shapeAndTable()
    fc.assert(
      fc.property(programs, fc.array(records, { minLength: 1, maxLength: 3 }), (lines, rows) => {
        const program = compileTransform(lines.join('\n'), scope, { backend })
        const run = program.bind(shape, shapes)
        for (const values of rows) {
          const out: Row[] = []
          valuesOf(() => run(shape.make(values, unknownOrigin, 1), environment, out))
          for (const record of out) {
            for (const { name, type } of shapeOf(record)?.columns ?? []) {
              const value = record[name] as Value
              expect({ lines, name, type: `${type}`, value }).toSatisfy(() => hasForm(type, value))
            }
          }
        }
      }),
    )
  })
})

/** A float form has plain numbers only, which otherwise look like ints. */
function isFloatForm(form: Type, value: Value): boolean {
  return form.name === 'float' && typeof value === 'number'
}
