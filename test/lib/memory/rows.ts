import { onTestFinished } from 'vitest'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClinkerError } from '../../../lib/diagnostics/error.ts'
import { SpillFolder } from '../../../lib/memory/index.ts'
import { Origin, SourceFile } from '../../../lib/record/origin.ts'
import { ShapeTable } from '../../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../../lib/record/stamp.ts'
import { Type } from '../../../lib/record/type.ts'
import type { Row, Value } from '../../../lib/record/value.ts'

const shapes = new ShapeTable()

export const testOrigin: Origin = new Origin(new SourceFile('orders', 'orders.csv'))

/** A stamped record of columns of any type. */
export function rowOfValues(columns: Record<string, Value> | [string, Value][], row = 1, origin = testOrigin): Row {
  const entries = Array.isArray(columns) ? columns : Object.entries(columns)
  const shape = shapes.of(entries.map(([name]) => ({ name, type: Type.of('any') })))
  return shape.make(
    entries.map(([, value]) => value),
    origin,
    row,
  )
}

/** Everything there is to a record, for comparison. */
export function whole(row: Row): unknown[] {
  return [shapeOf(row), originOf(row), rowOf(row), ...(shapeOf(row)?.names.map((name) => row[name]) ?? [])]
}

/** A folder for spill folders that is removed with what is left in it; `left()` lists that. */
export function temporaryFolder(): { path: string; left(): string[] } {
  const path = mkdtempSync(join(tmpdir(), 'clinker-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return { path, left: () => readdirSync(path, { recursive: true }) as string[] }
}

export function temporarySpill(): { folder: SpillFolder; files(): string[] } {
  const { path, left } = temporaryFolder()
  const folder = new SpillFolder(path)
  onTestFinished(() => folder.close())
  return { folder, files: () => left().filter((name) => name.endsWith('.spill')) }
}

/** The error that a call throws. */
export function caught(run: () => unknown): ClinkerError {
  try {
    run()
  } catch (error) {
    return error as ClinkerError
  }
  throw new Error('nothing was thrown')
}
