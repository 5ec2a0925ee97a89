import { CivilDate } from '../../lib/record/civil.ts'
import { canGenerate, Code } from '../../lib/record/generate.ts'
import type { Column, Shape } from '../../lib/record/shape.ts'
import type { TypeName } from '../../lib/record/type.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import type { Bytes } from './bytes.ts'
import { cellText, type JoinValues, joinByDefault, rounded } from './cell-text.ts'
import type { Header } from './header.ts'

/** How cells are written. */
export interface CsvWriting {
  readonly delimiter: string
  readonly escape_formulas: boolean
  /** By column; another one is joined by `;`. */
  readonly join_values: ReadonlyMap<string, JoinValues>
  /** By column: places that a decimal may have. */
  readonly scales: ReadonlyMap<string, number>
}

/** A value that a cell cannot hold, with the column it stands in. */
export class CellFault extends Error {
  readonly column: string
  readonly value: Value

  constructor(column: string, value: Value, cause: unknown) {
    super(column, { cause })
    this.column = column
    this.value = value
  }
}

/**
 * Writes rows `start` to `end` (not included) of a shape. `tail` closes each: delimiters for the cells behind those of the shape, and the
 * newline. `empty` is what a row without a character is written as.
 */
type WriteRows = (out: Bytes, rows: readonly Row[], start: number, end: number, tail: string, empty: string) => void

/** Rows a shape must have before code is made for it: it may come only once. */
const worthCode = 100

/** Wider rows are written by a loop: V8 does not optimise functions of such a size. */
const widestRow = 128

/** Longer texts are encoded by Node. */
const longestLoop = 96

/** Writes the rows of one output, of any shapes whose columns are all in its header. */
export class CsvWriter {
  readonly #header: Header
  readonly #writing: CsvWriting
  readonly #quoting: Quoting
  readonly #writers = new Map<Shape, ShapeWriter>()

  constructor(header: Header, writing: CsvWriting) {
    this.#header = header
    this.#writing = writing
    this.#quoting = new Quoting(writing)
  }

  /** The header line. */
  header(): string {
    const line = this.#header.names.map((name) => this.#quoting.quoted(name)).join(this.#writing.delimiter)
    return `${line === '' ? '""' : line}\n`
  }

  of(shape: Shape): ShapeWriter {
    let writer = this.#writers.get(shape)
    if (!writer) {
      writer = new ShapeWriter(shape, this.#header, this.#writing, this.#quoting)
      this.#writers.set(shape, writer)
    }
    return writer
  }
}

/** Writes rows of one shape. */
class ShapeWriter {
  /** How many cells of the header its rows reach: it may grow behind them. */
  readonly width: number
  readonly #cells: readonly (Cell | undefined)[]
  readonly #delimiter: string
  #rows = 0
  #generated: WriteRows | undefined

  constructor(shape: Shape, header: Header, writing: CsvWriting, quoting: Quoting) {
    const cells: (Cell | undefined)[] = []
    for (const column of shape.columns) cells[header.indexOf(column.name)] = new Cell(column, writing, quoting)
    this.#cells = Array.from(cells)
    this.width = cells.length
    this.#delimiter = writing.delimiter
  }

  write: WriteRows = (out, rows, start, end, tail, empty) => {
    if (!this.#generated && this.width <= widestRow && (this.#rows += end - start) > worthCode && canGenerate()) {
      this.#generated = this.#generate()
    }
    if (this.#generated) return this.#generated(out, rows, start, end, tail, empty)
    for (let index = start; index < end; index++) {
      const before = out.at
      this.#row(out, rows[index] as Row)
      if (out.at === before) out.ascii(empty)
      out.ascii(tail)
    }
  }

  #row(out: Bytes, row: Row): void {
    for (let place = 0; place < this.width; place++) {
      const cell = this.#cells[place]
      if (place > 0) out.ascii(this.#delimiter)
      if (cell) cell.write(out, row[cell.name] as Value)
    }
  }

  /** The same as code, which writes most cells without a call. Benchmark: `npm run bench -- copy`. */
  #generate(): WriteRows {
    const code = new Code()
    const delimiter = `out.byte(${this.#delimiter.charCodeAt(0)})`
    const statements = this.#cells.flatMap((cell, place) => {
      const between = place > 0 ? [delimiter] : []
      if (!cell) return between
      const value = `v${place}`
      return [...between, `const ${value} = ${code.member('row', cell.name)}`, cell.generate(code, value)]
    })
    // Only a row of one cell can be without a character.
    if (this.width <= 1) statements.push('if (out.at === before) out.ascii(empty)')
    return code.compile(
      ['out', 'rows', 'start', 'end', 'tail', 'empty'],
      `for (let index = start; index < end; index++) {
  const row = rows[index]
  const before = out.at
  out.reserve(0)
  ${statements.join('\n  ')}
  out.ascii(tail)
}`,
    )
  }
}

