import type { Row } from '../../lib/record/value.ts'
import { type Results, recordsOf, Shell, type ShellOptions } from './shell.ts'

/**
 * A node that gives nothing before it has seen everything. Its writable side finishes when the input is taken; the rows are
 * computed after that, as the reader pulls them.
 */
export abstract class Blocking<Out extends object = Row> extends Shell<Row[], Row[]> {
  protected readonly finishesWithLast = false

  constructor(options: ShellOptions = {}) {
    super('records', 'records', options)
  }

  /** Takes a batch in. A promise holds the next one back. (Not named `take`: every Readable has a `take(limit)`.) */
  abstract add(batch: Row[]): void | Promise<void>

  /** The result in batches. Asked for once, after the last `add`. */
  abstract rows(): Results<Row[]>

  /** The records, one by one. */
  records(): AsyncIterable<Out> {
    return recordsOf(this)
  }

  protected run(batch: Row[]): void | Promise<void> {
    return this.add(batch)
  }

  protected last(): Results<Row[]> {
    return this.rows()
  }
}
