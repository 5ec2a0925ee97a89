import { deserialize, serialize } from 'node:v8'
import { Packr, RESET_BUFFER_MODE, REUSE_BUFFER_MODE } from 'msgpackr'
import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { Decimal } from '../record/decimal.ts'
import { Float } from '../record/float.ts'
import { canGenerate, Code, widestLiteral } from '../record/generate.ts'
import { Intake } from '../record/intake.ts'
import type { Key } from '../record/key.ts'
import { makeMap, mapEntries } from '../record/map.ts'
import { Origin, type SourceFile, unknownOrigin } from '../record/origin.ts'
import type { Shape } from '../record/shape.ts'
import { originOf, rowOf, shapeOf } from '../record/stamp.ts'
import type { Row, Value, ValueMap } from '../record/value.ts'
import type { RowBlock } from './row-block.ts'

/**
 * Turns records into bytes and equal records again: same values, shape, origin and row number. Shapes stay in memory and go by number;
 * so do origins as long as they are few.
 *
 * A record becomes an array: its values in column order, its origin where that goes by value, its row number, and last a number for its
 * shape and origin that also tells whether values are {@link wrap}ped. The array is packed by msgpackr; if there is something in it that
 * msgpackr does not keep, it goes through `v8.serialize`, and msgpackr packs the bytes. So the first byte tells which it was.
 */
export class RowCodec {
  readonly #kinds: Kind[] = []
  readonly #shapes = new Map<Shape, ShapeKinds>()
  readonly #files: SourceFile[] = []
  readonly #intake = new Intake()
  #last: Kind | undefined

  /** Appends a record to a block. Gives the number of bytes it takes. */
  pack(row: Row, block: RowBlock, number: number): number {
    const shape = shapeOf(row) ?? this.#intake.take(row)
    const origin = originOf(row) ?? unknownOrigin
    // Records of one shape and origin follow each other.
    if (this.#last?.shape !== shape || this.#last.origin !== origin) this.#last = this.#kindOf(shape, origin)
    const kind = this.#last
    found = 0
    const values = kind.take(row)
    if (kind.origin === undefined) values.push(this.#packOrigin(origin))
    values.push(rowOf(row), kind.number * 2 + (found & wrapped))
    const bytes = packInPlace((found & odd) === 0 ? values : serialize(values))
    return block.append(number, bytes, bytes.start, bytes.end)
  }

  /** The records of bytes that stand one behind the other. */
  unpack(bytes: Uint8Array): Row[] {
    const packed = packr.unpackMultiple(bytes) as (PackedValue[] | Uint8Array)[]
    return packed.map((values) => this.#build(Array.isArray(values) ? values : deserialize(values)))
  }

  #build(packed: PackedValue[]): Row {
    const mark = packed[packed.length - 1] as number
    const { shape, origin } = this.#kinds[Math.floor(mark / 2)] as Kind
    const values = (mark & wrapped) === 0 ? (packed as Value[]) : unwrapFirst(packed, shape.names.length)
    const row = packed[packed.length - 2] as number
    return shape.make(values, origin ?? this.#unpackOrigin(packed[packed.length - 3] as PackedValue[]), row)
  }

  #kindOf(shape: Shape, origin: Origin): Kind {
    let kinds = this.#shapes.get(shape)
    if (!kinds) this.#shapes.set(shape, (kinds = { take: compileTake(shape), byOrigin: new Map(), byValue: undefined }))
    const known = kinds.byOrigin.get(origin) ?? kinds.byValue
    if (known) return known
    const number = this.#kinds.length
    const kind: Kind = { number, shape, origin: number < mostKinds ? origin : undefined, take: kinds.take }
    this.#kinds.push(kind)
    if (kind.origin) kinds.byOrigin.set(origin, kind)
    else kinds.byValue = kind
    return kind
  }

  #packOrigin({ file, audit, keys, variables, eventTime }: Origin): PackedValue[] {
    let fileNumber = this.#files.lastIndexOf(file)
    if (fileNumber < 0) fileNumber = this.#files.push(file) - 1
    return [
      fileNumber,
      audit ? [audit.synthetic, plain(audit.synthesizedBy), plain(audit.mutatedBy)] : null,
      keys ? plain(keys) : null,
      variables ? plain(variables) : null,
      plain(eventTime),
    ]
  }

  #unpackOrigin([fileNumber, audit, keys, variables, eventTime]: PackedValue[]): Origin {
    const [synthetic, synthesizedBy, mutatedBy] = (audit ?? []) as [boolean, string, string]
    return new Origin(
      this.#files[fileNumber as number] as SourceFile,
      audit ? { synthetic, synthesizedBy, mutatedBy } : undefined,
      keys ? (unwrap(keys) as Row) : undefined,
      variables ? (unwrap(variables) as Row) : undefined,
      unwrap(eventTime as PackedValue) as CivilDateTime | null,
    )
  }
}

/** Packs group keys. The first byte tells the form. */
export function packKeys(keys: readonly Key[]): Uint8Array {
  found = 0
  for (const key of keys) plain(key)
  const bytes = packInPlace((found & odd) === 0 ? keys : serialize(keys))
  return bytes.subarray(bytes.start, bytes.end)
}

