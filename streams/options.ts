import * as v from 'valibot'
import { ClinkerError, ClinkerErrors, closestMatch, type Place, preview, suggestion } from '../lib/diagnostics/index.ts'
import { mapEntries } from '../lib/record/map.ts'
import type { Row, ValueMap } from '../lib/record/value.ts'
import type { ConfigPath } from './node.ts'

/** CXL text, or from code a JavaScript function of the record that does the same. */
export type Cxl<Result = unknown> = string | ((record: Row) => Result)

/** Who is checked, and where the options stand. */
export interface OptionsContext {
  /** Kind and name as messages show them: `reshape "backfill"`. */
  readonly node: string
  /** The place of a value, or of a key of the map at `path`. From code there is none. */
  place?(path: ConfigPath, options?: { key?: string }): Place | undefined
}

// A schema of any kind: what it holds is looked at, never trusted.
type Schema = v.GenericSchema<any, any> & { [member: string]: any }

/** The options as the schema types them, defaults filled in. Throws every fault at once, each naming the key at fault. */
export function checkOptions<Output>(
  schema: v.GenericSchema<unknown, Output>,
  given: unknown,
  context: OptionsContext,
): Output {
  const { errors, output } = readOptions(schema, given, context)
  throwAll(errors)
  return output as Output
}

/** As {@link checkOptions}, for a caller that collects the faults of many nodes. `output` is there when there is no error. */
export function readOptions<Output>(
  schema: v.GenericSchema<unknown, Output>,
  given: unknown,
  context: OptionsContext,
): { errors: ClinkerError[]; output: Output | undefined } {
  const faults = [...structuralFaults(schema as Schema, given, [])]
  const parsed = v.safeParse(schema, given)
  for (const fault of valueFaults(schema as Schema, given, [], parsed.issues)) {
    if (!faults.some((other) => startsWith(fault.path, other.path) || isMeant(fault, other))) faults.push(fault)
  }
  faults.sort((a, b) => a.order - b.order)
  const errors = faults.map((fault) => toError(fault, given, context))
  return { errors, output: parsed.success && !errors.length ? parsed.output : undefined }
}

/** Whether `missing` is the key that the unknown one was meant to be: that is one mistake. */
function isMeant(missing: Fault, { path, key, expected }: Fault): boolean {
  if (key === undefined || !missing.missing) return false
  const wanted = missing.path.at(-1)
  const siblings = path.length === missing.path.length && startsWith(path, missing.path.slice(0, -1))
  return siblings && closestMatch(key, expected as readonly string[]) === wanted
}

/** Throws nothing, the one error, or all of them as one. */
export function throwAll(errors: readonly ClinkerError[]): void {
  if (errors.length > 1) throw new ClinkerErrors(errors)
  if (errors[0]) throw errors[0]
}

/** A schema for CXL text or a function in its place. */
export function cxl<Result = unknown>(message = 'CXL text') {
  return v.custom<Cxl<Result>>((value) => typeof value === 'string' || typeof value === 'function', message)
}

/** A text of its own kind: `text('a column name')`; the words stand in messages. */
export function text(message: string) {
  return v.string(message)
}

/** A whole number from `least` on. */
export function wholeNumber(least: number) {
  const message = `a whole number of at least ${least}`
  return v.pipe(v.number(message), v.safeInteger(message), v.minValue(least, message))
}

/**
 * A map from column names to values of one kind. `v.record` would leave out `__proto__`, `constructor` and `prototype`, which are
 * columns like any other, and make a new object, which loses the order of columns named like integers.
 */
export function columnMap<Output>(item: v.GenericSchema<unknown, Output>) {
  const schema = v.record(v.string(), item, 'a map from columns to CXL')
  return {
    ...schema,
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      if (!isPlainMap(dataset.value)) {
        v._addIssue(schema, 'type', dataset, config)
        return dataset
      }
      const issues: v.BaseIssue<unknown>[] = []
      for (const [key, value] of mapEntries(dataset.value as ValueMap)) {
        const path: v.IssuePathItem = { type: 'object', origin: 'value', input: dataset.value as never, key, value }
        for (const issue of item['~run']({ value }, config).issues ?? []) {
          issues.push({ ...issue, path: [path, ...(issue.path ?? [])] as [v.IssuePathItem, ...v.IssuePathItem[]] })
        }
      }
      return issues.length ? { typed: false, value: dataset.value, issues } : { typed: true, value: dataset.value }
    },
  } as unknown as v.GenericSchema<unknown, Record<string, Output>>
}

