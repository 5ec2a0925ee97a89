/** More levels than this are refused by the writers of nested formats (spec/4, JSON). */
const deepestName = 64

/** The column that holds the key `key` of an object: a dot or backslash in the key is escaped, so it cannot be taken for nesting. */
export function columnOfKey(key: string): string {
  // Almost no key needs it, and a search is cheaper than a replacement.
  if (!key.includes('.') && !key.includes('\\')) return key
  return key.replace(/[.\\]/g, '\\$&')
}

/** The keys a column name stands for, from the outside in: `a.b` is `['a', 'b']`, `a\.b` is `['a.b']`. Undefined: a bad escape. */
export function keysOfColumn(name: string): string[] | undefined {
  if (!name.includes('\\')) return name.split('.')
  const keys: string[] = []
  let key = ''
  for (let index = 0; index < name.length; index++) {
    const character = name[index] as string
    if (character === '.') {
      keys.push(key)
      key = ''
    } else if (character === '\\') {
      const escaped = name[++index]
      if (escaped !== '.' && escaped !== '\\' && escaped !== '[') return undefined
      key += escaped
    } else key += character
  }
  keys.push(key)
  return keys
}

/** What stands at a key of a nested object: the value of a column, or an object of further keys. */
export type Nested =
  | { readonly key: string; readonly column: string }
  | { readonly key: string; readonly inside: Nested[] }

/** Why columns cannot be written as one nested object. */
export class NameFault extends Error {
  /** The column that cannot be written. */
  readonly column: string
  /** The other column, where two are in each other's way. */
  readonly other: string | undefined

  constructor(message: string, column: string, other?: string) {
    super(message)
    this.name = 'NameFault'
    this.column = column
    this.other = other
  }
}

/**
 * Columns as a tree of keys. Columns of one prefix stand together where it first appears. Throws a {@link NameFault} for a name
 * that cannot be written.
 * @example nest(['m.p', 'id', 'm.q']) // m: { p, q }, id
 */
export function nest(columns: readonly string[]): Nested[] {
  const root: Level = { inside: [], known: new Map() }
  for (const column of columns) {
    const keys = keysOfColumn(column)
    if (!keys) throw new NameFault(`column \`${column}\` has a backslash that escapes nothing`, column)
    if (keys.length > deepestName) {
      throw new NameFault(
        `column \`${column}\` has ${keys.length} levels, and at most ${deepestName} can be written`,
        column,
      )
    }
    let level = root
    for (const [depth, key] of keys.entries()) {
      const known = level.known.get(key)
      if (depth === keys.length - 1) {
        if (known !== undefined) throw clash(column, known)
        level.known.set(key, column)
        level.inside.push({ key, column })
      } else if (typeof known === 'string') throw containerClash(known, column)
      else if (known) level = known
      else {
        const next: Level = { inside: [], known: new Map() }
        level.known.set(key, next)
        level.inside.push({ key, inside: next.inside })
        level = next
      }
    }
  }
  return root.inside
}

interface Level {
  readonly inside: Nested[]
  /** By key: the column that is its value, or the level below. */
  readonly known: Map<string, string | Level>
}

function clash(column: string, known: string | Level): NameFault {
  if (typeof known === 'string') {
    const key = keysOfColumn(column)?.at(-1)
    const message = `columns \`${known}\` and \`${column}\` cannot both be written: both are the key \`${key}\``
    return new NameFault(message, column, known)
  }
  return containerClash(column, firstColumn(known.inside))
}

function containerClash(value: string, other: string): NameFault {
  const message = `columns \`${value}\` and \`${other}\` cannot both be written: \`${value}\` would be a value and an object`
  return new NameFault(message, value, other)
}

function firstColumn(inside: readonly Nested[]): string {
  const first = inside[0] as Nested
  return 'column' in first ? first.column : firstColumn(first.inside)
}
