import { CivilDate, CivilDateTime } from '../record/civil.ts'
import { Decimal } from '../record/decimal.ts'
import { Float } from '../record/float.ts'
import { canGenerate, Code, widestLiteral } from '../record/generate.ts'
import type { Key } from '../record/key.ts'
import type { Shape } from '../record/shape.ts'
import { shapeOf } from '../record/stamp.ts'
import type { Row, Value } from '../record/value.ts'

/** An object, its stamp and the place that holds it. */
const recordBytes = 72
/** A slot of an object or of an array: null, a boolean or a small number is in it. */
const slotBytes = 8
/** A number that does not fit into a slot: a float, or a large integer. */
const numberBytes = 16
/** A text without its characters. */
const textBytes = 24

/** Bytes a record is accounted with: a fixed part by its shape, and what its values hold beyond their slots. */
export function recordSize(row: Row): number {
  const shape = shapeOf(row)
  if (shape === undefined) return sizeByKeys(row, Object.keys(row))
  // Records of one shape follow each other.
  if (shape !== lastShape) {
    lastShape = shape
    lastSize = sizes.get(shape) ?? newSize(shape)
  }
  return lastSize(row)
}

/** Bytes of a value beyond the slot it is in. */
export function valueSize(value: Value): number {
  switch (typeof value) {
    case 'string':
      return textBytes + value.length
    case 'bigint':
      return 24
    case 'number':
      return (value | 0) === value ? 0 : numberBytes
    case 'object':
      return value === null ? 0 : objectSize(value)
    default:
      return 0
  }
}

/** Bytes of a group key beyond the slot it is in. */
export function keySize(key: Key): number {
  return valueSize(key)
}

type SizeOf = (row: Row) => number

const sizes = new WeakMap<Shape, SizeOf>()
let lastShape: Shape | undefined
let lastSize: SizeOf = () => 0

function newSize(shape: Shape): SizeOf {
  const size = compileSize(shape)
  sizes.set(shape, size)
  return size
}

/** The plain form is {@link sizeByKeys}; the generated one takes an eighth of its time */
function compileSize({ names }: Shape): SizeOf {
  if (names.length > widestLiteral || !canGenerate()) return (row) => sizeByKeys(row, names)
  const code = new Code()
  const size = code.bind(valueSize)
  const lines = names.map(
    (name) => `v = ${code.member('r', name)}
if (typeof v === 'string') n += ${textBytes} + v.length
else if (typeof v === 'number') { if ((v | 0) !== v) n += ${numberBytes} }
else if (typeof v === 'object' || typeof v === 'bigint') n += ${size}(v)`,
  )
  return code.compile(['r'], `let v, n = ${recordBytes + slotBytes * names.length}\n${lines.join('\n')}\nreturn n`)
}

function sizeByKeys(row: Row, names: readonly string[]): number {
  let bytes = recordBytes + slotBytes * names.length
  for (const name of names) bytes += valueSize(row[name] as Value)
  return bytes
}

function objectSize(value: Exclude<Value, null | boolean | number | bigint | string>): number {
  if (value instanceof CivilDate) return 48
  if (value instanceof CivilDateTime) return 112
  if (value instanceof Decimal) return 64
  if (value instanceof Float) return 24
  if (Array.isArray(value)) {
    let bytes = 32 + slotBytes * value.length
    for (const element of value) bytes += valueSize(element)
    return bytes
  }
  let bytes = 48
  for (const [key, entry] of Object.entries(value)) bytes += 2 * slotBytes + textBytes + key.length + valueSize(entry)
  return bytes
}
