import { ClinkerError, preview } from '../diagnostics/index.ts'
import type { Type } from '../record/type.ts'

/** Where a cell stands and what it should have been. */
export interface BadCell {
  /** Name of the source. */
  readonly source: string
  /** The file, as the pipeline found it; `''` for a stream without a name. */
  readonly file: string
  /** From 1, header not counted. */
  readonly row: number
  /** From 1, as the file has it; for formats without an order of columns, as the schema has it. */
  readonly column: number
  readonly field: string
  readonly type: Type
  /** The column's own date pattern. */
  readonly format?: string | undefined
  /** What stands there; null when there is nothing. */
  readonly value: unknown
  /** How to mend it, where the reader knows better than the type tells. */
  readonly help?: string | undefined
}

/** A cell that does not convert to the type of its column: E126. */
export function badCell(cell: BadCell): ClinkerError {
  const { source, file, row, column, field, type, value } = cell
  const where = file === '' ? '' : `${file} `
  const help = cell.help ?? helpFor(cell)
  return new ClinkerError('E126', {
    node: `source "${source}"`,
    message: `${where}row=${row} column=${column} field=${preview(field)}: declared ${type}, got ${preview(value)}`,
    expected: `${type}`,
    actual: value,
    ...(help === undefined ? {} : { help }),
  })
}

function helpFor({ type, format, value }: BadCell): string | undefined {
  if (value === null || value === undefined || value === '') {
    return type.nullable ? undefined : `declare it nullable(${type}) if it may be empty`
  }
  if (format !== undefined) return `the column's format ${preview(format)} is the only form it reads`
  if (type.name === 'date')
    return 'a date is written year first, as 2024-02-29; for another order give the column a `format`'
  if (type.name === 'date_time') {
    return 'a date_time is written as 2024-02-29T23:59:58; for another form give the column a `format`'
  }
  return undefined
}
