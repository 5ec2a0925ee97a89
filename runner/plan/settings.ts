import * as v from 'valibot'
import type { Constant } from '../../lib/cxl/engine.ts'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { parseSize, smallestLimit } from '../../lib/memory/index.ts'
import { mapEntries } from '../../lib/record/map.ts'
import type { Type } from '../../lib/record/type.ts'
import type { Value, ValueMap } from '../../lib/record/value.ts'
import { parseTypeName, textReader } from '../../lib/schema/index.ts'
import type { YamlDocument } from './document.ts'
import type { Faults } from './faults.ts'

/** What `pipeline` and `error_handling` say, checked, with every default filled in. */
export interface Settings {
  readonly name: string
  readonly limit: number
  readonly vars: ReadonlyMap<string, Constant>
  readonly date_formats: readonly string[]
  readonly rules_path: string | undefined
  /** The module that holds functions for CXL, as written. */
  readonly functions: string | undefined
  readonly strategy: 'fail_fast' | 'continue'
  readonly type_error_threshold: number | undefined
  readonly dlq: DeadLetterSettings | undefined
}

/** Where dead letters go and how many there may be. */
export interface DeadLetterSettings extends RateSettings {
  readonly include_reason: boolean
  readonly include_source_row: boolean
  readonly per_source: ReadonlyMap<string, RateSettings>
}

export interface RateSettings {
  readonly path: string | undefined
  readonly max_rate: number | undefined
  readonly min_records: number
}

/** Default of `memory.limit`. */
export const defaultLimit: number = 512 * 1024 * 1024

/** Spilling starts at this part of the limit; producers must resume below it. */
const softMark = 0.8

/** Keys that other versions know and this one refuses, with what to use instead. */
const refusedKeys = {
  date_locale: { code: 'E119', help: 'give the patterns by `date_formats`' },
  log_rules: { code: 'E124', help: 'use --log-level on the command line' },
  include_provenance: { code: 'E125', help: 'use `write_meta` on the output' },
} as const

const atLeastOne = v.pipe(v.number(), v.integer(), v.minValue(1))

const pipelineBlock = v.strictObject({
  name: v.pipe(v.string(), v.nonEmpty()),
  memory: v.optional(
    v.strictObject({
      limit: v.optional(v.union([v.string(), v.number()])),
      backpressure: v.optional(v.picklist(['pause', 'spill', 'both'])),
      resume_threshold: v.optional(v.number()),
    }),
  ),
  vars: v.optional(v.unknown()),
  date_formats: v.optional(v.array(v.string())),
  rules_path: v.optional(v.string()),
  functions: v.optional(v.string('the path of a module')),
  batch_size: v.optional(atLeastOne),
  concurrency: v.optional(v.unknown()),
  metrics: v.optional(v.unknown()),
})

const rate = {
  path: v.optional(v.string()),
  max_rate: v.optional(v.number()),
  min_records: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
}

const errorBlock = v.strictObject({
  strategy: v.optional(v.picklist(['fail_fast', 'continue']), 'fail_fast'),
  dlq: v.optional(
    v.strictObject({
      ...rate,
      include_reason: v.optional(v.boolean(), true),
      include_source_row: v.optional(v.boolean(), true),
      per_source: v.optional(v.record(v.string(), v.strictObject(rate))),
    }),
  ),
  type_error_threshold: v.optional(v.number()),
  max_group_buffer: v.optional(atLeastOne),
  correlation_fanout_policy: v.optional(v.picklist(['any', 'all', 'primary'])),
})

const topLevel = v.strictObject({
  pipeline: v.looseObject({}, 'a mapping with a `name`'),
  nodes: v.array(v.unknown(), 'a list of nodes'),
  error_handling: v.optional(v.looseObject({}, 'a mapping')),
  _notes: v.optional(v.unknown()),
})

/** Checks the keys of the document's top level. */
export function checkTopLevel(document: YamlDocument, faults: Faults): { nodes: unknown[] } | undefined {
  const value = document.value
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    faults.add(
      new ClinkerError('E000', {
        message: `${document.file ?? 'the text'} holds no pipeline: it must be a mapping with \`pipeline\` and \`nodes\``,
        ...placed(document.place([])),
      }),
    )
    return undefined
  }
  return faults.check(topLevel, value, document.file ?? 'the pipeline', document, [])
}

