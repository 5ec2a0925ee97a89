import { ClinkerError, ClinkerErrors, closestMatch, type Place, preview, suggestion } from '../diagnostics/index.ts'
import { BadDatePattern, compileDatePattern } from '../record/date-pattern.ts'
import { maxScale } from '../record/decimal.ts'
import { isMap } from '../record/kind.ts'
import { mapEntries, mapKeys } from '../record/map.ts'
import { Type, type TypeName } from '../record/type.ts'
import type { Value, ValueMap } from '../record/value.ts'

/** One column of a source's schema (spec/1, source schema). */
export interface SchemaColumn {
  readonly name: string
  /** The declared type; of a `multiple` column that of its elements. */
  readonly type: Type
  /** The physical column it reads. Default: `name`. */
  readonly source_name?: string
  /** A date pattern, then the only form that is accepted. */
  readonly format?: string
  /** Places of a decimal. Default: those it is written with. */
  readonly scale?: number
  /** Digits a decimal may have. Default: as many as fit. */
  readonly precision?: number
  /** The column holds an array of `type`. Default: false. */
  readonly multiple?: boolean
  /** A hint that changes nothing that can be seen. */
  readonly long_unique?: boolean
}

/** Who is read, and where it stands. */
export interface SchemaContext {
  /** Kind and name as messages show them: `source "orders"`. */
  readonly node: string
  /** The place of a value of the schema, or of a key in the entry at `path`. From code there is none. */
  place?(path: readonly (string | number)[], options?: { key?: string }): Place | undefined
}

/** The types a schema can name, in the order messages list them. */
const schemaTypes = [
  'null',
  'string',
  'int',
  'float',
  'decimal',
  'bool',
  'date',
  'date_time',
  'array',
  'map',
  'any',
] as const satisfies readonly TypeName[]

/** Reads a type as schemas write it: `int`, `nullable(int)`, `{ nullable: int }`. Undefined when it is none. */
export function parseTypeName(written: unknown): Type | undefined {
  if (typeof written === 'string') {
    const inner = /^nullable\((.*)\)$/s.exec(written)?.[1]
    if (inner !== undefined) return parseTypeName(inner)?.orNull
    return written === 'numeric' || isSchemaType(written) ? Type.of(written) : undefined
  }
  if (!isMap(written as Value)) return undefined
  const entries = Object.entries(written as object)
  return entries.length === 1 && entries[0]?.[0] === 'nullable' ? parseTypeName(entries[0][1])?.orNull : undefined
}

/**
 * Reads a schema: a list of `{ name, type, … }`, or from code a map from names to types. Throws everything that is wrong with it at
 * once.
 * @example parseSchema([{ name: 'id', type: 'int' }, { name: 'note', type: 'nullable(string)' }])
 * @example parseSchema({ id: 'int', note: 'nullable(string)' })
 */
export function parseSchema(written: unknown, context: SchemaContext = { node: 'schema' }): SchemaColumn[] {
  const faults = new SchemaFaults(context)
  const columns = readColumns(written, faults)
  faults.throw()
  return columns
}

/** The type of the column in a record: an array for a `multiple` one. */
export function columnType(column: SchemaColumn): Type {
  return column.multiple ? Type.of('array', column.type.nullable) : column.type
}

const columnKeys = ['name', 'type', 'source_name', 'format', 'scale', 'precision', 'multiple', 'long_unique']

type Path = readonly (string | number)[]

class SchemaFaults {
  readonly #context: SchemaContext
  readonly #errors: ClinkerError[] = []

  constructor(context: SchemaContext) {
    this.#context = context
  }

  /** Notes a fault of the value at `path`, or of the key `key` in it. */
  add(path: Path, message: string, details: { code?: string; help?: string; key?: string } = {}): void {
    const { code = 'E000', help, key } = details
    const { node, place } = this.#context
    const at = place?.(path, key === undefined ? {} : { key })
    this.#errors.push(
      new ClinkerError(code, { node, message, ...(at ? { place: at } : {}), ...(help === undefined ? {} : { help }) }),
    )
  }

  throw(): void {
    const [first] = this.#errors
    if (first) throw this.#errors.length === 1 ? first : new ClinkerErrors(this.#errors)
  }
}

function isSchemaType(name: string): name is (typeof schemaTypes)[number] {
  return (schemaTypes as readonly string[]).includes(name)
}

function readColumns(written: unknown, faults: SchemaFaults): SchemaColumn[] {
  const columns: SchemaColumn[] = []
  const names = new Set<string>()
  const keep = (column: SchemaColumn | undefined, path: Path): void => {
    if (!column) return
    if (names.has(column.name)) {
      faults.add(path, `two columns are named ${preview(column.name)}`, { help: 'rename one of them' })
    } else {
      names.add(column.name)
      columns.push(column)
    }
  }
  if (Array.isArray(written)) {
    written.forEach((entry, index) => keep(readColumn(entry, [index], faults), [index, 'name']))
  } else if (isMap(written as Value)) {
    for (const [name, type] of mapEntries(written as ValueMap)) {
      const read = readType(type, name, [name], faults)
      keep(read && { name, type: read }, [name])
    }
  } else {
    faults.add([], `schema must be a list of { name, type }, got ${preview(written)}`)
  }
  return columns
}

