/** A number with so many digits that reading it as a double can lose some. */
export const longNumber = 1
/** A number that JavaScript might write in another form: `2.0`, `1.50`, `1e3`, `-0`. */
export const unusualNumber = 2
/** A `\u` escape, which may be half of a character. */
export const unicodeEscape = 4

/** A fraction of 16 or 17 digits: a double keeps it apart from its neighbours, but JavaScript may write it in fewer digits. */
const wideFraction = 8

/** Characters of a number that a double certainly holds. */
const mostExact = 15

/** What {@link scan} found in a JSON text. */
export interface Scanned {
  /** How many keys its objects have together. */
  keys: number
  /** How deep its objects and arrays go. */
  depth: number
  /** {@link longNumber}, {@link unusualNumber}, {@link unicodeEscape} and {@link wideFraction}, added up. */
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
      let point = 0
      let exponent = false
      for (;;) {
        const inside = text.charCodeAt(++index)
        if (inside >= 48 && inside <= 57) continue
        if (inside === 46 /* . */) point = index
        else if ((inside | 32) === 101 /* e */) exponent = true
        else if (inside !== 43 /* + */ && inside !== 45 /* - */) break
      }
      const length = index - start
      if (exponent) traits |= unusualNumber | (length > mostExact ? longNumber : 0)
      else if (point > 0) traits |= traitsOfFraction(text, start, point, index)
      // 16 digits are safe below 9e15.
      else if (length > mostExact && (length > 16 || code === 57)) traits |= longNumber
      else if (length === 1 && code === 48 && text.charCodeAt(start - 1) === 45 /* - */) traits |= unusualNumber
      index--
    } else if (code === 123 || code === 91) {
      if (++level > depth) depth = level
    } else if (code === 125 || code === 93) level--
  }
  found.keys = keys
  found.depth = depth
  found.traits = traits
}

/** The traits of the number between `start` and `end`, which has a point and no exponent. */
function traitsOfFraction(text: string, start: number, point: number, end: number): number {
  const trailing = text.charCodeAt(end - 1) === 48 ? unusualNumber : 0
  const length = end - start
  if (length <= mostExact) return trailing
  // A leading zero is no digit of the number, the point is none either.
  if (length - (text.charCodeAt(start) === 48 ? 1 : 0) > 18) return longNumber | trailing
  // Where doubles lie so close, only .00… and .99… can have become whole.
  const first = text.charCodeAt(point + 1)
  const roundable = first === text.charCodeAt(point + 2) && (first === 48 || first === 57)
  return wideFraction | (roundable || point - start > 13 ? unusualNumber : trailing)
}