export function unpackKeys(bytes: Uint8Array): Key[] {
  const keys: Key[] | Uint8Array = packr.unpack(bytes)
  return Array.isArray(keys) ? keys : deserialize(keys)
}

type PackedValue = null | boolean | number | bigint | string | PackedValue[]

const packr = new Packr({ useRecords: false, int64AsType: 'bigint' })

/** Packs into msgpackr's own buffer, from `start` to `end`: valid until something is packed again. */
function packInPlace(value: unknown): Uint8Array & { start: number; end: number } {
  return packr.pack(value, REUSE_BUFFER_MODE | RESET_BUFFER_MODE) as Buffer & { start: number; end: number }
}

/** A shape and an origin that records have; without an origin, for the records whose origin goes by value. */
interface Kind {
  readonly number: number
  readonly shape: Shape
  readonly origin: Origin | undefined
  readonly take: (row: Row) => PackedValue[]
}

interface ShapeKinds {
  readonly take: (row: Row) => PackedValue[]
  readonly byOrigin: Map<Origin, Kind>
  byValue: Kind | undefined
}

/** Beyond so many, origins are no longer kept: with correlation keys or `$record` variables each record may have its own. */
const mostKinds = 4096

/** An array, which stands for a value that is none of the plain ones. */
const wrapped = 1
/** A -0, a lone surrogate or an integer beyond 64 bits, which msgpackr does not keep. */
const odd = 2

/** What {@link plain} has met since it was set to 0. */
let found = 0

/** The plain form is the loop; the generated one takes a quarter of its time */
function compileTake({ names }: Shape): (row: Row) => PackedValue[] {
  if (names.length > widestLiteral || !canGenerate()) {
    return (row) => names.map((name) => plain(row[name]))
  }
  const code = new Code()
  const take = code.bind(plain)
  return code.compile(['r'], `return [${names.map((name) => `${take}(${code.member('r', name)})`).join(', ')}]`)
}

function plain(value: Value | undefined): PackedValue {
  switch (typeof value) {
    case 'string':
      if (!(value as unknown as WellFormed).isWellFormed()) found |= odd
      return value
    case 'number':
      if (value === 0 && 1 / value < 0) found |= odd
      return value
    case 'boolean':
      return value
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) found |= odd
      return value
    case 'object':
      if (value === null) return null
      found |= wrapped
      return wrap(value)
    default:
      return null
  }
}

/** In ES2024, and in Node 20. */
interface WellFormed {
  isWellFormed(): boolean
}

const wrappedArray = 0
const wrappedMap = 1
const wrappedFloat = 2
const wrappedDecimal = 3
const wrappedDate = 4
const wrappedDateTime = 5
const wrappedForeignDate = 6

function wrap(value: object): PackedValue[] {
  if (value instanceof CivilDate) return [wrappedDate, value.year, value.month, value.day]
  if (value instanceof CivilDateTime) {
    const { date, hour, minute, second, nanosecond } = value
    return [wrappedDateTime, date.year, date.month, date.day, hour, minute, second, nanosecond]
  }
  if (value instanceof Decimal) {
    const { coefficient, scale } = value
    const short = Number(coefficient)
    return [wrappedDecimal, Number.isSafeInteger(short) ? short : `${coefficient}`, scale]
  }
  if (value instanceof Float) return [wrappedFloat, plain(value.value)]
  if (value instanceof Date) return [wrappedForeignDate, value.getTime()]
  if (Array.isArray(value)) {
    const elements: PackedValue[] = [wrappedArray]
    for (const element of value) elements.push(plain(element))
    return elements
  }
  // As a list: an object of a map's keys could neither keep their order nor a key named `__proto__`.
  const entries: PackedValue[] = [wrappedMap]
  for (const [key, entry] of mapEntries(value as ValueMap)) entries.push(plain(key), plain(entry))
  return entries
}

function unwrapFirst(packed: PackedValue[], count: number): Value[] {
  const values: Value[] = []
  for (let index = 0; index < count; index++) values.push(unwrap(packed[index] as PackedValue))
  return values
}

function unwrap(value: PackedValue): Value {
  if (!Array.isArray(value)) return value
  const [kind, first, second, third] = value as [number, ...number[]]
  switch (kind) {
    case wrappedDate:
      return CivilDate.trusted(first as number, second as number, third as number)
    case wrappedDateTime: {
      const date = CivilDate.trusted(first as number, second as number, third as number)
      return CivilDateTime.of(date, ...(value.slice(4) as [number, number, number, number])) as CivilDateTime
    }
    case wrappedDecimal:
      return Decimal.of(BigInt(first as number | string), second as number)
    case wrappedFloat:
      return new Float(first as number)
    case wrappedForeignDate:
      return new Date(first as number) as unknown as Value
    case wrappedArray:
      return value.slice(1).map(unwrap)
    default:
      return makeMap(pairs(value))
  }
}

function* pairs(entries: PackedValue[]): Generator<[string, Value], void, undefined> {
  for (let index = 1; index < entries.length; index += 2) {
    yield [entries[index] as string, unwrap(entries[index + 1] as PackedValue)]
  }
}
