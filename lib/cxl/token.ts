/** What a kind of token is and how it binds, in one table; the lexer, the parser and the formatter read it. */
export interface TokenInfo {
  /** How strongly it binds as a binary operator; absent: it is none. Larger is tighter. */
  readonly precedence?: number
  readonly rightAssociative?: true
  /** A word that cannot be a name. */
  readonly reserved?: true
  /** A line that opens with it continues the one before. */
  readonly continues?: true
}

export const precedence = {
  coalesce: 1,
  or: 2,
  and: 3,
  not: 4,
  comparison: 5,
  sum: 6,
  product: 7,
  negation: 8,
  postfix: 9,
}

const comparison: TokenInfo = { precedence: precedence.comparison, continues: true }
const sum: TokenInfo = { precedence: precedence.sum, continues: true }
const product: TokenInfo = { precedence: precedence.product, continues: true }
const reserved: TokenInfo = { reserved: true }

/** By the text of the token, for operators, punctuation and reserved words. */
export const tokens = {
  '??': { precedence: precedence.coalesce, rightAssociative: true, continues: true },
  or: { precedence: precedence.or, reserved: true, continues: true },
  and: { precedence: precedence.and, reserved: true, continues: true },
  not: reserved,
  '==': comparison,
  '!=': comparison,
  '<': comparison,
  '<=': comparison,
  '>': comparison,
  '>=': comparison,
  '+': sum,
  '-': sum,
  '*': product,
  '/': product,
  '%': product,
  '.': { continues: true },
  '=': {},
  '=>': {},
  ',': {},
  ':': {},
  '::': {},
  '(': {},
  ')': {},
  '[': {},
  ']': {},
  '{': {},
  '}': {},
  then: { reserved: true, continues: true },
  else: { reserved: true, continues: true },
  let: reserved,
  emit: reserved,
  if: reserved,
  match: reserved,
  use: reserved,
  as: reserved,
  fn: reserved,
  trace: reserved,
  null: reserved,
  true: reserved,
  false: reserved,
  now: reserved,
  it: reserved,
  filter: reserved,
  distinct: reserved,
  by: reserved,
} as const satisfies Record<string, TokenInfo>

export type Word = keyof typeof tokens

const table = new Map<string, TokenInfo>(Object.entries(tokens))

/** What is known of a token with this text; undefined for names and literals. */
export function tokenInfo(text: string): TokenInfo | undefined {
  return table.get(text)
}

/** Whether the word cannot be a name. */
export function isReserved(word: string): boolean {
  return table.get(word)?.reserved === true
}