interface Fault {
  readonly path: readonly (string | number)[]
  /** Set when the fault is a key and not its value. */
  readonly key?: string
  /** Set when the value is not there. */
  readonly missing?: true
  readonly order: number
  readonly says: (subject: string) => string
  readonly help?: string
  readonly expected?: unknown
  readonly actual?: unknown
}

/** Unknown keys at any depth, and lists where an object is wanted: valibot takes a list for an object. */
function* structuralFaults(schema: Schema, value: unknown, path: (string | number)[]): Generator<Fault> {
  const inner = chosen(schema, value)
  if (inner.type === 'array' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* structuralFaults(inner.item, item, [...path, index])
  } else if (inner.type === 'strict_object' && Array.isArray(value)) {
    yield { path, ...wrongValue(schema, value, path) }
  } else if (inner.type === 'strict_object' && isObject(value)) {
    const known = knownKeys(inner)
    for (const key of Object.keys(value)) {
      if (known.includes(key)) yield* structuralFaults(inner.entries[key], value[key], [...path, key])
      else yield { path: [...path, key], ...unknownKey(key, known) }
    }
  }
}

/** What valibot found, in our words. */
function* valueFaults(
  schema: Schema,
  given: unknown,
  holder: readonly (string | number)[],
  issues: readonly v.BaseIssue<unknown>[] | undefined,
): Generator<Fault> {
  for (const issue of issues ?? []) {
    // Unknown keys are found above: valibot stops at the first of an object.
    if (issue.type === 'strict_object' && issue.expected === 'never') continue
    const steps = issue.path ?? []
    const below = steps.map((step) => step.key as string | number)
    const path = [...holder, ...below]
    const schemaAt = schemaOf(schema, given, below)
    const meant = issue.type === 'union' ? chosen(schemaAt, issue.input) : schemaAt
    if (meant !== schemaAt && meant.type !== 'union') {
      yield* valueFaults(meant, issue.input, path, v.safeParse(meant, issue.input).issues)
      continue
    }
    const missing = steps.at(-1)?.origin === 'key' || (issue.input === undefined && path.length > 0)
    yield { path, ...(missing ? missingKey(schemaAt, path) : wrongValue(schemaAt, issue.input, path)) }
  }
}

function unknownKey(key: string, known: readonly string[]) {
  return {
    key,
    order: 0,
    says: () => `unknown key \`${shown(key)}\``,
    help: suggestion(key, known, 'known keys'),
    expected: known,
    actual: key,
  }
}

function missingKey(schema: Schema, path: readonly (string | number)[]) {
  const expected = described(schema)
  return {
    missing: true as const,
    order: path.length ? 1 : 0,
    says: (subject: string) => `${subject} is missing: it must be ${expected}`,
    expected,
  }
}

function wrongValue(schema: Schema, value: unknown, path: readonly (string | number)[]) {
  const expected = described(schema)
  const unquoted = bare(schema).type === 'custom' && (typeof value === 'boolean' || typeof value === 'number')
  const help = unquoted ? `write it as text: "${String(value)}"` : undefined
  return {
    order: path.length ? 1 : 0,
    says: (subject: string) => `${subject} must be ${expected}, got ${shownValue(value)}`,
    ...(help === undefined ? {} : { help }),
    expected,
    actual: value,
  }
}

function toError(fault: Fault, given: unknown, context: OptionsContext): ClinkerError {
  const { path, key } = fault
  const holder = path.slice(0, -1)
  const subject = path.length ? subjectOf(path, given) : 'the config'
  let message = fault.says(subject)
  if (key !== undefined && holder.length) message += ` in ${subjectOf(holder, given)}`
  const place = key === undefined ? context.place?.(path) : context.place?.(holder, { key })
  return new ClinkerError('E000', {
    message,
    node: context.node,
    ...(place ? { place } : {}),
    ...(fault.help === undefined ? {} : { help: fault.help }),
    expected: fault.expected,
    actual: fault.actual,
  })
}

