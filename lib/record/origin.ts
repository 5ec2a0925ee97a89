import type { CivilDateTime } from './civil.ts'
import type { Row, Value } from './value.ts'

/** One file (or stream) of a source: what `$source` tells of the records read from it. */
export class SourceFile {
  /** Name of the source node, or of the parser; `''` when it has none. */
  readonly source: string
  /** The file as the pipeline found it; `''` for a stream without a name. */
  readonly path: string
  /** Rows of the source, known when it has been read to its end. */
  count: number | null = null
  /** Values of declared `$source` variables, by name, once written for this file. */
  readonly variables: Map<string, Value> = new Map()
  readonly ingested: CivilDateTime | null
  readonly batch: string

  constructor(source: string, path: string, options: { batch?: string; ingested?: CivilDateTime | null } = {}) {
    this.source = source
    this.path = path
    this.batch = options.batch ?? ''
    this.ingested = options.ingested ?? null
  }
}

/** The stamps of Reshape (`$meta.*`). */
export interface Audit {
  readonly synthetic: boolean
  readonly synthesizedBy: string
  readonly mutatedBy: string
}

/** What records of one provenance share. Immutable; a change (`with`) gives another one. */
export class Origin {
  readonly file: SourceFile
  readonly audit: Audit | undefined
  /** Correlation keys by field name, frozen when the record was read. */
  readonly keys: Row | undefined
  /** Values of declared `$record` variables. */
  readonly variables: Row | undefined
  /** `$source.event_time`: the watermark column less its delay. */
  readonly eventTime: CivilDateTime | null

  constructor(file: SourceFile, audit?: Audit, keys?: Row, variables?: Row, eventTime: CivilDateTime | null = null) {
    this.file = file
    this.audit = audit
    this.keys = keys
    this.variables = variables
    this.eventTime = eventTime
  }

  withAudit(audit: Audit | undefined): Origin {
    return new Origin(this.file, audit, this.keys, this.variables, this.eventTime)
  }

  withVariables(variables: Row | undefined): Origin {
    return new Origin(this.file, this.audit, this.keys, variables, this.eventTime)
  }
}

/** The origin of records nobody read: made by code, or handed in as plain objects. */
export const unknownOrigin: Origin = new Origin(new SourceFile('', ''))
