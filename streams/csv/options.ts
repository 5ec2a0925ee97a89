import * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { checkOptions, type OptionsContext, wholeNumber } from '../options.ts'
import type { Encoding } from './decode.ts'

/** A column type as schemas write it: `int`, `nullable(int)`, `{ nullable: 'int' }`. */
export type WrittenType = string | { nullable: string }

/** A declared column as schemas write it. */
export interface WrittenColumn {
  name: string
  type: WrittenType
  /** The field of the input it reads. Default: `name`. */
  source_name?: string
  /** A date pattern, then the only form that is read. */
  format?: string
  /** Places of a decimal. */
  scale?: number
  /** Digits a decimal may have. */
  precision?: number
  /** The column holds an array of the type. Default: false. */
  multiple?: boolean
  /** A hint without effect. */
  long_unique?: boolean
}

/** Declared columns: a list, or a map from names to types. */
export type WrittenSchema = readonly WrittenColumn[] | { readonly [column: string]: WrittenType }

/** How a CSV file is written down: the `options` of a source of type `csv`. */
export interface CsvDialect {
  /** Between cells: one ASCII character. Default: `,`. */
  delimiter?: string
  /** Around cells that hold a delimiter, a quote or a line end: one ASCII character. Default: `"`. */
  quote_char?: string
  /** Whether the first row names the columns; else they are those of the schema, in its order. Default: true. */
  has_header?: boolean
  /** `utf-8` (strict) or `iso-8859-1`, also as `utf8`, `latin-1`, `latin1`, in any case. Default: `utf-8`. */
  encoding?: string
}

/** How a CSV file is to be written: the `options` of an output of type `csv`. */
export interface CsvFormat {
  /** Between cells: one ASCII character. Default: `,`. */
  delimiter?: string
  /**
   * The columns of the header. `union`: those of all records, in first-seen order; the text is kept, on disk beyond the budget, until
   * the last record is seen. `first`: those of the first record; a later one with a new column is an error. `auto`: what the
   * runner chooses by the graph; from code it is `union`, which loses and refuses nothing. Default: `auto`.
   */
  header?: 'auto' | 'union' | 'first'
  /** Put a `'` before texts that a spreadsheet would run: those that begin with `=`, `+`, `-`, `@`, tab or CR. Default: false. */
  escape_formulas?: boolean
}

const encodings: ReadonlyMap<string, Encoding> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['iso-8859-1', 'latin1'],
  ['latin-1', 'latin1'],
  ['latin1', 'latin1'],
])

/** One ASCII character that can stand between or around cells. */
const character = v.custom<string>(
  (value) => typeof value === 'string' && /^[\0-\x7f]$/.test(value) && !/[\r\n]/.test(value),
  'one ASCII character and no line end',
)

const encoding = v.custom<string>(
  (value) => typeof value === 'string' && encodings.has(value.toLowerCase()),
  '`utf-8` or `iso-8859-1` (`latin-1`)',
)

const someText = v.custom<string>(
  (value) => typeof value === 'string' && value !== '',
  'a text of at least one character',
)

const lineNumber = wholeNumber(1)

/** The `options` of a source of type `csv`, as the YAML has them. {@link checkDialect} also looks at how they go together. */
export const csvSourceOptions = v.strictObject({
  delimiter: v.optional(v.pipe(character, v.description('Between cells.')), ','),
  quote_char: v.optional(
    v.pipe(character, v.description('Around cells that hold a delimiter, a quote or a line end.')),
    '"',
  ),
  has_header: v.optional(
    v.pipe(v.boolean(), v.description('Whether the first row names the columns; else they are those of the schema.')),
    true,
  ),
  encoding: v.optional(v.pipe(encoding, v.description('Of the file; bytes that are not in it are refused.')), 'utf-8'),
})

/** What code may ask for beyond that; csv-parse reads it. */
export const furtherOptions = v.object({
  escape: v.optional(character),
  comment: v.optional(someText),
  record_delimiter: v.optional(v.union([someText, v.array(someText)])),
  relax_quotes: v.optional(v.boolean()),
  relax_column_count: v.optional(v.boolean()),
  relax_column_count_less: v.optional(v.boolean()),
  relax_column_count_more: v.optional(v.boolean()),
  trim: v.optional(v.boolean()),
  ltrim: v.optional(v.boolean()),
  rtrim: v.optional(v.boolean()),
  from_line: v.optional(lineNumber),
  to_line: v.optional(lineNumber),
})

/** The `options` of an output of type `csv`, as the YAML has them. */
export const csvOutputOptions = v.strictObject({
  delimiter: v.optional(v.pipe(character, v.description('Between cells.')), ','),
  header: v.optional(
    v.pipe(
      v.picklist(['auto', 'union', 'first']),
      v.description(
        'union: the columns of all records; first: those of the first, and a later one with another stops the run; auto: by the graph.',
      ),
    ),
    'auto',
  ),
  escape_formulas: v.optional(
    v.pipe(v.boolean(), v.description('Puts a quote mark before texts that a spreadsheet would run.')),
    false,
  ),
})

/** A checked dialect: nothing is left out. */
export interface CheckedDialect {
  readonly delimiter: string
  readonly quote_char: string
  readonly has_header: boolean
  readonly encoding: Encoding
}

/** Checks the options of a source. Throws every fault at once. */
export function checkDialect(given: unknown, context: OptionsContext): CheckedDialect {
  const options = checkOptions(csvSourceOptions, given ?? {}, context)
  const { delimiter, quote_char } = options
  if (delimiter === quote_char) {
    const place = context.place?.(['quote_char'])
    throw new ClinkerError('E000', {
      node: context.node,
      message: `delimiter and quote_char must not be the same character, got ${JSON.stringify(delimiter)} for both`,
      ...(place ? { place } : {}),
    })
  }
  return { ...options, encoding: encodings.get(options.encoding.toLowerCase()) as Encoding }
}