/** Checks `pipeline` and `error_handling`; adds what is wrong to `faults`. */
export function readSettings(document: YamlDocument, faults: Faults, memoryLimit?: string | number): Settings {
  const root = document.value as ValueMap
  const pipeline = readPipeline(document, root.pipeline as ValueMap, faults)
  const handling = readErrorHandling(document, root.error_handling ?? {}, faults)
  return {
    name: pipeline?.name ?? '',
    limit: memoryLimit === undefined ? (pipeline?.limit ?? defaultLimit) : checkedLimit(memoryLimit, '--memory-limit'),
    vars: pipeline?.vars ?? new Map(),
    date_formats: pipeline?.date_formats ?? [],
    rules_path: pipeline?.rules_path,
    functions: pipeline?.functions,
    ...handling,
  }
}

/** A memory limit in bytes. `from` names where it was given. */
export function checkedLimit(written: string | number, from: string, place?: object): number {
  let bytes: number
  try {
    bytes = parseSize(String(written))
  } catch {
    throw new ClinkerError('E000', {
      message: `${from} must be a whole number of bytes, with K, M or G behind it if need be, got "${written}"`,
      help: 'write 512M, 64K or 1073741824',
      actual: written,
      ...place,
    })
  }
  if (bytes >= smallestLimit) return bytes
  throw new ClinkerError('E312', {
    message: `${from} is ${written}, the smallest possible is 8K`,
    help: 'raise it',
    actual: written,
    ...place,
  })
}

type PipelineBlock = Pick<Settings, 'name' | 'limit' | 'vars' | 'date_formats' | 'rules_path' | 'functions'>

function readPipeline(document: YamlDocument, written: ValueMap, faults: Faults): PipelineBlock | undefined {
  const rest: ValueMap = {}
  for (const [key, value] of mapEntries(written)) {
    const refused = refusedKeys[key as keyof typeof refusedKeys]
    if (refused && Object.hasOwn(refusedKeys, key)) {
      faults.add(
        new ClinkerError(refused.code, {
          message: `pipeline: \`${key}\` is no longer a key`,
          help: refused.help,
          ...placed(document.place(['pipeline'], { key })),
        }),
      )
    } else rest[key] = value
  }
  const block = faults.check(pipelineBlock, rest, 'pipeline', document, ['pipeline'])
  if (!block) return undefined
  const at = (...path: string[]) => placed(document.place(['pipeline', ...path]))
  const written_limit = block.memory?.limit
  const limit =
    written_limit === undefined
      ? defaultLimit
      : faults.try(() => checkedLimit(written_limit, 'memory.limit', at('memory', 'limit')))
  const resume = block.memory?.resume_threshold
  if (resume !== undefined && !(resume > 0 && resume < softMark)) {
    faults.add(
      new ClinkerError('E324', {
        message: `memory.resume_threshold must lie between 0 and ${softMark}, got ${resume}`,
        help: `choose a value below the spill threshold of ${softMark}`,
        actual: resume,
        ...at('memory', 'resume_threshold'),
      }),
    )
  }
  return {
    name: block.name,
    limit: limit ?? defaultLimit,
    vars: readVars(document, block.vars, faults),
    date_formats: block.date_formats ?? [],
    rules_path: block.rules_path,
    functions: block.functions,
  }
}

/** Types that a scoped variable may be declared with (spec/6, Scoped variables). */
const variableTypes: readonly string[] = ['string', 'int', 'float', 'bool', 'date', 'date_time']

/** The type a declaration names; undefined when it is none of {@link variableTypes}. */
export function variableType(written: unknown): Type | undefined {
  const name = written === 'datetime' ? 'date_time' : written
  return typeof name === 'string' && variableTypes.includes(name) ? parseTypeName(name) : undefined
}

/** A default as a value of the declared type; undefined when it is none. */
export function variableDefault(type: Type, written: unknown): Value | undefined {
  if (written === undefined || written === null) return null
  switch (type.name) {
    case 'string':
      return typeof written === 'string' ? written : undefined
    case 'bool':
      return typeof written === 'boolean' ? written : undefined
    case 'int':
      return typeof written === 'bigint' || Number.isSafeInteger(written) ? (written as number | bigint) : undefined
    case 'float':
      return typeof written === 'number' ? written : undefined
    default:
      if (typeof written !== 'string') return undefined
      return textReader({ name: '', type }, {})(written)
  }
}

const variableBlock = v.strictObject({ type: v.string(), default: v.optional(v.unknown()) })

