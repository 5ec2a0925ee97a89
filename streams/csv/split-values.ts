import { ClinkerError, closestMatch, preview } from '../../lib/diagnostics/index.ts'
import type { Value } from '../../lib/record/value.ts'
import { type FromText, jsonReader, type ReaderOptions, type SchemaColumn, textReader } from '../../lib/schema/index.ts'
import { reread } from '../json/reread.ts'
import { type OptionsContext, throwAll } from '../options.ts'

/** How one cell holds several values: an entry of `split_values`. */
export interface SplitValues {
  /** The field as the input names it. */
  field: string
  /** Between the elements. Default: `;`. */
  delimiter?: string
  /** Before a delimiter, or one of itself, that belongs to an element. Default: none. */
  escape?: string
  /** The cell is a JSON array. Default: false. */
  json?: boolean
}

/** `split_values` as written: a field alone is split at `;`. */
export type WrittenSplitValues = readonly (string | SplitValues)[]

const keys = ['field', 'delimiter', 'escape', 'json']

/**
 * Checks `split_values` against the schema, by field as the input names it. Throws every fault at once: E358 for an entry, E361 for a
 * `multiple` column without one.
 */
export function checkSplitValues(
  written: unknown,
  columns: readonly SchemaColumn[],
  context: OptionsContext,
): Map<string, SplitValues> {
  const errors: ClinkerError[] = []
  const entries = new Map<string, SplitValues>()
  const refuse = (index: number, message: string, help?: string): void => {
    const place = context.place?.(['split_values', index])
    errors.push(
      new ClinkerError('E358', {
        node: context.node,
        message: `split_values[${index}] ${message}`,
        ...(place ? { place } : {}),
        ...(help === undefined ? {} : { help }),
      }),
    )
  }
  if (written !== undefined && !Array.isArray(written)) {
    throw new ClinkerError('E358', {
      node: context.node,
      message: `split_values must be a list of fields or { ${keys.join(', ')} }, got ${preview(written)}`,
    })
  }
  for (const [index, given] of (written ?? []).entries()) {
    const fault = faultOf(given)
    if (fault !== undefined) {
      refuse(index, fault)
      continue
    }
    const entry: SplitValues = typeof given === 'string' ? { field: given } : given
    const column = columns.find(({ name, source_name }) => (source_name ?? name) === entry.field)
    if (!column) {
      const near = closestMatch(
        entry.field,
        columns.map(({ name, source_name }) => source_name ?? name),
      )
      refuse(index, `names ${preview(entry.field)}, which no column reads`, near && `did you mean \`${near}\`?`)
    } else if (!column.multiple) {
      refuse(index, `names ${preview(entry.field)}, which is a single value`, 'declare the column `multiple: true`')
    } else if (entries.has(entry.field)) refuse(index, `names ${preview(entry.field)} a second time`)
    else entries.set(entry.field, entry)
  }
  for (const { name, source_name, multiple } of columns) {
    if (!multiple || entries.has(source_name ?? name)) continue
    errors.push(
      new ClinkerError('E361', {
        node: context.node,
        message: `column ${preview(name)} is \`multiple\`, but a cell holds one value`,
        help: `add ${JSON.stringify(source_name ?? name)} to \`split_values\``,
      }),
    )
  }
  throwAll(errors)
  return entries
}

/** Reads a cell as the array it holds: the empty cell is an empty one. One bad element and the cell does not convert. */
export function splitReader(entry: SplitValues, column: SchemaColumn, options: ReaderOptions): FromText {
  if (entry.json) return jsonArrayReader(column, options)
  const { delimiter = ';', escape } = entry
  const read = textReader(column, options)
  return (cell) => {
    if (cell === '') return []
    const elements = escape === undefined ? cell.split(delimiter) : splitEscaped(cell, delimiter, escape)
    const values: Value[] = []
    for (const element of elements) {
      const value = read(element)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }
}

function jsonArrayReader(column: SchemaColumn, options: ReaderOptions): FromText {
  const read = jsonReader({ ...column, multiple: true }, options)
  return (cell) => {
    if (cell === '') return []
    if (!cell.trimStart().startsWith('[')) return undefined
    try {
      JSON.parse(cell)
      return read(reread(cell))
    } catch {
      return undefined
    }
  }
}

/** `a\;b;c` with `\` for an escape: `a;b` and `c`. */
function splitEscaped(cell: string, delimiter: string, escape: string): string[] {
  const elements: string[] = []
  let element = ''
  let at = 0
  while (at < cell.length) {
    if (cell.startsWith(escape, at) && at + escape.length < cell.length) {
      const next = at + escape.length
      const length = cell.startsWith(delimiter, next)
        ? delimiter.length
        : cell.startsWith(escape, next)
          ? escape.length
          : 1
      element += cell.slice(next, next + length)
      at = next + length
    } else if (cell.startsWith(delimiter, at)) {
      elements.push(element)
      element = ''
      at += delimiter.length
    } else element += cell[at++]
  }
  elements.push(element)
  return elements
}

/** What is wrong with an entry by itself; undefined when nothing is. */
function faultOf(given: unknown): string | undefined {
  if (typeof given === 'string') return undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return `must be a field or { ${keys.join(', ')} }, got ${preview(given)}`
  }
  const entry = given as Record<string, unknown>
  for (const key of Object.keys(entry)) {
    if (!keys.includes(key)) return `has the unknown key \`${key}\`; known keys: ${keys.join(', ')}`
  }
  if (typeof entry['field'] !== 'string') return `must name a field, got ${preview(entry['field'])}`
  for (const key of ['delimiter', 'escape']) {
    const value = entry[key]
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      return `must have a text of at least one character for ${key}, got ${preview(value)}`
    }
  }
  if (entry['json'] !== undefined && typeof entry['json'] !== 'boolean') {
    return `must have true or false for json, got ${preview(entry['json'])}`
  }
  if (entry['delimiter'] !== undefined && entry['delimiter'] === entry['escape']) {
    return `has ${preview(entry['escape'])} for both delimiter and escape`
  }
  return undefined
}
