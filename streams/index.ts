/**
 * Record pipelines as native Node streams: readers, nodes and writers compose with `pipeline()` of `node:stream/promises`.
 * @example
 * import { pipeline } from 'node:stream/promises'
 * import { csv, reshape } from 'clinker-streams'
 * await pipeline(process.stdin, csv.parse(), reshape({ partition_by: ['id'], rules }), csv.stringify(), process.stdout)
 */
export type { UserFunction } from '../lib/cxl/user-function.ts'
export { ClinkerError, ClinkerErrors, type Place } from '../lib/diagnostics/index.ts'
export { MemoryBudget } from '../lib/memory/index.ts'
export { CivilDate, CivilDateTime } from '../lib/record/civil.ts'
export { Decimal } from '../lib/record/decimal.ts'
export { Float } from '../lib/record/float.ts'
export { carry } from '../lib/record/intake.ts'
export { makeMap, mapEntries, mapKeys } from '../lib/record/map.ts'
export { type Audit, Origin, SourceFile } from '../lib/record/origin.ts'
export { type Column, Shape } from '../lib/record/shape.ts'
export { type StampData, stampOf } from '../lib/record/stamp.ts'
export { Type, type TypeName } from '../lib/record/type.ts'
export type { Row, Value, ValueMap } from '../lib/record/value.ts'
export * as csv from './csv/index.ts'
export type { NodeOptions } from './from-code.ts'
export { json, ndjson } from './json/index.ts'
export type { LogDirective } from './log.ts'
export type { DeadLetter } from './node.ts'
export { type OutputConfig, type OutputOptions, output } from './output.ts'
export {
  Reshape,
  type ReshapeConfig,
  type ReshapeOptions,
  type ReshapeOrder,
  type ReshapeRule,
  reshape,
} from './reshape.ts'
export type { NodeStats, ShellOptions } from './shell/index.ts'
export {
  type Declaration,
  Transform,
  type TransformConfig,
  type TransformOptions,
  transform,
  type Validation,
} from './transform.ts'
