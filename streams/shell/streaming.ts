import type { Row } from '../../lib/record/value.ts'
import { type Results, recordsOf, Shell, type ShellOptions, show } from './shell.ts'

/** A node that computes each batch on its own: what comes in leaves before the next is taken. */
export abstract class Streaming<Out extends object = Row> extends Shell<Row[], Row[]> {
  protected readonly finishesWithLast = true

  constructor(options: ShellOptions = {}) {
    super('records', 'records', options)
  }

  /** The batches a batch gives. It is never empty; its records belong to others, too, and are not changed. */
  abstract process(batch: Row[]): Results<Row[]>

  /** What is left to give at the end. */
  finish(): Results<Row[]> {
    return []
  }

  /** The records, one by one. */
  records(): AsyncIterable<Out> {
    return recordsOf(this)
  }

  protected run(batch: Row[]): Results<Row[]> {
    return this.process(batch)
  }

  protected last(): Results<Row[]> {
    return this.finish()
  }
}

/** A reader of a format: bytes in, records out. */
export abstract class Parsing<Out extends object = Row> extends Shell<Buffer, Row[]> {
  protected readonly finishesWithLast = true

  constructor(options: ShellOptions = {}) {
    super('bytes', 'records', options)
  }

  /** Node would throw for what is no text and no bytes: in a pipe nobody could catch that. */
  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (typeof chunk === 'string' || ArrayBuffer.isView(chunk)) return super.write(chunk, ...(rest as []))
    this.destroy(new TypeError(`${this.constructor.name} takes text or bytes, got ${show(chunk)}`))
    return false
  }

  /** The batches a piece of the file gives, made as they are pulled: a piece may be the whole file. */
  abstract process(piece: Buffer): Results<Row[]>

  /** The batches that the end of the file completes. */
  abstract finish(): Results<Row[]>

  /** The records, one by one. */
  records(): AsyncIterable<Out> {
    return recordsOf(this)
  }

  protected run(piece: Buffer): Results<Row[]> {
    return this.process(piece)
  }

  protected last(): Results<Row[]> {
    return this.finish()
  }
}

/** A writer of a format: records in, text out. */
export abstract class Stringifying extends Shell<Row[], string | Uint8Array> {
  protected readonly finishesWithLast = true

  constructor(options: ShellOptions = {}) {
    super('records', 'bytes', options)
  }

  /** The text of a batch, best in one piece. */
  abstract process(batch: Row[]): Results<string | Uint8Array>

  /** What closes the file. */
  abstract finish(): Results<string | Uint8Array>

  protected run(batch: Row[]): Results<string | Uint8Array> {
    return this.process(batch)
  }

  protected last(): Results<string | Uint8Array> {
    return this.finish()
  }
}
