import type { Place } from './error.ts'

/**
 * The line at a place with a mark below it; `''` when the text is not known. A long line is shown around the mark only.
 * @example
 *   9 |       partition_by: [employe_id]
 *     |                      ^^^^^^^^^^
 */
export function codeFrame(place: Place): string {
  const line = place.text?.split(/\r\n|\n|\r/)[place.line - 1]
  if (line === undefined) return ''
  const characters = [...line]
  const column = Math.min(Math.max(place.column, 1), characters.length + 1)
  const length = Math.max(1, Math.min(place.length ?? 1, characters.length + 1 - column))
  const from = characters.length > widest ? Math.max(0, column - 1 - widest / 4) : 0
  const shown = characters.slice(from, from + widest)
  const before = from > 0 ? '…' : ''
  const after = from + widest < characters.length ? '…' : ''
  const start = column - from + before.length
  const end = Math.min(start + length, shown.length + before.length + 1)
  // Line separators inside the line would move the mark.
  const text = `${before}${shown.join('')}${after}`.replace(/[\u2028\u2029]/g, ' ')
  const at = utf16(shown, start, before)
  const marked = Math.max(1, utf16(shown, end, before) - at)
  const margin = ' '.repeat(`${place.line}`.length)
  // Tabs stay tabs, so that the mark stands below what it marks.
  const indent = text.slice(0, at).replace(/[^\t]/g, ' ')
  return `${place.line} |${text === '' ? '' : ` ${text}`}\n${margin} | ${indent}${'^'.repeat(marked)}`
}

/** Characters of one line that are shown; errors in data and generated files may stand in lines of any length. */
const widest = 200

/** How many UTF-16 units stand before the column. */
function utf16(shown: readonly string[], column: number, before: string): number {
  return before.length + shown.slice(0, Math.max(0, column - 1 - before.length)).join('').length
}
