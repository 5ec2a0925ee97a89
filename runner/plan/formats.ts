import type * as v from 'valibot'
import type { Origin } from '../../lib/record/origin.ts'
import type { ShapeTable } from '../../lib/record/shape.ts'
import { checkDialect, csvSourceOptions } from '../../streams/csv/options.ts'
import { CsvParse, type ParseOptions } from '../../streams/csv/parse.ts'
import { checkSplitValues } from '../../streams/csv/split-values.ts'
import { JsonParse, jsonSourceOptions } from '../../streams/json/parse.ts'
import type { DeadLetter } from '../../streams/node.ts'
import type { OptionsContext } from '../../streams/options.ts'
import type { Parsing } from '../../streams/shell/index.ts'
import { notBuilt } from './not-built.ts'
import type { SourcePlan } from './source.ts'

/** What a reader is told when it is made for a file. */
export interface ReadingContext {
  /** Name of the source. */
  readonly name: string
  readonly file: string
  readonly origin: Origin
  /** Shared by all files of the source. */
  readonly shapes: ShapeTable
  /** Rows of the source that earlier files had. */
  readonly rowsBefore: number
  readonly date_formats: readonly string[]
  /** Takes a row with a bad cell; absent: it stops the run. */
  readonly report: ((letter: DeadLetter) => void) | undefined
}

/** A format that sources read: the one entry the planner and the run share. */
export interface InputFormat {
  /** The keys of `options`. */
  readonly options: v.GenericSchema<unknown, object>
  /** Checks what depends on several keys. `context` gives the places of keys of the source's config. */
  check(source: Omit<SourcePlan, 'output'>, context: OptionsContext): void
  parse(source: SourcePlan, context: ReadingContext): Parsing
}

/** Formats by the name a source's `type` has. */
export const inputFormats: Readonly<Record<string, InputFormat | undefined>> = {
  csv: {
    options: csvSourceOptions,
    check: ({ options, columns, split_values }, context) => {
      checkDialect(options, below(context, 'options'))
      checkSplitValues(split_values, columns, context)
    },
    parse: ({ options, schema, on_unmapped, split_values }, { name, file, date_formats, report, ...run }) => {
      const given = { ...options, schema, on_unmapped: { mode: on_unmapped }, split_values, date_formats, name, file }
      const on_error = report ? 'continue' : 'fail_fast'
      return new CsvParse(
        { ...(given as ParseOptions), on_error, batch: true },
        { ...run, ...(report ? { report } : {}) },
      )
    },
  },
  json: {
    options: jsonSourceOptions,
    check: ({ options, split_values }, context) => {
      const { format, record_path } = options as { format?: string; record_path?: string }
      const documents =
        record_path !== undefined ? 'record_path' : format === 'ndjson' || format === undefined ? undefined : 'format'
      if (documents)
        throw notBuilt(context.node, 'reading JSON arrays and documents', context.place?.(['options', documents]))
      if (split_values !== undefined)
        throw notBuilt(context.node, '`split_values` of JSON', context.place?.(['split_values']))
    },
    parse: ({ options, columns, on_unmapped }, { name, file, date_formats, ...run }) => {
      const given = { ...options, on_unmapped: { mode: on_unmapped }, date_formats, name, file, batch: true }
      return new JsonParse(given, undefined, {
        columns,
        origin: run.origin,
        report: run.report,
        rowsBefore: run.rowsBefore,
      })
    },
  },
}

function below(context: OptionsContext, key: string): OptionsContext {
  return { node: context.node, place: (path, options) => context.place?.([key, ...path], options) }
}