function readVars(document: YamlDocument, written: unknown, faults: Faults): Map<string, Constant> {
  const vars = new Map<string, Constant>()
  if (written === undefined) return vars
  if (written === null || typeof written !== 'object' || Array.isArray(written)) {
    faults.add(
      new ClinkerError('E000', {
        message: 'pipeline.vars must be a mapping of names to { type, default }',
        ...placed(document.place(['pipeline', 'vars'])),
      }),
    )
    return vars
  }
  for (const [name, entry] of mapEntries(written as ValueMap)) {
    const path = ['pipeline', 'vars', name]
    const subject = `pipeline.vars.${name}`
    if (entry === null || typeof entry !== 'object') {
      faults.add(
        new ClinkerError('E000', {
          message: `${subject} must be { type, default }, got ${JSON.stringify(entry)}`,
          help: `write \`${name}: { type: int, default: 0 }\``,
          ...placed(document.place(path)),
        }),
      )
      continue
    }
    const block = faults.check(variableBlock, entry, subject, document, path)
    if (!block) continue
    const type = variableType(block.type)
    if (!type) {
      faults.add(
        new ClinkerError('E000', {
          message: `${subject}: type must be one of ${variableTypes.join(', ')}, got "${block.type}"`,
          actual: block.type,
          ...placed(document.place([...path, 'type'])),
        }),
      )
      continue
    }
    const value = variableDefault(type, block.default)
    if (value === undefined) {
      faults.add(
        new ClinkerError('E000', {
          message: `${subject}: default must be a value of type ${type.toString()}, got ${JSON.stringify(block.default)}`,
          actual: block.default,
          ...placed(document.place([...path, 'default'])),
        }),
      )
      continue
    }
    vars.set(name, { type: block.default === undefined ? type.orNull : type, value })
  }
  return vars
}

type Handling = Pick<Settings, 'strategy' | 'type_error_threshold' | 'dlq'>

function readErrorHandling(document: YamlDocument, written: unknown, faults: Faults): Handling {
  const nothing: Handling = { strategy: 'fail_fast', type_error_threshold: undefined, dlq: undefined }
  const path = ['error_handling']
  if ((written as ValueMap).strategy === 'best_effort') {
    faults.add(
      new ClinkerError('E000', {
        message: 'error_handling: strategy `best_effort` does not exist any more',
        help: 'use `continue`: failed records go to the dead letters, the others go on',
        ...placed(document.place([...path, 'strategy'])),
      }),
    )
    return nothing
  }
  const block = faults.check(errorBlock, written, 'error_handling', document, path)
  if (!block) return nothing
  const threshold = block.type_error_threshold
  if (threshold !== undefined && !(threshold >= 0 && threshold <= 1)) {
    faults.add(
      new ClinkerError('E368', {
        message: `error_handling: type_error_threshold must lie between 0 and 1, got ${threshold}`,
        actual: threshold,
        exit: 1,
        ...placed(document.place([...path, 'type_error_threshold'])),
      }),
    )
  }
  const { dlq } = block
  if (!dlq) return { strategy: block.strategy, type_error_threshold: threshold, dlq: undefined }
  const checkRate = (value: number | undefined, inside: readonly string[]): void => {
    if (value === undefined || (value >= 0 && value <= 1)) return
    faults.add(
      new ClinkerError('E318', {
        message: `error_handling: max_rate must lie between 0 and 1, got ${value}`,
        actual: value,
        ...placed(document.place([...path, 'dlq', ...inside, 'max_rate'])),
      }),
    )
  }
  checkRate(dlq.max_rate, [])
  const per_source = new Map<string, RateSettings>()
  for (const [name, entry] of Object.entries(dlq.per_source ?? {})) {
    checkRate(entry.max_rate, ['per_source', name])
    per_source.set(name, rateOf(entry))
  }
  const { include_reason, include_source_row } = dlq
  return {
    strategy: block.strategy,
    type_error_threshold: threshold,
    dlq: { ...rateOf(dlq), include_reason, include_source_row, per_source },
  }
}

/** Rates are looked at once this many records have come. */
const defaultMinRecords = 100

function rateOf(entry: {
  path?: string | undefined
  max_rate?: number | undefined
  min_records?: number | undefined
}): RateSettings {
  return { path: entry.path, max_rate: entry.max_rate, min_records: entry.min_records ?? defaultMinRecords }
}

/** Spread into error details: exact optional properties forbid `place: undefined`. */
export function placed<P>(place: P | undefined): { place?: P } {
  return place === undefined ? {} : { place }
}
