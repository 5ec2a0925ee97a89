import { CivilDate, CivilDateTime } from '../../lib/record/civil.ts'
import { Decimal } from '../../lib/record/decimal.ts'
import { canGenerate, Code, widestLiteral } from '../../lib/record/generate.ts'
import type { Shape } from '../../lib/record/shape.ts'
import { jsonText } from '../../lib/record/text.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import { type Nested, nest } from './names.ts'

/** The JSON text of a record, on one line. */
export type RecordText = (record: Row) => string

/** How a record with these columns is written. Throws a {@link NameFault} when their names cannot be nested. */
export function recordText(shape: Shape, preserveNulls: boolean): RecordText {
  const root = nest(shape.names)
  const generate = shape.names.length <= widestLiteral && canGenerate()
  return generate ? compile(root, shape, preserveNulls) : interpret(root, shape, preserveNulls)
}

/** A text as a JSON string. */
function quoted(text: string): string {
  // Most cells are short and plain: looking at each character is cheaper than the call that would find nothing to escape.
  if (text.length > longestScan) return JSON.stringify(text)
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff)) return JSON.stringify(text)
  }
  return `"${text}"`
}

const longestScan = 40

/** Indents a compact JSON text by two spaces a level. */
export function indented(json: string): string {
  let text = ''
  let margin = '\n'
  let from = 0
  for (let index = 0; index < json.length; index++) {
    const character = json[index]
    if (character === '"') index = endOfString(json, index)
    else if (character === '{' || character === '[') {
      const next = json[index + 1]
      if (next === '}' || next === ']') index++
      else {
        margin += '  '
        text += json.slice(from, index + 1) + margin
        from = index + 1
      }
    } else if (character === '}' || character === ']') {
      margin = margin.slice(0, -2)
      text += json.slice(from, index) + margin
      from = index
    } else if (character === ',') {
      text += json.slice(from, index + 1) + margin
      from = index + 1
    } else if (character === ':') {
      text += `${json.slice(from, index)}: `
      from = index + 1
    }
  }
  return text + json.slice(from)
}

/** The place of the quote that closes the string opened at `start`. */
function endOfString(json: string, start: number): number {
  let index = start + 1
  while (json[index] !== '"') index += json[index] === '\\' ? 2 : 1
  return index
}

/**
 * Generated, because a text built with `+` from constants and guarded values is about three times as fast as a walk over the
 * tree ({@link interpret}). For columns `id: int, pos.dec: float` it is
 * ```
 * let t0 = '', t1 = '', v
 * v = r.id
 * if (v !== null && v !== undefined) t0 += '"id":' + (typeof v === 'number' && isSafeInteger(v) ? v : dynamic(v, type, 'id'))
 * v = r[k3]
 * if (v !== null && v !== undefined) t1 += '"dec":' + …
 * if (t1 !== '') t0 += (t0 === '' ? '"pos":{' : ',"pos":{') + t1 + '}'
 * return '{' + t0 + '}'
 * ```
 */
function compile(root: readonly Nested[], shape: Shape, preserveNulls: boolean): RecordText {
  const code = new Code()
  let texts = 0
  let body = ''
  const addLevel = (level: readonly Nested[]): string => {
    const text = `t${texts++}`
    body += `let ${text} = ''\n`
    let something = false
    const add = (start: string, rest: string): string => {
      const first = code.bind(start)
      const next = code.bind(`,${start}`)
      return `${text} += ${something ? next : `(${text} === '' ? ${first} : ${next})`} + ${rest}\n`
    }
    for (const [index, each] of level.entries()) {
      const start = `${JSON.stringify(each.key)}:`
      if ('column' in each) {
        const type = shape.columns[shape.indexOf(each.column)]?.type as Type
        body += `v = ${code.member('r', each.column)}\n`
        const value = valueText(code, type, each.column)
        if (preserveNulls) body += add(start, `(v === null || v === undefined ? 'null' : ${value})`)
        else body += `if (v !== null && v !== undefined) ${add(start, value)}`
      } else {
        const inside = addLevel(each.inside)
        const adding = add(`${start}{`, `${inside} + '}'`)
        body += preserveNulls ? adding : `if (${inside} !== '') ${adding}`
      }
      something ||= preserveNulls && index === 0
    }
    return text
  }
  const whole = addLevel(root)
  return code.compile(['r'], `let v\n${body}return '{' + ${whole} + '}'`)
}

/** An expression for the text of `v`, which is not null, in a column of `type`: other code may have put anything there. */
function valueText(code: Code, type: Type, column: string): string {
  const dynamic = `${code.bind(dynamicText)}(v, ${code.bind(type)}, ${code.bind(column)})`
  const text = `typeof v === 'string' ? ${code.bind(quoted)}(v) : ${dynamic}`
  switch (type.name) {
    case 'int':
      return `(${code.bind(Number.isSafeInteger)}(v) ? v : ${dynamic})`
    case 'float':
      return `(typeof v === 'number' ? ${code.bind(floatText)}(v, ${code.bind(column)}) : ${dynamic})`
    case 'bool':
      return `(v === true ? 'true' : v === false ? 'false' : ${dynamic})`
    case 'decimal':
      return `(v instanceof ${code.bind(Decimal)} ? '"' + v + '"' : ${dynamic})`
    case 'date':
      return `(v instanceof ${code.bind(CivilDate)} ? '"' + v + '"' : ${dynamic})`
    case 'date_time':
      return `(v instanceof ${code.bind(CivilDateTime)} ? '"' + v + '"' : ${dynamic})`
    case 'string':
      return `(${text})`
    default:
      // Int or float is told by the value; -0 is a float (jsonText knows).
      return `(${code.bind(Number.isSafeInteger)}(v) && v !== 0 ? v : ${text})`
  }
}

function floatText(value: number, column: string): string {
  const size = value < 0 ? -value : value
  if (size >= 1e-5 && size < 1e16) return Number.isInteger(value) ? `${value}.0` : `${value}`
  return dynamicText(value, Type.of('float'), column)
}

/** The same without generated code. */
function interpret(root: readonly Nested[], shape: Shape, preserveNulls: boolean): RecordText {
  const textOf = (level: readonly Nested[], record: Row): string => {
    let text = ''
    for (const each of level) {
      let value: string
      if ('column' in each) {
        const given = record[each.column] as Value | undefined
        if (given === null || given === undefined) {
          if (!preserveNulls) continue
          value = 'null'
        } else value = dynamicText(given, typeOf(shape, each.column), each.column)
      } else {
        value = textOf(each.inside, record)
        if (value === '' && !preserveNulls) continue
        value = `{${value}}`
      }
      text += `${text === '' ? '' : ','}${JSON.stringify(each.key)}:${value}`
    }
    return text
  }
  return (record) => `{${textOf(root, record)}}`
}

function typeOf(shape: Shape, column: string): Type {
  return shape.columns[shape.indexOf(column)]?.type ?? Type.of('any')
}

/** A value that has no form in JSON, and the column it stands in. */
export class Unwritable extends Error {
  readonly column: string
  readonly value: Value

  constructor(column: string, value: Value, cause: Error) {
    super(cause.message, { cause })
    this.name = 'Unwritable'
    this.column = column
    this.value = value
  }
}

function dynamicText(value: Value, type: Type, column: string): string {
  try {
    // An int that is no int: other code put it there, and it is written as what it is.
    if (type.name === 'int' && typeof value === 'number' && !Number.isSafeInteger(value)) return jsonText(value)
    return jsonText(value, type)
  } catch (error) {
    throw error instanceof RangeError ? new Unwritable(column, value, error) : error
  }
}
