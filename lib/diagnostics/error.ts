/** Where in a file something is. Lines and columns count from 1, columns in characters. */
export interface Place {
  /** The file as the user named it; absent for text given inline. */
  readonly file?: string
  readonly line: number
  readonly column: number
  /** Characters to mark from `column` on. Default 1. */
  readonly length?: number
  /** The whole text of the file, for the code frame. Absent: no frame is shown. */
  readonly text?: string
}

/** What a {@link ClinkerError} is made of, besides its code. */
export interface ErrorDetails {
  /** One sentence: what is wrong. Data shown in it is cut at 256 bytes. */
  readonly message: string
  /** Kind and name of the node, as the message shows it: `reshape "backfill"`. */
  readonly node?: string
  readonly place?: Place
  /** How to mend it, one sentence. */
  readonly help?: string
  readonly expected?: unknown
  readonly actual?: unknown
  readonly cause?: unknown
  /** Exit status of a run that ends with this error (spec/5, exit codes). Default: that of the code. */
  readonly exit?: number
}
