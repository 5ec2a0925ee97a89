import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml'
import { ClinkerError, countCharacters, type Place } from '../../lib/diagnostics/index.ts'
import { makeMap } from '../../lib/record/map.ts'
import type { Value } from '../../lib/record/value.ts'
import type { ConfigPath } from '../../streams/node.ts'

/** Aliases may expand to this many nodes; a document beyond it is taken for an attack (spec/5, YAML). */
const expansionLimit = 100_000

/** A YAML text as data, with the place of every value and key in it. */
export class YamlDocument {
  readonly file: string | undefined
  readonly text: string
  /** The whole document as ordinary values; undefined when it is not YAML. Map keys keep their order and their spelling. */
  readonly value: unknown
  readonly errors: readonly ClinkerError[]
  readonly #document: Document.Parsed
  readonly #lines = new LineCounter()

  constructor(text: string, file?: string) {
    this.text = text
    this.file = file
    this.#document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      uniqueKeys: true,
      intAsBigInt: true,
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: 'silent',
    })
    this.errors = this.#faults()
    this.value = this.errors.length ? undefined : toValue(this.#document.contents, this.#document)
  }

  /** The place of a value. With a `key`, the place of that key of the map at `path`. Falls back to what encloses it. */
  place(path: ConfigPath, options: { key?: string } = {}): Place | undefined {
    const { node, exact } = this.#find(path)
    if (!node) return this.#at(0, 1)
    if (options.key !== undefined && isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === options.key)
      const key = pair?.key as ParsedNode | undefined
      if (key?.range) return this.#at(key.range[0], key.range[1] - key.range[0])
    }
    if (!node.range) return undefined
    const from = node.range[0]
    // A block collection is marked by its first key only, and what is missing by what it is missing from.
    const marked = exact && !(isCollection(node) && !node.flow) ? this.text.slice(from, node.range[1]) : ''
    const length = marked.split(/\r?\n/, 1)[0]?.trimEnd().length ?? 0
    return this.#at(from, Math.max(1, length))
  }

  /** The place of a spot inside the text that the scalar at `path` holds, whichever way YAML quotes or folds it. */
  placeInside(path: ConfigPath, inside: { line: number; column: number; length?: number }): Place | undefined {
    const { node, exact } = this.#find(path)
    if (!exact || !isScalar(node) || typeof node.value !== 'string' || !node.range) return this.place(path)
    const offset = offsetOf(node.value, inside.line, inside.column)
    const source = this.text.slice(node.range[0], node.range[1])
    const at = alignedOffset(node as Scalar<string>, source, offset)
    return this.#at(node.range[0] + at, inside.length ?? 1)
  }

  #at(offset: number, length: number): Place {
    const { line, col } = this.#lines.linePos(offset)
    const lineStart = this.#lines.lineStarts[line - 1] ?? 0
    const column = line === 0 ? 1 : countCharacters(this.text.slice(lineStart, lineStart + col - 1)) + 1
    const place = { line: Math.max(1, line), column, length, text: this.text }
    return this.file === undefined ? place : { ...place, file: this.file }
  }

  /** The node at a path, or the innermost one on the way to it that exists. */
  #find(path: ConfigPath): { node: Node | undefined; exact: boolean } {
    let node = resolved(this.#document.contents, this.#document)
    for (const step of path) {
      let next: unknown
      if (isMap(node)) next = node.items.find((item) => keyText(item.key) === String(step))?.value
      else if (isSeq(node)) next = node.items[Number(step)]
      const inner = resolved(next, this.#document)
      if (!inner) return { node, exact: false }
      node = inner
    }
    return { node, exact: true }
  }

  #faults(): ClinkerError[] {
    const name = this.file ?? 'the text'
    // Behind a mistake in the syntax the parser is lost: what it says of the rest is mostly not so.
    const { errors } = this.#document
    const syntax = errors.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
    const faults = (syntax < 0 ? errors : errors.slice(0, syntax + 1)).map((error) => {
      const [from, to] = error.pos
      const place = this.#at(from, Math.max(1, this.text.slice(from, to).split('\n', 1)[0]?.length ?? 1))
      if (error.code === 'DUPLICATE_KEY') {
        const key = this.#keyAt(from)
        return new ClinkerError('E000', { message: `duplicate key${key ? ` \`${key}\`` : ''} in ${name}`, place })
      }
      return new ClinkerError('E000', { message: `${name} is no valid YAML: ${error.message}`, place })
    })
    if (faults.length) return faults
    const size = expandedSize(this.#document)
    if (size > expansionLimit) {
      return [
        new ClinkerError('E000', {
          message: `the aliases in ${name} expand to more than ${expansionLimit} values`,
          place: this.#at(0, 1),
          help: 'write the repeated part out, or alias smaller parts',
        }),
      ]
    }
    return []
  }

  /** The key that starts at an offset; a duplicate is reported where it stands. */
  #keyAt(offset: number): string | undefined {
    let found: string | undefined
    visit(this.#document, {
      Pair: (_, pair) => {
        const key = pair.key as ParsedNode | null
        if (!key?.range || key.range[0] !== offset) return undefined
        found = keyText(key)
        return visit.BREAK
      },
    })
    return found
  }
}

function resolved(node: unknown, document: Document): Node | undefined {
  if (isAlias(node)) return node.resolve(document)
  return isScalar(node) || isCollection(node) ? node : undefined
}

/** A key as it is written: `1.0`, `on` and `null` are names like any other. */
function keyText(key: unknown): string {
  if (isScalar(key)) return key.source ?? String(key.value)
  return typeof key === 'string' ? key : ''
}

/** Keys under which names stand: there `1e3`, `010` and `true` are what they look like, texts. */
const nameKeys: ReadonlySet<string> = new Set([
  'name',
  'source_name',
  'field',
  'input',
  'inputs',
  'partition_by',
  'group_by',
  'exclude',
  'mapping',
  'sort_order',
  'group_key',
  'correlation_key',
])

function toValue(node: unknown, document: Document, isName = false): unknown {
  if (isAlias(node)) return toValue(node.resolve(document), document, isName)
  if (isSeq(node)) return node.items.map((item) => toValue(item, document, isName))
  if (isMap(node)) {
    // A map in order whatever its keys are called, `2024` and `__proto__` too.
    return makeMap(
      node.items.map((item) => {
        const key = keyText(item.key)
        return [key, toValue(item.value, document, isName || nameKeys.has(key)) as Value]
      }),
    )
  }
  if (!isScalar(node)) return null
  const { value, source } = node
  if (isName && value !== null && source !== undefined) return typeof value === 'string' ? value : source
  if (typeof value !== 'bigint') return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** Nodes of the document with every alias written out; stops counting soon after the limit. */
function expandedSize(document: Document): number {
  const sizes = new Map<unknown, number>()
  const sizeOf = (node: unknown): number => {
    const known = sizes.get(node)
    if (known !== undefined) return known
    let size = 1
    // An alias inside its own anchor would expand for ever.
    sizes.set(node, Number.POSITIVE_INFINITY)
    if (isAlias(node)) size = sizeOf(node.resolve(document))
    else if (isPair(node)) size = sizeOf(node.key) + sizeOf(node.value)
    else if (isCollection(node)) for (const item of node.items) size += sizeOf(item)
    sizes.set(node, size)
    return size
  }
  let aliases = false
  visit(document, {
    Alias: () => {
      aliases = true
      return visit.BREAK
    },
  })
  return aliases ? sizeOf(document.contents) : 0
}

/** The offset of a line and column (in characters, both from 1) in a text. */
function offsetOf(text: string, line: number, column: number): number {
  let offset = 0
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf('\n', offset)
    if (end < 0) return text.length
    offset = end + 1
  }
  for (let passed = 1; passed < column && offset < text.length; passed++) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  }
  return offset
}

/**
 * Where the character at `offset` of a scalar's value stands in its source. Quoting, indentation and folding only ever change white
 * space (and escapes), so both texts are walked side by side over what is not white space.
 */
function alignedOffset(scalar: Scalar<string>, source: string, offset: number): number {
  const { value, type } = scalar
  let at = 0
  if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') at = source.indexOf('\n') + 1
  else if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') at = 1
  for (let index = 0; index < value.length; index++) {
    const character = value[index] as string
    if (isBlank(character)) {
      if (index >= offset) return at
      continue
    }
    at = skipBlanks(source, at, type === 'QUOTE_DOUBLE')
    if (index >= offset) return at
    at += writtenLength(source, at, type)
  }
  return Math.min(at, source.length)
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

function skipBlanks(source: string, from: number, escapes: boolean): number {
  let at = from
  while (at < source.length) {
    if (isBlank(source[at] as string)) at++
    else if (escapes && source[at] === '\\' && /[ \t\nntr]/.test(source[at + 1] ?? '')) at += 2
    else break
  }
  return at
}

/** Characters of the source that stand for one character of the value. */
function writtenLength(source: string, at: number, type: Scalar['type']): number {
  if (type === 'QUOTE_SINGLE') return source.startsWith("''", at) ? 2 : 1
  if (type !== 'QUOTE_DOUBLE' || source[at] !== '\\') return 1
  return { x: 4, u: 6, U: 10 }[source[at + 1] ?? ''] ?? 2
}
