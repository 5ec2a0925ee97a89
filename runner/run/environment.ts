import { v7 as uuid } from 'uuid'
import type { Environment, LogLevel, PipelineValues } from '../../lib/cxl/engine.ts'
import { CivilDateTime } from '../../lib/record/civil.ts'
import type { Row, Value } from '../../lib/record/value.ts'

/** Records of a run so far, as `$pipeline` tells them. */
export interface Counters {
  /** Read by the sources, bad ones included. */
  total: number
  /** Written by the outputs. */
  written: number
  dead: number
  /** Gone in a node that lets fewer records out than it takes in. */
  filtered: number
}

/** What CXL programs reach during a run. */
export class RunEnvironment implements Environment {
  readonly pipeline: PipelineValues
  readonly variables: Map<string, Value> = new Map()
  readonly #log: (level: LogLevel, message: string) => void

  constructor(
    name: string,
    batchId: string | undefined,
    counters: Counters,
    log: (level: LogLevel, message: string) => void,
  ) {
    this.#log = log
    this.pipeline = {
      name,
      execution_id: uuid(),
      batch_id: batchId ?? uuid(),
      start_time: this.now(),
      get total_count() {
        return counters.total
      },
      get ok_count() {
        return counters.written
      },
      get dlq_count() {
        return counters.dead
      },
      get filtered_count() {
        return counters.filtered
      },
      // Distinct records are counted with the filtered ones.
      get distinct_count() {
        return 0
      },
    }
  }

  now(): CivilDateTime {
    return CivilDateTime.fromDate(new Date()) as CivilDateTime
  }

  log(level: LogLevel, message: string, _row: Row | undefined): void {
    this.#log(level, message)
  }
}