/**
 * A path as messages show it. An entry that has a name goes by it: `rule "fix": mutate.set.a`, `rules[1].when`.
 */
function subjectOf(path: ConfigPath, given: unknown): string {
  let subject = ''
  let named = ''
  let value = given
  for (const [index, step] of path.entries()) {
    value = isObject(value) && Object.hasOwn(value, step) ? value[step as string] : undefined
    const name = isObject(value) && Object.hasOwn(value, 'name') ? value.name : undefined
    const list = path[index - 1]
    if (typeof step === 'number' && typeof list === 'string' && typeof name === 'string') {
      named = `${list.replace(/s$/, '')} "${shown(name)}"`
      subject = ''
    } else if (typeof step === 'number') subject += `[${step}]`
    else subject += subject === '' ? shown(step) : `.${shown(step)}`
  }
  if (named === '') return subject
  return subject === '' ? named : `${named}: ${subject}`
}

/** The schema that holds for the value at a path. */
function schemaOf(schema: Schema, given: unknown, path: readonly (string | number)[]): Schema {
  let found = schema
  let value = given
  for (const step of path) {
    const inner = chosen(found, value)
    if (inner.type === 'array') found = inner.item
    else if (inner.type === 'record') found = inner.value
    else if (inner.entries && Object.hasOwn(inner.entries, step)) found = inner.entries[step]
    else return inner
    value = isObject(value) ? value[step as string] : undefined
  }
  return found
}

/** Without the wrappers that say whether a value may be left out. */
function bare(schema: Schema): Schema {
  let inner = schema
  while (inner.wrapped) inner = inner.wrapped
  return inner
}

/** Of alternatives the one that a value of this kind must be meant for. */
function chosen(schema: Schema, value: unknown): Schema {
  const inner = bare(schema)
  if (inner.type === 'variant') {
    const given = isPlainMap(value) ? value[inner.key] : undefined
    const options = inner.options.map(bare) as Schema[]
    return options.find((option) => bare(option.entries?.[inner.key] ?? option).literal === given) ?? inner
  }
  if (inner.type !== 'union') return inner
  const kind = Array.isArray(value) ? 'array' : isObject(value) ? 'strict_object' : undefined
  return (inner.options.map(bare) as Schema[]).find((option) => option.type === kind) ?? inner
}

function knownKeys(schema: Schema): string[] {
  return Object.keys(schema.entries ?? {})
}

/** What a value must be, in words. The message of a schema says it; without one its kind does. */
function described(schema: Schema): string {
  const inner = bare(schema)
  const message = [inner, ...(inner.pipe ?? [])].map((item) => item.message).find((text) => typeof text === 'string')
  if (message !== undefined) return message
  switch (inner.type) {
    case 'string':
      return 'text'
    case 'number':
      return 'a number'
    case 'boolean':
      return '`true` or `false`'
    case 'picklist':
      return listed(inner.options.map(quoted))
    case 'literal':
      return quoted(inner.literal)
    case 'array':
      return `a list of ${plural(described(inner.item))}`
    case 'record':
      return 'a map'
    case 'strict_object':
      return `{ ${knownKeys(inner).join(', ')} }`
    case 'union':
    case 'variant':
      return listed([...new Set((inner.options as Schema[]).map(described))])
    case 'function':
      return 'a function'
    default:
      return String(inner.expects ?? 'another value')
  }
}

function plural(words: string): string {
  return words.startsWith('a ') ? `${words.slice(2)}s` : words
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function quoted(word: unknown): string {
  return `\`${String(word)}\``
}

/** A value as messages show it. */
function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'symbol') return String(value)
  if (!isObject(value) || Array.isArray(value) || isPlainMap(value)) return preview(value)
  const name = (value as object).constructor?.name ?? 'object'
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`
}

/** A name as messages show it, without quotes. */
function shown(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name
}

const longestName = 80

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null
}

function isPlainMap(value: unknown): value is Row {
  if (!isObject(value) || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

function startsWith(path: readonly unknown[], start: readonly unknown[]): boolean {
  return start.length <= path.length && start.every((step, index) => step === path[index])
}
