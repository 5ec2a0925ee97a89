import type * as v from 'valibot'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { MemoryBudget, SpillFolder } from '../../lib/memory/index.ts'
import type { Header } from '../../streams/csv/header.ts'
import { checkJoinValues } from '../../streams/csv/join-values.ts'
import { csvOutputOptions } from '../../streams/csv/options.ts'
import { CsvStringify, type StringifyOptions } from '../../streams/csv/stringify.ts'
import { jsonFormatOptions, JsonStringify, type JsonStringifyOptions } from '../../streams/json/stringify.ts'
import type { Revision } from '../../streams/csv/union-rows.ts'
import type { DeadLetter } from '../../streams/node.ts'
import type { OptionsContext } from '../../streams/options.ts'
import type { Stringifying } from '../../streams/shell/index.ts'
import type { OutputPlan, WritingConfig } from './output.ts'
import { placed } from './settings.ts'

/** What a writer is told when it is made for a file. */
export interface WriterContext {
  /** Name of the output. */
  readonly name: string
  readonly budget: MemoryBudget
  readonly folder: SpillFolder
  /** The header that all files of the output share (CSV). */
  readonly header: Header | undefined
  readonly include_header: boolean
  /** Whether what is written can be changed in the end: it goes to a file that has no name yet. */
  readonly rewritable: boolean
  /** Takes a record that cannot be written; absent: it stops the run. */
  readonly report: ((letter: DeadLetter) => void) | undefined
}

/** A writer of a format. */
export interface FormatWriter extends Stringifying {
  /** What has to be done to a rewritable text when all records are there; undefined when it is right as it is. */
  revision?(): Revision | undefined
}

/** A format that outputs write: the one entry the planner and the run share. */
export interface OutputFormat {
  /** The keys of `options`. */
  readonly options: v.GenericSchema<unknown, object>
  /** Whether its files open with a header that the files of one output share. */
  readonly hasHeader: boolean
  /** Checks what depends on keys beside `options`. `context` gives the places of keys of the output's config. */
  check(options: object, writing: WritingConfig, context: OptionsContext): void
  stringify(output: OutputPlan, context: WriterContext): FormatWriter
}

/** Formats by the name an output's `type` has. */
export const outputFormats: Readonly<Record<string, OutputFormat | undefined>> = {
  csv: {
    options: csvOutputOptions,
    hasHeader: true,
    check: (_, { join_values }, context) => void checkJoinValues(join_values, context),
    stringify: ({ options, writing, plan, header: auto }, context) => {
      const { name, budget, folder, header, include_header, rewritable, report } = context
      const { header: chosen } = options as { header: 'auto' | 'union' | 'first' }
      const given: StringifyOptions = {
        ...(options as StringifyOptions),
        header: chosen === 'auto' ? auto : chosen,
        include_header,
        columns: plan.header,
        ...(writing.schema === undefined ? {} : { schema: writing.schema as never }),
        ...(writing.join_values === undefined ? {} : { join_values: writing.join_values as readonly string[] }),
        name,
        memory: budget,
        on_error: report ? 'continue' : 'fail_fast',
      }
      const run = { folder, rewritable, ...(header ? { header } : {}), ...(report ? { report } : {}) }
      return new CsvStringify(given, run)
    },
  },
  json: {
    options: jsonFormatOptions,
    hasHeader: false,
    check: (_, { join_values }, context) => {
      if (join_values === undefined) return
      throw new ClinkerError('E362', {
        message: 'join_values is for formats whose values are text, JSON writes arrays',
        node: context.node,
        help: 'leave it out',
        ...placed(context.place?.(['join_values'])),
      })
    },
    stringify: ({ options, writing: { preserve_nulls } }, { name }) =>
      new JsonStringify({ ...(options as JsonStringifyOptions), preserve_nulls, name }),
  },
}
