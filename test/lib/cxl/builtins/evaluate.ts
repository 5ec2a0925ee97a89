import { compileExpression } from '../../../../lib/cxl/expression.ts'
import { bareEnvironment } from '../../../../lib/cxl/environment.ts'
import { CivilDate, CivilDateTime } from '../../../../lib/record/civil.ts'
import { Decimal } from '../../../../lib/record/decimal.ts'
import { Float } from '../../../../lib/record/float.ts'
import { mapEntries } from '../../../../lib/record/map.ts'
import type { Row, Value, ValueMap } from '../../../../lib/record/value.ts'

/** The value of an expression whose names are fields of unknown type. */
export function evaluate(
  program: string,
  row: Readonly<Row> = {},
  backend: 'generated' | 'closures' = 'closures',
): Value {
  return compileExpression(program, {}, { backend }).evaluate(row, bareEnvironment())
}

/** A value as examples write it: decimals and dates as text, floats as numbers. */
export function plain(value: Value): unknown {
  if (value instanceof Float) return value.value
  if (value instanceof Decimal || value instanceof CivilDate || value instanceof CivilDateTime) return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(mapEntries(value as ValueMap).map(([key, inner]) => [key, plain(inner)]))
}
