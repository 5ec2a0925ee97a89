import { CivilDate } from '../../lib/record/civil.ts'
import { canGenerate, Code } from '../../lib/record/generate.ts'
import type { Origin } from '../../lib/record/origin.ts'
import { stamped } from '../../lib/record/stamp.ts'
import type { Row } from '../../lib/record/value.ts'
import type { CellColumn, Layout } from './layout.ts'
import { nowhere, own, type Scanner, shortest } from './scanner.ts'

/**
 * Reads rows from `scanner.at` on and adds their records to `out`, until there are `limit`, or until a row that is not all there, not
 * well formed or not convertible, which is left to the caller.
 */
export type ReadRows = (scanner: Scanner, out: Row[], limit: number) => void

/** Characters of a row that its texts may keep in memory. */
const longestCopy = 512

/** Wider rows are read by a loop: V8 does not optimise functions of such a size. */
const widestRow = 64

/**
 * A reader for the rows of one header, as code: it finds the end of a cell and converts it in one go, without a text for a number or
 * a date, and builds the record by a literal. Undefined where code cannot be generated or does not pay; the plain form is
 * `Scanner.cut` and a loop over the cells (`CsvReader`), which also settles what this leaves. Benchmark: `npm run bench -- copy`.
 */
export function generateReader(layout: Layout, scanner: Scanner, origin: Origin): ReadRows | undefined {
  const { cells, shape } = layout
  if (!canGenerate() || cells.length > widestRow || shape.columns.length > widestRow) return undefined
  if (layout.missing || cells.some((columns) => columns.length > 1)) return undefined
  const code = new Code()
  const writer = new ReaderCode(code, scanner)
  const values = new Map<number, string>()
  const body = cells.map((columns, place) => {
    const [column] = columns
    const last = place === cells.length - 1
    if (!column) return writer.skipped(last)
    const value = `v${column.index}`
    values.set(column.index, value)
    return writer.cell(column, value, last)
  })
  const literal = code.literal(shape.names.map((name, index) => [name, values.get(index) ?? 'null'] as const))
  const record = `${code.bind(stamped)}(${literal}, ${code.bind(shape)}, ${code.bind(origin)}, ++row)`
  return code.compile(['scanner', 'out', 'limit'], writer.program([...values.values()], body.join('\n'), record))
}

/** Writes the parts of a reader. Names in the code: `at` is where the next cell begins, `e` and `c` are passing through it. */
class ReaderCode {
  readonly #code: Code
  readonly #delimiter: string
  readonly #delimiterCode: number
  readonly #quoteCode: number

  constructor(code: Code, scanner: Scanner) {
    this.#code = code
    this.#delimiter = code.bind(scanner.delimiter)
    this.#delimiterCode = scanner.delimiter.charCodeAt(0)
    this.#quoteCode = scanner.quote.charCodeAt(0)
  }

  program(values: readonly string[], cells: string, record: string): string {
    return `
const text = scanner.text
let begin = scanner.at, line = scanner.line, row = scanner.row
let lf = -1, cr = -1, lineEnd = -1, delimiter = -1
let at = begin, from = begin, rowText = ''
let c = 0, e = 0, s = 0, n = 0, places = 0, lineEnds = 0
let ${['v', ...values].join(', ')}
rows: while (out.length < limit) {
  at = from = begin
  rowText = ''
  lineEnds = 0
  if (lineEnd < at) {
    if (lf < at && (lf = text.indexOf('\\n', at)) < 0) lf = ${nowhere}
    if (cr < at && (cr = text.indexOf('\\r', at)) < 0) cr = ${nowhere}
    lineEnd = lf < cr ? lf : cr
    if (lineEnd === ${nowhere}) break
  }
  if (lineEnd !== at) {
${cells}
  }
  ${this.#nextRow(record)}
}
scanner.at = begin
scanner.line = line
scanner.row = row
`
  }

  /** A cell nobody wants. */
  skipped(last: boolean): string {
    const { bind } = this
    return `
if (text.charCodeAt(at) === ${this.#quoteCode}) {
  if (scanner.cell(at, lineEnd, ${last}, ${bind(keep)}) === undefined) break rows
  ${this.#behindQuotes()}
} else {
  ${this.#findDelimiter(last)}
  at = ${last ? 'lineEnd' : 'delimiter + 1'}
}`
  }

  cell(column: CellColumn, value: string, last: boolean): string {
    switch (column.kind) {
      case 'text':
        return this.#text(value, last)
      case 'int':
        return this.#int(column, value, last)
      case 'float':
        return this.#float(column, value, last)
      case 'date':
        return this.#date(column, value, last)
      default:
        return this.#other(column, value, last)
    }
  }

  readonly bind = (value: unknown): string => this.#code.bind(value)

