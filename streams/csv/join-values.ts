import { ClinkerError, preview } from '../../lib/diagnostics/index.ts'
import { type OptionsContext, throwAll } from '../options.ts'
import { type JoinValues, joinByDefault } from './cell-text.ts'

/** `join_values` as written: a field alone is joined by `;`. */
export type WrittenJoinValues = readonly (string | WrittenJoin)[]

/** How the elements of an array share a cell: an entry of `join_values`. */
export interface WrittenJoin {
  field: string
  /** Between the elements. Default: `;`. */
  delimiter?: string
  /** An element that holds the delimiter: is refused, has `escape` put before it, or all are written as a JSON array. Default: `error`. */
  on_conflict?: 'error' | 'escape' | 'encode_json'
  /** Put before a delimiter, and before one of itself. Default: `\`. */
  escape?: string
}

const keys = ['field', 'delimiter', 'on_conflict', 'escape']
const conflicts = ['error', 'escape', 'encode_json']

/** Checks `join_values`; by column. Throws every fault at once, as E362. */
export function checkJoinValues(written: unknown, context: OptionsContext): Map<string, JoinValues> {
  const joins = new Map<string, JoinValues>()
  if (written === undefined) return joins
  if (!Array.isArray(written)) {
    throw new ClinkerError('E362', {
      node: context.node,
      message: `join_values must be a list of fields or { ${keys.join(', ')} }, got ${preview(written)}`,
    })
  }
  const errors: ClinkerError[] = []
  for (const [index, given] of written.entries()) {
    const entry = typeof given === 'string' ? { field: given } : given
    const fault = faultOf(entry) ?? (joins.has(entry.field) ? `names ${preview(entry.field)} a second time` : undefined)
    if (fault === undefined) joins.set(entry.field, { ...joinByDefault, ...entry })
    else {
      const place = context.place?.(['join_values', index])
      const message = `join_values[${index}] ${fault}`
      errors.push(new ClinkerError('E362', { node: context.node, message, ...(place ? { place } : {}) }))
    }
  }
  throwAll(errors)
  return joins
}

/** What is wrong with an entry; undefined when nothing is. */
function faultOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return `must be a field or { ${keys.join(', ')} }, got ${preview(given)}`
  }
  const entry = given as Record<string, unknown>
  for (const key of Object.keys(entry)) {
    if (!keys.includes(key)) return `has the unknown key \`${key}\`; known keys: ${keys.join(', ')}`
  }
  const { field, delimiter, on_conflict, escape } = entry
  if (typeof field !== 'string') return `must name a field, got ${preview(field)}`
  if (on_conflict !== undefined && !conflicts.includes(on_conflict as string)) {
    return `must have error, escape or encode_json for on_conflict, got ${preview(on_conflict)}`
  }
  for (const [key, value] of Object.entries({ delimiter, escape })) {
    if (value !== undefined && (typeof value !== 'string' || value === '')) {
      return `must have a text of at least one character for ${key}, got ${preview(value)}`
    }
  }
  return delimiter !== undefined && delimiter === escape
    ? `has ${preview(escape)} for both delimiter and escape`
    : undefined
}
