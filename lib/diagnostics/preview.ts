import { utf8Length } from './measure.ts'

/** Data shown in a message is cut at this many bytes. */
const previewBytes = 256

/**
 * Data as a message shows it: on one line, in quotes when it is text, at most `bytes` bytes of UTF-8 with the mark of the cut
 * included.
 */
export function preview(value: unknown, bytes: number = previewBytes): string {
  if (typeof value === 'string') return cut(quoted(value, bytes), bytes, '…"')
  return cut(onText(value, bytes), bytes, '…')
}

function quoted(value: string, bytes: number): string {
  return JSON.stringify(value.slice(0, bytes))
}

function onText(value: unknown, bytes: number): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object') return String(value)
  // Values of the record model know their text; plain maps and arrays do not.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return String(value)
  try {
    return JSON.stringify(value, (_, inner) => shortened(inner, bytes))
  } catch {
    // An object that holds itself, handed in as an option.
    return Object.prototype.toString.call(value)
  }
}

/** What of a value can be seen at all: megabytes must not be copied to show their first bytes. */
function shortened(value: unknown, bytes: number): unknown {
  if (typeof value === 'bigint') return `${value}`
  return (typeof value === 'string' || Array.isArray(value)) && value.length > bytes ? value.slice(0, bytes) : value
}

function cut(text: string, bytes: number, mark: string): string {
  if (text.length * 3 <= bytes || utf8Length(text) <= bytes) return text
  const room = bytes - utf8Length(mark)
  let size = 0
  let kept = ''
  for (const character of text) {
    size += utf8Length(character)
    if (size > room) break
    kept += character
  }
  return kept + mark
}