  /** A text is cut from a copy of its row, so that keeping it keeps a row in memory and not the whole piece of the file; of a long row, even less. */
  #text(value: string, last: boolean): string {
    const { bind } = this
    return `
if (text.charCodeAt(at) === ${this.#quoteCode}) {
  if ((${value} = scanner.cell(at, lineEnd, ${last}, ${bind(keep)})) === undefined) break rows
  ${this.#behindQuotes()}
} else {
  ${this.#findDelimiter(last)}
  e = ${last ? 'lineEnd' : 'delimiter'}
  if (e - at < ${shortest}) ${value} = text.slice(at, e)
  else if (lineEnd - from > ${longestCopy}) ${value} = ${bind(own)}(text, at, e)
  else {
    if (rowText === '') rowText = ' ' + text.slice(from, lineEnd)
    ${value} = rowText.slice(at - from + 1, e - from + 1)
  }
  at = ${last ? 'e' : 'e + 1'}
}`
  }

  #int(column: CellColumn, value: string, last: boolean): string {
    return `
s = e = text.charCodeAt(at) === 45 ? at + 1 : at
n = 0
while ((c = text.charCodeAt(e)) >= 48 && c <= 57) { n = n * 10 + (c - 48); e++ }
if (${this.#ends('e', 'c', last)} && e > s && e - s < 16) {
  ${value} = s === at ? n : 0 - n
  at = ${last ? 'e' : 'e + 1'}
} else {${this.#other(column, value, last)}
}`
  }

  /** Digits that a double holds exactly, divided by a power of ten that one holds exactly, round as the whole number does. */
  #float(column: CellColumn, value: string, last: boolean): string {
    return `
s = e = text.charCodeAt(at) === 45 ? at + 1 : at
n = places = 0
while ((c = text.charCodeAt(e)) >= 48 && c <= 57) { n = n * 10 + (c - 48); e++ }
if (c === 46) {
  places = ++e
  while ((c = text.charCodeAt(e)) >= 48 && c <= 57) { n = n * 10 + (c - 48); e++ }
  places = e - places
  s++
}
if (${this.#ends('e', 'c', last)} && e > s && e - s < 16) {
  if (places > 0) n /= ${this.bind(powers)}[places]
  ${value} = text.charCodeAt(at) === 45 ? -n : n
  at = ${last ? 'e' : 'e + 1'}
} else {${this.#other(column, value, last)}
}`
  }

  #date(column: CellColumn, value: string, last: boolean): string {
    return `
e = at + 10
c = text.charCodeAt(e)
if (${this.#ends('e', 'c', last)} && (v = ${this.bind(new DateCache().read)}(text, at)) !== undefined) {
  ${value} = v
  at = ${last ? 'e' : 'e + 1'}
} else {${this.#other(column, value, last)}
}`
  }

  #other(column: CellColumn, value: string, last: boolean): string {
    return `
  if ((${value} = scanner.cell(at, lineEnd, ${last}, ${this.bind(column.read)})) === undefined) break rows
  ${this.#behindQuotes()}`
  }

  /** Whether a cell ends at `at`, where the character is `character`. */
  #ends(at: string, character: string, last: boolean): string {
    return last ? `${at} === lineEnd` : `${character} === ${this.#delimiterCode}`
  }

  /** Goes on behind a cell that the scanner has read; it may have been longer than the line. */
  #behindQuotes(): string {
    return `at = scanner.next
  if (scanner.lineEnds !== 0) {
    lineEnds += scanner.lineEnds
    if ((lineEnd = scanner.lineEnd) === ${nowhere}) break rows
    from = at
    rowText = ''
  }`
  }

  /** The delimiter behind a cell must come before the line ends, and none may come before the end of the last cell. */
  #findDelimiter(last: boolean): string {
    return `if (delimiter < at && (delimiter = text.indexOf(${this.#delimiter}, at)) < 0) delimiter = ${nowhere}
  if (delimiter ${last ? '<' : '>'} lineEnd) break rows`
  }

  /** Only now that the end of the row is known to be there is the row counted and its record made. */
  #nextRow(record: string): string {
    return `
  s = lineEnd + 1
  if (text.charCodeAt(lineEnd) === 13) {
    if (s === text.length && !scanner.final) break
    if (text.charCodeAt(s) === 10) s++
  }
  if (lineEnd !== begin) out.push(${record})
  line += lineEnds + 1
  begin = s`
  }
}

const keep = (cell: string): string => cell

const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/** Reads `2024-02-29`, and gives dates that return as the objects they were: they never change. */
class DateCache {
  readonly #keys = new Int32Array(1024)
  readonly #dates: (CivilDate | undefined)[] = Array.from({ length: 1024 })

  readonly read = (text: string, at: number): CivilDate | undefined => {
    if (text.charCodeAt(at + 4) !== 45 || text.charCodeAt(at + 7) !== 45) return undefined
    const century = twoDigits(text, at)
    const year = twoDigits(text, at + 2)
    const month = twoDigits(text, at + 5)
    const day = twoDigits(text, at + 8)
    if ((century | year | month | day) < 0) return undefined
    const key = (century * 100 + year) * 512 + month * 32 + day
    const slot = (key ^ (key >> 9)) & 1023
    if (this.#keys[slot] === key) return this.#dates[slot]
    const date = CivilDate.of(century * 100 + year, month, day)
    if (date) {
      this.#keys[slot] = key
      this.#dates[slot] = date
    }
    return date
  }
}

/** The number two digits write; negative when they are not there. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
