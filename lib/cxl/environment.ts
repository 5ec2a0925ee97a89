import { CivilDateTime } from '../record/civil.ts'
import type { Row, Value } from '../record/value.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** What `$pipeline` tells: of the run, not of a record. */
export interface PipelineValues {
  readonly name: string
  readonly execution_id: string
  readonly batch_id: string
  readonly start_time: CivilDateTime
  readonly total_count: number
  readonly ok_count: number
  readonly dlq_count: number
  readonly filtered_count: number
  readonly distinct_count: number
}

/** What a running program can reach beyond its record. */
export interface Environment {
  /** The current date-time, UTC. */
  now(): CivilDateTime
  readonly pipeline: PipelineValues
  /** Values of declared `$pipeline` variables, once written. */
  readonly variables: Map<string, Value>
  /** Takes what `trace` and `debug` say. */
  log(level: LogLevel, message: string, row: Row | undefined): void
  /** A field of the document a record came from, null when there is none. Absent: null always. */
  doc?(row: Row, section: string, field: string): Value
  /** A `$source.<input>.<name>` variable. Absent: the value of the record's own file. */
  input?(row: Row, input: string, name: string): Value | undefined
}

/** An environment outside of a run: counters 0, ids of zeros, nothing is logged. */
export function bareEnvironment(name = ''): Environment {
  const zero = '00000000-0000-0000-0000-000000000000'
  const now = (): CivilDateTime => {
    const milliseconds = Date.now()
    const seconds = Math.floor(milliseconds / 1000)
    return CivilDateTime.fromEpoch(seconds, (milliseconds - seconds * 1000) * 1_000_000)
  }
  return {
    now,
    pipeline: {
      name,
      execution_id: zero,
      batch_id: zero,
      start_time: now(),
      total_count: 0,
      ok_count: 0,
      dlq_count: 0,
      filtered_count: 0,
      distinct_count: 0,
    },
    variables: new Map(),
    log: () => {},
  }
}
