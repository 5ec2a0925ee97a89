import { pipeline, type Readable } from 'node:stream'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { CivilDateTime } from '../../lib/record/civil.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { ShapeTable } from '../../lib/record/shape.ts'
import type { Row } from '../../lib/record/value.ts'
import type { DeadLetter } from '../../streams/node.ts'
import type { Parsing } from '../../streams/shell/index.ts'
import type { PlannedSource } from '../plan/plan.ts'
import type { InputFile } from './find-files.ts'
import { inputFailure, openInput } from './open-input.ts'

export interface SourceRun {
  readonly stdin: Readable
  readonly date_formats: readonly string[]
  /** The part of rows that may be refused for a bad cell; undefined: any. */
  readonly threshold: number | undefined
  /** Records to read at most. */
  readonly sample: number | undefined
  readonly batchId: string
  readonly ingested: CivilDateTime
  /** Takes a row with a bad cell; absent: it stops the run. */
  readonly report: ((letter: DeadLetter) => void) | undefined
  /** Told of rows read: good ones, and all. */
  readonly onRows: (good: number, all: number) => void
}

/** A source that is being read. */
export interface SourceReading {
  /** The records over all files. */
  readonly batches: AsyncGenerator<Row[]>
  /** Bytes read so far. */
  bytes(): number
  /** Lets go of the file at once, even while it is being waited for. */
  stop(): void
}

/** Reads the files of a source one after the other. */
export function readSource(source: PlannedSource, files: readonly InputFile[], run: SourceRun): SourceReading {
  let done = 0
  let current = (): number => 0
  let reading: Parsing | undefined
  let stopped = false
  async function* batches(): AsyncGenerator<Row[]> {
    const counts = { good: 0, bad: 0 }
    const shapes = new ShapeTable()
    const report = run.report && countingReport(run.report, counts, run.onRows)
    for (const file of files) {
      if (stopped) return
      const sourceFile = new SourceFile(source.name, file.name, { batch: run.batchId, ingested: run.ingested })
      const rowsBefore = counts.good + counts.bad
      const parser = source.format.parse(source, {
        name: source.name,
        file: file.name,
        origin: new Origin(sourceFile),
        shapes,
        rowsBefore,
        date_formats: run.date_formats,
        report,
      })
      const { streams, bytesRead } = await openInput(file, source.label, run.stdin)
      current = bytesRead
      reading = parser
      // The error, if any, comes out of the parser's records.
      pipeline([...streams, parser], () => undefined)
      try {
        for await (const batch of parser as AsyncIterable<Row[]>) {
          const room = run.sample === undefined ? batch.length : run.sample - counts.good
          const taken = room < batch.length ? batch.slice(0, room) : batch
          counts.good += taken.length
          run.onRows(taken.length, taken.length)
          yield taken
          if (run.sample !== undefined && counts.good >= run.sample) return
        }
      } catch (error) {
        throw inputFailure(error, file.name, source.label)
      } finally {
        parser.destroy()
      }
      done += bytesRead()
      current = () => 0
      sourceFile.count = counts.good + counts.bad - rowsBefore
    }
    checkThreshold(source, counts, run.threshold)
  }
  return {
    batches: batches(),
    bytes: () => done + current(),
    stop: () => {
      stopped = true
      reading?.destroy()
    },
  }
}

function countingReport(
  report: (letter: DeadLetter) => void,
  counts: { bad: number },
  onRows: SourceRun['onRows'],
): (letter: DeadLetter) => void {
  return (letter) => {
    counts.bad++
    onRows(0, 1)
    report(letter)
  }
}

function checkThreshold(
  source: PlannedSource,
  { good, bad }: { good: number; bad: number },
  threshold: number | undefined,
): void {
  const all = good + bad
  if (threshold === undefined || all === 0 || bad <= threshold * all) return
  throw new ClinkerError('E368', {
    message: `${bad} of ${all} rows have a bad cell (${(bad / all).toFixed(3)}), type_error_threshold allows ${threshold}`,
    node: source.label,
    help: 'correct the data or the types, or raise the threshold',
    actual: bad / all,
    expected: threshold,
    exit: 3,
  })
}
