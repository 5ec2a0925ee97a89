import { codeFrameColumns } from '@babel/code-frame'
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
  const frame = codeFrameColumns(
    // Characters beyond 16 bits and line separators inside the line would move the mark.
    `${before}${shown.join('')}${after}`.replace(/[\u2028\u2029]/g, ' '),
    { start: { line: 1, column: utf16(shown, start, before) }, end: { line: 1, column: utf16(shown, end, before) } },
    { highlightCode: false, linesAbove: 0, linesBelow: 0 },
  )
  return numbered(frame, place.line)
}

/** Characters of one line that are shown; errors in data and generated files may stand in lines of any length. */
const widest = 200

/** The column in UTF-16 units, which the package counts in. */
function utf16(shown: readonly string[], column: number, before: string): number {
  return before.length + shown.slice(0, Math.max(0, column - 1 - before.length)).join('').length + 1
}

/** Puts the number of the line in place of the 1 the package has written, and takes out its pointer. */
function numbered(frame: string, line: number): string {
  const margin = ' '.repeat(`${line}`.length)
  return frame
    .split('\n')
    .map((text, index) => text.replace(/^[> ] [1 ] /, index === 0 ? `${line} ` : `${margin} `))
    .join('\n')
}