/** Writes one column. */
class Cell {
  readonly name: string
  readonly #type: TypeName
  readonly #quoting: Quoting
  readonly #join: Omit<JoinValues, 'field'>
  readonly #scale: number | undefined

  constructor({ name, type }: Column, writing: CsvWriting, quoting: Quoting) {
    this.name = name
    this.#type = type.name
    this.#quoting = quoting
    this.#join = writing.join_values.get(name) ?? joinByDefault
    this.#scale = writing.scales.get(name)
  }

  readonly write = (out: Bytes, value: Value): void => {
    if (typeof value === 'string') return this.#quoting.text(out, value)
    let text: string
    try {
      text = cellText(this.#scale === undefined ? value : rounded(value, this.#scale), this.#join)
    } catch (error) {
      throw new CellFault(this.name, value, error)
    }
    this.#quoting.write(out, text)
  }

  /** A statement that writes the cell. What the declared type promises is looked at: other code may have put in something else. */
  generate(code: Code, value: string): string {
    const other = `${code.bind(this.write)}(out, ${value})`
    const guarded = this.#guarded(code, value)
    return guarded === undefined ? other : `${guarded}; else ${other}`
  }

  #guarded(code: Code, value: string): string | undefined {
    const { text, safeForNumbers } = this.#quoting
    if (this.#type !== 'string' && !safeForNumbers) return undefined
    switch (this.#type) {
      case 'string':
        return `if (typeof ${value} === 'string') ${code.bind(text)}(out, ${value})`
      case 'int':
        // Not for 0: what is no int may be -0.
        return `if (typeof ${value} === 'number' && ${value} !== 0 && (${value} | 0) === ${value}) out.int(${value})`
      case 'float':
        // Between these JavaScript writes a number without an exponent, as CSV must.
        return `if (${value} > 1e-6 && ${value} < 1e21 && typeof ${value} === 'number') out.float(${value})`
      case 'date':
        return `if (${value} instanceof ${code.bind(CivilDate)}) out.ascii(${code.bind(new DateTexts().of)}(${value}))`
      default:
        return undefined
    }
  }
}

/** Decides which cells need quotes. */
class Quoting {
  /** Whether no number, date or truth value holds the delimiter. */
  readonly safeForNumbers: boolean
  readonly #delimiter: number
  readonly #special: RegExp
  readonly #escapeFormulas: boolean

  constructor({ delimiter, escape_formulas }: CsvWriting) {
    this.safeForNumbers = !/[0-9a-zA-Z+.:-]/.test(delimiter)
    this.#delimiter = delimiter.charCodeAt(0)
    this.#special = new RegExp(`[${delimiter.replace(/[\\\]^-]/, '\\$&')}"\r\n]`)
    this.#escapeFormulas = escape_formulas
  }

  /** Writes a text value as a cell. */
  readonly text = (out: Bytes, text: string): void => {
    if (this.#escapeFormulas && /^[=+\-@\t\r]/.test(text)) out.text(this.quoted(`'${text}`))
    else this.write(out, text)
  }

  /** Writes a text, in quotes when it needs them: `out.text(quoted(text))`, but for short and plain texts in one go. */
  readonly write = (out: Bytes, text: string): void => {
    const { length } = text
    if (length > longestLoop) return out.text(this.quoted(text))
    out.reserve(length * 3)
    const { buffer } = out
    let { at } = out
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code < 0x80) {
        if (code === this.#delimiter || code === 34 || code === 10 || code === 13) return out.text(this.quoted(text))
        buffer[at++] = code
      } else if (code < 0x800) {
        buffer[at++] = 0xc0 | (code >> 6)
        buffer[at++] = 0x80 | (code & 0x3f)
      } else if (code < 0xd800 || code > 0xdfff) {
        buffer[at++] = 0xe0 | (code >> 12)
        buffer[at++] = 0x80 | ((code >> 6) & 0x3f)
        buffer[at++] = 0x80 | (code & 0x3f)
      } else return out.text(this.quoted(text))
    }
    out.at = at
  }

  quoted(text: string): string {
    return this.#special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
}

/** Texts of dates. Many records share one: the reader gives equal dates as one object. */
class DateTexts {
  readonly #dates: (CivilDate | undefined)[] = Array.from({ length: 1024 })
  readonly #texts: string[] = Array.from({ length: 1024 }, () => '')

  readonly of = (date: CivilDate): string => {
    const slot = (date.year * 372 + date.month * 31 + date.day) & 1023
    if (this.#dates[slot] !== date) {
      this.#dates[slot] = date
      this.#texts[slot] = date.toString()
    }
    return this.#texts[slot] as string
  }
}
