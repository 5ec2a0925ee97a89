/** The length of a text in UTF-8, in bytes. */
export function utf8Length(text: string): number {
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) as number
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}

/** Characters (code points) of a text; half a surrogate pair on its own counts as one. */
export function countCharacters(text: string): number {
  let count = text.length
  for (let index = 1; index < text.length; index++) {
    const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00
    if (isLow && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) count--
  }
  return count
}
