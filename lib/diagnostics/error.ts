import { codeFrame } from './code-frame.ts'
import { codes } from './codes/index.ts'

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

/**
 * A diagnostic. `message` is its first line, for people; the fields are for programs; {@link ClinkerError.format} is the whole text
 * with place, code frame and help.
 * @example
 * throw new ClinkerError('E203', { node: 'transform "net"', message: 'unknown field `prise`', help: 'did you mean `price`?' })
 */
export class ClinkerError extends Error {
  override readonly name: string = 'ClinkerError'
  readonly code: string
  /** What is wrong, without code and node. */
  readonly reason: string
  readonly node: string | undefined
  readonly place: Place | undefined
  readonly help: string | undefined
  readonly expected: unknown
  readonly actual: unknown
  readonly exit: number

  constructor(code: string, details: ErrorDetails) {
    super(firstLine(code, details), details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.reason = details.message
    this.node = details.node
    this.place = details.place
    this.help = details.help
    this.expected = details.expected
    this.actual = details.actual
    this.exit = details.exit ?? codes.get(code)?.exit ?? 1
  }

  /** The whole text: code, node and what is wrong, then where with the line itself, then how to mend it. */
  format(): string {
    const { place, help } = this
    const lines = [this.message]
    if (place) {
      lines.push(`  ${place.file ?? '<inline>'}:${place.line}:${place.column}`)
      const frame = codeFrame(place)
      if (frame !== '') lines.push(...frame.split('\n').map((line) => `  ${line}`))
    }
    if (help !== undefined) lines.push(`  ${help}`)
    return lines.join('\n')
  }
}

/** Several diagnostics found together, in the order to report them. Code, fields and exit status are those of the first. */
export class ClinkerErrors extends ClinkerError {
  override readonly name: string = 'ClinkerErrors'
  readonly errors: readonly ClinkerError[]

  constructor(errors: readonly ClinkerError[]) {
    const [first] = errors
    if (!first) throw new RangeError('ClinkerErrors needs at least one error')
    super(first.code, detailsOf(first))
    this.errors = errors
    this.message = errors.map((error) => error.message).join('\n')
  }

  override format(): string {
    return this.errors.map((error) => error.format()).join('\n')
  }
}

function firstLine(code: string, { node, message }: ErrorDetails): string {
  return node === undefined ? `${code}: ${message}` : `${code}: ${node}: ${message}`
}

function detailsOf(error: ClinkerError): ErrorDetails {
  const { reason, node, place, help, expected, actual, cause, exit } = error
  return {
    message: reason,
    expected,
    actual,
    cause,
    exit,
    ...(node === undefined ? {} : { node }),
    ...(place === undefined ? {} : { place }),
    ...(help === undefined ? {} : { help }),
  }
}
