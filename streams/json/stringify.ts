import * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { Shape } from '../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'
import { checkOptions } from '../options.ts'
import { type ShellOptions, Stringifying } from '../shell/index.ts'
import { NameFault } from './names.ts'
import { indented, type RecordText, recordText, Unwritable } from './record-text.ts'

/** How the JSON writer writes: the `options` of an output of type `json`. */
export interface JsonFormatOptions {
  /** `array`: one JSON array, a record a line. `ndjson`: one object a line. Default: `array`. */
  format?: 'array' | 'ndjson'
  /** Indent by two spaces inside each record. Default: false. */
  pretty?: boolean
}

/** Options of {@link stringifyJson}. */
export interface JsonStringifyOptions extends JsonFormatOptions, ShellOptions {
  /** Write `null` for a null; else its key is left out. Default: false. */
  preserve_nulls?: boolean
  /** What messages call the output. Default: `json`. */
  name?: string
}

/** The `options` of an output of type `json`, as the YAML has them. */
export const jsonFormatOptions = v.strictObject({
  format: v.optional(
    v.pipe(v.picklist(['array', 'ndjson']), v.description('One array, or one object a line.')),
    'array',
  ),
  pretty: v.optional(v.pipe(v.boolean(), v.description('Indents each record by two spaces.')), false),
})

const stringifyOptions = v.strictObject({
  ...jsonFormatOptions.entries,
  preserve_nulls: v.optional(v.boolean(), false),
  name: v.optional(v.string(), 'json'),
  batch: v.optional(v.boolean()),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  dead_letters: v.optional(v.custom<never>(() => true)),
})

/** Options of {@link stringifyNdjson}. */
export type NdjsonStringifyOptions = Omit<JsonStringifyOptions, 'format'>

/**
 * Writes records as JSON. Dotted columns nest, columns of one prefix stand together where it first appears; `a\.b` is the key `a.b`.
 * Decimals, dates and date-times are strings; a float always shows that it is one (`2.0`); integers keep all their digits.
 * @example await pipeline(orders, json.stringify({ pretty: true }), createWriteStream('orders.json'))
 */
export function stringifyJson(options: JsonStringifyOptions = {}): JsonStringify {
  return new JsonStringify(options)
}

/** As {@link stringifyJson}, one object a line. */
export function stringifyNdjson(options: NdjsonStringifyOptions = {}): JsonStringify {
  return new JsonStringify({ ...options, format: 'ndjson' })
}

export class JsonStringify extends Stringifying {
  readonly #node: string
  readonly #array: boolean
  readonly #pretty: boolean
  readonly #preserveNulls: boolean
  readonly #texts = new Map<Shape, RecordText>()
  #shape: Shape | undefined
  #text: RecordText | undefined
  #empty = true

  constructor(given: JsonStringifyOptions = {}) {
    const name = typeof given?.name === 'string' ? ` "${given.name}"` : ''
    const options = checkOptions(stringifyOptions, given, { node: `output${name}` })
    super(given)
    this.#node = `output "${options.name}"`
    this.#array = options.format === 'array'
    this.#pretty = options.pretty
    this.#preserveNulls = options.preserve_nulls
  }

  *process(batch: Row[]): Iterable<string> {
    let text = ''
    for (const record of batch) {
      let line = this.#write(record)
      if (this.#pretty) line = indented(line)
      if (!this.#array) text += `${line}\n`
      else text += this.#empty ? `[\n${line}` : `,\n${line}`
      this.#empty = false
    }
    yield text
  }

  *finish(): Iterable<string> {
    if (this.#array) yield this.#empty ? '[\n]\n' : '\n]\n'
  }

  #write(record: Row): string {
    const shape = shapeOf(record) as Shape
    // Records of one kind follow each other.
    if (shape !== this.#shape) {
      this.#text = this.#textFor(shape)
      this.#shape = shape
    }
    try {
      return (this.#text as RecordText)(record)
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error
      throw new ClinkerError('UnwritableValue', {
        message: `column \`${error.column}\` of ${nameOf(record)} cannot be written as JSON: ${error.message}`,
        node: this.#node,
        help: 'give it another value, or null, in a transform before the output',
        actual: error.value,
        cause: error,
        exit: 4,
      })
    }
  }

  #textFor(shape: Shape): RecordText {
    let text = this.#texts.get(shape)
    if (text) return text
    try {
      text = recordText(shape, this.#preserveNulls)
    } catch (error) {
      if (!(error instanceof NameFault)) throw error
      throw new ClinkerError('UnwritableName', {
        message: error.message,
        node: this.#node,
        help: `rename \`${error.column}\` in the output's mapping, or exclude it`,
        actual: error.column,
        cause: error,
        exit: 4,
      })
    }
    if (this.#texts.size >= keptTexts) this.#texts.clear()
    this.#texts.set(shape, text)
    return text
  }
}

/** Records whose keys are data can have a shape each: writers of shapes are not kept without end. */
const keptTexts = 1000

function nameOf(record: Row): string {
  const row = rowOf(record)
  const file = originOf(record)?.file.path
  return `${row > 0 ? `row ${row}` : 'a record'}${file ? ` of ${file}` : ''}`
}
