import { ClinkerError, preview } from '../../lib/diagnostics/index.ts'
import type { Origin } from '../../lib/record/origin.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row } from '../../lib/record/value.ts'
import { badCell, type JsonValue, type SchemaColumn } from '../../lib/schema/index.ts'
import type { DeadLetter } from '../node.ts'
import { asWritten, countKeys, type JsonObject, type Layout, Layouts, type Refused } from './layout.ts'
import { JsonFault, reread } from './reread.ts'
import { type Scanned, scan, unicodeEscape } from './scan.ts'

/** How records are read from JSON objects. */
export interface JsonReaderOptions {
  /** Declared columns. Absent: every field is a column of any type. */
  readonly columns?: readonly SchemaColumn[] | undefined
  /** What happens to fields that no column reads. Default: `auto_widen`. */
  readonly on_unmapped?: 'auto_widen' | 'drop' | 'reject'
  readonly date_formats?: readonly string[] | undefined
  /** Source and file: the origin of the records. */
  readonly origin: Origin
  /** Takes records with a value that its column does not take. Absent: the first one is an error. */
  readonly report?: ((letter: DeadLetter) => void) | undefined
  /** Rows of the source that earlier files had: numbering goes on. Default: 0. */
  readonly rowsBefore?: number
}

/** Objects and arrays may go this deep. */
const deepestValue = 512

/** Makes records of the texts of JSON objects. */
export class JsonRecords {
  readonly #options: JsonReaderOptions
  readonly #layouts: Layouts
  readonly #scanned: Scanned = { keys: 0, depth: 0, traits: 0 }
  /** Records read so far, rejected ones included. */
  #rows: number
  #layout: Layout | undefined

  constructor(options: JsonReaderOptions) {
    this.#options = options
    this.#rows = options.rowsBefore ?? 0
    this.#layouts = new Layouts({
      columns: options.columns,
      on_unmapped: options.on_unmapped ?? 'auto_widen',
      date_formats: options.date_formats,
    })
  }

  /** Whether nothing has been read yet. */
  get isFirst(): boolean {
    return this.#rows === (this.#options.rowsBefore ?? 0)
  }

  /** The record of the object that `text` is, on line `line`; undefined when it became a dead letter. */
  read(text: string, line: number): Row | undefined {
    const scanned = this.#scanned
    scan(text, scanned)
    const { keys, traits } = scanned
    if (scanned.depth > deepestValue) {
      throw this.malformed(`nests ${scanned.depth} levels deep, and at most ${deepestValue} are read`, line)
    }
    const object = this.#parse(text, line)
    const { origin } = this.#options
    const row = ++this.#rows
    if (!(traits & unicodeEscape) || !surrogateEscape.test(text)) {
      const record = this.#layout?.build(object, keys, traits, origin, row)
      if (record) return record
      if (countKeys(object) === keys) {
        const layout = this.#find(object, row)
        if (layout !== this.#layout) {
          this.#layout = layout
          const record = layout.build(object, keys, traits, origin, row)
          if (record) return record
        }
        if ((traits & ~unicodeEscape) === 0) return this.#convert(object, layout, row)
      }
    }
    const exact = this.#reread(text, line)
    this.#layout = this.#find(exact, row)
    return this.#convert(exact, this.#layout, row)
  }

  /** Input that is not what it should be: `what` says it of the line. */
  malformed(what: string, line: number, column = 1, help?: string): ClinkerError {
    const { source, path } = this.#options.origin.file
    return new ClinkerError('FormatFailure', {
      message: `line ${line}${path ? ` of ${path}` : ''} ${what}`,
      node: `source "${source}"`,
      ...(path ? { place: { file: path, line, column } } : {}),
      ...(help === undefined ? {} : { help }),
      exit: 4,
    })
  }

  #parse(text: string, line: number): JsonObject {
    let value: JsonValue
    try {
      value = JSON.parse(text) as JsonValue
    } catch {
      throw this.#notJson(text, line)
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
    throw this.malformed(`is no object but ${preview(value)}`, line)
  }

  #notJson(text: string, line: number): ClinkerError {
    const at = faultIn(text)
    const before = text.slice(0, at).split('\n')
    const column = (before.at(-1) as string).length + 1
    const wrong =
      at === text.trimEnd().length ? 'it ends too early' : `column ${column} cannot be ${preview(text.slice(at), 40)}`
    return this.malformed(`is not JSON: ${wrong}`, line + before.length - 1, column)
  }

  #reread(text: string, line: number): JsonObject {
    try {
      return reread(text) as JsonObject
    } catch (error) {
      if (error instanceof JsonFault) throw this.malformed(`cannot be a record: ${error.message}`, line)
      throw error
    }
  }

  #find(object: JsonObject, row: number): Layout {
    const layout = this.#layouts.find(object)
    if (!layout.objection) return layout
    const { reason, field, column } = layout.objection
    const { source, path } = this.#options.origin.file
    const where = `${path ? `${path} ` : ''}row=${row}`
    if (reason === 'unmapped') {
      throw new ClinkerError('FormatFailure', {
        message: `${where}: field ${preview(field)} is not in the schema, and on_unmapped is reject`,
        node: `source "${source}"`,
        help: 'declare it, or set on_unmapped to { mode: auto_widen } or { mode: drop }',
        actual: field,
        exit: 4,
      })
    }
    throw new ClinkerError('E236', {
      message: `${where}: column ${preview(field)} reads the field ${preview(column?.source_name)}, and there is a field ${preview(field)}, too`,
      node: `source "${source}"`,
      help: 'give the column a name that no other field has',
      actual: field,
      exit: 4,
    })
  }

  #convert(object: JsonObject, layout: Layout, row: number): Row | undefined {
    const { origin, report } = this.#options
    const result = layout.convert(object, origin, row)
    if ('record' in result) return result.record
    const { refused } = result
    const error = this.#badCell(refused, row)
    if (!report) throw error
    const { source, path } = origin.file
    report({
      category: 'type_coercion_failure',
      detail: error.reason,
      stage: 'source',
      trigger: true,
      field: refused.column,
      value: asWritten(refused.value),
      record: layout.asRead(object, origin, row),
      source: { name: source, file: path, row },
    })
    return undefined
  }

  #badCell({ column, position, declared, value }: Refused, row: number): ClinkerError {
    const { source, path } = this.#options.origin.file
    const type = declared?.type ?? Type.of('any')
    return badCell({ source, file: path, row, column: position, field: column, type, format: declared?.format, value })
  }
}

/** Half of a surrogate pair, or a whole one. */
const surrogateEscape = /\\u[dD][89a-fA-F]/

/**
 * Where a text stops being JSON; its length without the white space at the end when something is missing there. `JSON.parse` does not
 * always say it, and in other words in each version of Node: the longest prefix that could go on is found by halving.
 */
function faultIn(text: string): number {
  let good = 0
  let bad = text.trimEnd().length
  if (couldGoOn(text.slice(0, bad))) return bad
  while (good < bad - 1) {
    const middle = (good + bad) >> 1
    if (couldGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Whether all that is wrong with a text is that it ends. */
function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const { message } = error as Error
    const position = /\bposition (\d+)/.exec(message)?.[1]
    if (position !== undefined && Number(position) >= text.length) return true
    return /Unexpected end of|Unterminated string/.test(message)
  }
}
