/** A number with so many digits that reading it as a double can lose some. */
export const longNumber = 1
/** A number that JavaScript would write in another form: `2.0`, `1.50`, `1e3`, `-0`. */
export const unusualNumber = 2
/** A `\u` escape, which may be half of a character. */
export const unicodeEscape = 4

/** What {@link scan} found in a JSON text. */
export interface Scanned {
  /** How many keys its objects have together. */
  keys: number
  /** How deep its objects and arrays go. */
  depth: number
  /** {@link longNumber}, {@link unusualNumber} and {@link unicodeEscape}, added up. */
  traits: number
}

/**
 * Looks over a JSON text for what `JSON.parse` would lose without a word: digits, the difference between 2 and 2.0, keys that occur
 * twice (their number tells), halves of characters. Of a text that is no JSON it tells nothing.
 */
export function scan(text: string, found: Scanned): void {
  let keys = 0
  let level = 0
  let depth = 0
  let traits = 0
  const { length } = text
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code === 34 /* " */) {
      for (;;) {
        const inside = text.charCodeAt(++index)
        if (inside === 34 || inside !== inside) break
        if (inside === 92 /* \ */ && text.charCodeAt(++index) === 117 /* u */) traits |= unicodeEscape
      }
    } else if (code === 58 /* : */) keys++
    else if (code >= 48 && code <= 57) {
      const start = index
      let float = false
      for (;;) {
        const inside = text.charCodeAt(++index)
        if (inside >= 48 && inside <= 57) continue
        if (inside === 46 /* . */) float = true
        else if ((inside | 32) === 101 /* e */) {
          traits |= unusualNumber
          float = true
        } else if (inside !== 43 /* + */ && inside !== 45 /* - */) break
      }
      const length = index - start
      // 16 digits of an int are safe below 9e15.
      if (length > 15 && (float || length > 16 || code === 57)) traits |= longNumber
      if (float && text.charCodeAt(index - 1) === 48) traits |= unusualNumber
      else if (code === 48 && length === 1 && text.charCodeAt(start - 1) === 45) traits |= unusualNumber
      index--
    } else if (code === 123 || code === 91) {
      if (++level > depth) depth = level
    } else if (code === 125 || code === 93) level--
  }
  found.keys = keys
  found.depth = depth
  found.traits = traits
}