function readColumn(entry: unknown, path: Path, faults: SchemaFaults): SchemaColumn | undefined {
  if (!isMap(entry as Value)) {
    const help = typeof entry === 'string' ? { help: `write { name: ${entry}, type: string }` } : {}
    faults.add(path, `a column of the schema must be { name, type }, got ${preview(entry)}`, help)
    return undefined
  }
  const given = entry as ValueMap
  const unknown = mapKeys(given).filter((key) => !columnKeys.includes(key))
  for (const key of unknown) unknownKey(key, path, faults)
  // A key that is only misspelt is one fault.
  const isMeant = (wanted: string): boolean => unknown.some((key) => closestMatch(key, columnKeys) === wanted)
  const { name } = given
  if (name === undefined && isMeant('name')) return undefined
  if (typeof name !== 'string') {
    faults.add(
      name === undefined ? path : [...path, 'name'],
      name === undefined
        ? 'a column of the schema has no name'
        : `the name of a column must be text, got ${preview(name)}`,
    )
    return undefined
  }
  if (given['type'] === undefined && isMeant('type')) return undefined
  const type = readType(given['type'], name, [...path, 'type'], faults)
  if (!type) return undefined
  return { name, type, ...readDetails(given, name, type, path, faults) }
}

function unknownKey(key: string, path: Path, faults: SchemaFaults): void {
  faults.add(path, `unknown key \`${preview(key).slice(1, -1)}\` in a column of the schema`, {
    key,
    help: suggestion(key, columnKeys, 'known keys'),
  })
}

function readType(written: unknown, name: string, path: Path, faults: SchemaFaults): Type | undefined {
  const type = parseTypeName(written)
  if (type?.name === 'numeric') {
    faults.add(path, `column ${preview(name)} cannot be numeric: that is a type of expressions only`, {
      code: 'E158',
      help: 'declare it int or float',
    })
    return undefined
  }
  if (type) return type
  if (written === undefined) {
    faults.add(path.slice(0, -1), `column ${preview(name)} has no type`, {
      help: `known types: ${knownTypes.join(', ')}`,
    })
    return undefined
  }
  faults.add(path, `column ${preview(name)} has the unknown type ${preview(written)}`, { help: typeHelp(written) })
  return undefined
}

function typeHelp(written: unknown): string {
  const known = `known types: ${knownTypes.join(', ')}`
  if (typeof written !== 'string') return known
  const bare = /^nullable\((.*)\)$/s.exec(written)?.[1] ?? written
  const meant = meantType(bare)
  return meant === undefined ? suggestion(bare, knownTypes, 'known types') : `did you mean \`${meant}\`? ${known}`
}

/** The type that another language means by a name. */
function meantType(name: string): string | undefined {
  const optional = /^(.*)\?$/s.exec(name)?.[1]
  if (optional !== undefined && isSchemaType(optional)) return `nullable(${optional})`
  return typesElsewhere.get(name.toLowerCase())
}

const typesElsewhere: ReadonlyMap<string, string> = new Map([
  ['integer', 'int'],
  ['long', 'int'],
  ['bigint', 'int'],
  ['number', 'float'],
  ['double', 'float'],
  ['real', 'float'],
  ['text', 'string'],
  ['str', 'string'],
  ['varchar', 'string'],
  ['boolean', 'bool'],
  ['datetime', 'date_time'],
  ['timestamp', 'date_time'],
  ['list', 'array'],
  ['object', 'map'],
  ['json', 'map'],
])

const knownTypes = [...schemaTypes, 'nullable(type)']

/** The keys besides name and type. One at fault is noted and left out. */
function readDetails(
  given: ValueMap,
  name: string,
  type: Type,
  path: Path,
  faults: SchemaFaults,
): Partial<SchemaColumn> {
  const details: { -readonly [key in keyof SchemaColumn]?: SchemaColumn[key] } = {}
  const refuse = (key: string, must: string): void => {
    faults.add([...path, key], `${key} of column ${preview(name)} must be ${must}, got ${preview(given[key])}`)
  }
  const { source_name, format, scale, precision, multiple, long_unique } = given
  if (typeof source_name === 'string') details.source_name = source_name
  else if (source_name !== undefined) refuse('source_name', 'the name of an input field')
  if (typeof format === 'string') {
    if (type.name !== 'date' && type.name !== 'date_time') {
      misplaced('format', 'a date or date_time', name, type, path, faults)
    } else if (checkPattern(format, name, type, path, faults)) details.format = format
  } else if (format !== undefined) refuse('format', 'a date pattern')
  if (isCount(scale, 0, maxScale)) details.scale = scale
  else if (scale !== undefined) refuse('scale', `a whole number from 0 to ${maxScale}`)
  if (isCount(precision, 1, 29)) details.precision = precision
  else if (precision !== undefined) refuse('precision', 'a whole number from 1 to 29')
  if (type.name !== 'decimal') {
    for (const key of ['scale', 'precision'] as const) {
      if (details[key] !== undefined) misplaced(key, 'a decimal', name, type, path, faults)
    }
  }
  if (typeof multiple === 'boolean') details.multiple = multiple
  else if (multiple !== undefined) refuse('multiple', 'true or false')
  if (typeof long_unique === 'boolean') details.long_unique = long_unique
  else if (long_unique !== undefined) refuse('long_unique', 'true or false')
  return details
}

function misplaced(key: string, kind: string, name: string, type: Type, path: Path, faults: SchemaFaults): void {
  faults.add(path, `${key} is for ${kind} column, but ${preview(name)} is declared ${type}`, { key })
}

function checkPattern(format: string, name: string, type: Type, path: Path, faults: SchemaFaults): boolean {
  try {
    if (compileDatePattern(format).needsTime || type.name === 'date') return true
    faults.add(
      [...path, 'format'],
      `format of column ${preview(name)} has no time of day, but the column is a date_time`,
      {
        help: 'declare it date, or put the time into the format',
      },
    )
  } catch (error) {
    if (!(error instanceof BadDatePattern)) throw error
    faults.add([...path, 'format'], `format of column ${preview(name)}: ${error.message}`)
  }
  return false
}

function isCount(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}
