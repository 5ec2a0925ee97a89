import { parseFinite } from '../record/float.ts'
import { boxFloat } from '../record/float.ts'
import { parseInteger } from '../record/int.ts'
import { mapKeys } from '../record/map.ts'
import { Origin, SourceFile } from '../record/origin.ts'
import { type Column, type Shape, ShapeTable } from '../record/shape.ts'
import { shapeOf, stamp } from '../record/stamp.ts'
import { Type } from '../record/type.ts'
import type { Row, Value, ValueMap } from '../record/value.ts'
import { bareEnvironment, type Environment } from './environment.ts'
import { printRecord } from './json.ts'
import { passed } from './outcome.ts'
import { compileTransform, type CompileOptions } from './program.ts'

export interface EvaluateOptions extends CompileOptions {
  /** Name of the file the program stands in, which `$source` tells too. Default: `<inline>`. */
  readonly file?: string
  readonly environment?: Environment
}

/** What a program makes of one record. */
export interface Evaluated {
  /** The emitted columns, an entry for each record. */
  readonly records: readonly Row[]
  /** Whether the records are those of an `emit each`, of which there may be any number. */
  readonly expanded: boolean
  /** Whether a `filter` dropped the record. */
  readonly dropped: boolean
  /** What `cxl eval` prints. */
  readonly text: string
}

/**
 * Runs a program for one record, whose columns have no declared type. Throws its faults, or an EvaluationError.
 * @example evaluateOnce('emit r = a + 1', { a: 1 }).text // '{\n  "r": 2\n}'
 */
export function evaluateOnce(program: string, record: ValueMap, options: EvaluateOptions = {}): Evaluated {
  const any = Type.of('any')
  const file = options.file ?? '<inline>'
  const names = mapKeys(record)
  const scope = { columns: new Map(names.map((name) => [name, any])), window: 'fails' as const }
  const compiled = compileTransform(program, scope, { ...options, file, keep: 'emitted' })
  const shapes = new ShapeTable()
  const shape = shapes.of(names.map((name) => ({ name, type: any })))
  const environment = options.environment ?? bareEnvironment('cxl-eval')
  const row: Row = { ...record }
  stamp(row, shape, originOf(file, environment), 1)
  const records: Row[] = []
  const outcome = compiled.bind(shape, shapes)(row, environment, records)
  const expanded = outcome === passed && compiled.leaves.some(({ block }) => block !== undefined)
  return { records, expanded, dropped: outcome !== passed, text: textOf(records, expanded) }
}

/** The value of `--field name=value`: an int, a float, `true`, `false` or `null`, else a text. */
export function fieldValue(text: string): Value {
  if (text === 'null') return null
  if (text === 'true' || text === 'false') return text === 'true'
  const whole = parseInteger(text)
  if (whole !== undefined) return whole
  const number = parseFinite(text)
  return number === undefined ? text : boxFloat(number)
}

function originOf(file: string, environment: Environment): Origin {
  const { batch_id: batch, start_time: ingested } = environment.pipeline
  const source = new SourceFile(file, file, { batch, ingested })
  source.count = 1
  return new Origin(source)
}

function textOf(records: readonly Row[], expanded: boolean): string {
  const print = (record: Row, margin: string): string => printRecord(columnsOf(record), record, margin)
  if (!expanded) return records[0] ? print(records[0], '') : '{}'
  if (records.length === 0) return '[]'
  return `[\n${records.map((record) => `  ${print(record, '  ')}`).join(',\n')}\n]`
}

function columnsOf(record: Row): readonly Column[] {
  return (shapeOf(record) as Shape).columns
}
