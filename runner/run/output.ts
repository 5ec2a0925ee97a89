import { lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Duplex, Writable } from 'node:stream'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { keyOf } from '../../lib/record/key.ts'
import { originOf, shapeOf } from '../../lib/record/stamp.ts'
import { jsonText } from '../../lib/record/text.ts'
import type { Row, Value } from '../../lib/record/value.ts'
import { Header } from '../../streams/csv/header.ts'
import type { DeadLetter, RunContext } from '../../streams/node.ts'
import type { Results } from '../../streams/shell/index.ts'
import type { FormatWriter, WriterContext } from '../plan/output-formats.ts'
import { standardStream } from '../plan/paths.ts'
import type { PlannedOutput } from '../plan/plan.ts'
import type { InputFile } from './find-files.ts'
import { ioError, PendingFile, type Publication, SampleFile, StreamFile } from './publication.ts'
import type { WrittenFile } from './run.ts'

export interface OutputRun {
  readonly base: string
  readonly publication: Publication
  readonly run: RunContext
  /** Overrules `if_exists: error`. */
  readonly force: boolean
  readonly stdout: Writable
  /** Write to `stdout` what would go to files. */
  readonly sample: boolean
  /** The files of the sources upstream, in order. */
  readonly files: readonly InputFile[]
  /** What path tokens stand for, but for those of a file. */
  readonly tokens: Readonly<Record<string, string>>
  readonly onWritten: (records: number) => void
}

/** An output at work. */
export interface OutputSink {
  readonly name: string
  /** Takes the records. */
  readonly head: Writable
  readonly streams: readonly Writable[]
  stats(): { records_in: number; records_out: number }
  written(): WrittenFile[]
  /** What a dry run would have written. */
  samples(): readonly SampleFile[]
}

/** Prepares an output: whatever can be wrong with its files before a record comes is found here. */
export async function openOutput(output: PlannedOutput, run: OutputRun): Promise<OutputSink> {
  const head = output.plan.stream(run.run)
  const writer = new OutputWriter(output, run)
  await writer.prepare()
  head.pipe(writer)
  return {
    name: output.name,
    head,
    streams: [head, writer],
    stats: () => ({
      records_in: (head as Duplex & { stats: { records_in: number } }).stats.records_in,
      records_out: writer.records,
    }),
    written: () => writer.written(),
    samples: () => writer.samples(),
  }
}

/** Writes records into the file, or files, of an output. */
class OutputWriter extends Writable {
  readonly #output: PlannedOutput
  readonly #run: OutputRun
  readonly #header: Header | undefined
  /** By the name of the source file; of an output with one name for all there is one, `''`. */
  readonly #targets = new Map<string, Target>()
  /** Those that were written to last, the latest at the end. */
  readonly #awake = new Set<Target>()
  records = 0

  constructor(output: PlannedOutput, run: OutputRun) {
    super({ objectMode: true, highWaterMark: 1 })
    this.#output = output
    this.#run = run
    const several = output.path.perFile || output.split !== undefined
    if (several && output.format.hasHeader) this.#header = new Header(output.plan.header)
  }

  async prepare(): Promise<void> {
    const { path: template } = this.#output
    if (!template.perFile) {
      this.#targets.set('', await this.#target(this.#render(undefined)))
      return
    }
    const taken = new Map<string, string>()
    for (const { name } of this.#run.files) {
      if (this.#targets.has(name)) continue
      const rendered = this.#render(name)
      const other = taken.get(path.resolve(this.#run.base, rendered))
      if (other !== undefined) {
        throw new ClinkerError('E322', {
          message: `"${other}" and "${name}" would both be written to "${rendered}"`,
          node: this.#output.label,
          help: 'use {source_path}, or another name for one of them',
        })
      }
      taken.set(path.resolve(this.#run.base, rendered), name)
      this.#targets.set(name, await this.#target(rendered))
    }
  }

  written(): WrittenFile[] {
    return [...this.#targets.values()].flatMap((target) => target.written())
  }

  samples(): SampleFile[] {
    return [...this.#targets.values()].flatMap((target) => target.samples())
  }

  override _write(batch: Row[], _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#take(batch).then(() => written(), written)
  }

  override _final(finished: (error?: Error | null) => void): void {
    this.#end().then(() => finished(), finished)
  }

  override _destroy(reason: Error | null, destroyed: (error?: Error | null) => void): void {
    this.#release().then(
      () => destroyed(reason),
      (thrown: Error) => destroyed(reason ?? thrown),
    )
  }

  async #take(batch: Row[]): Promise<void> {
    this.records += batch.length
    this.#run.onWritten(batch.length)
    if (!this.#output.path.perFile) return (this.#targets.get('') as Target).take(batch)
    // Records of one file follow each other.
    for (let start = 0; start < batch.length; ) {
      const name = fileOf(batch[start] as Row)
      let end = start + 1
      while (end < batch.length && fileOf(batch[end] as Row) === name) end++
      const target = await this.#targetOf(name)
      await target.take(batch.slice(start, end))
      start = end
    }
  }

  async #release(): Promise<void> {
    for (const target of this.#targets.values()) await target.release()
  }

  /** Files end only when all records are there: until then a shared header may grow. */
  async #end(): Promise<void> {
    for (const target of this.#targets.values()) await target.end()
  }

  async #targetOf(name: string): Promise<Target> {
    const target = this.#targets.get(name)
    if (!target) {
      throw new ClinkerError('E314', {
        message: `a record comes from the unknown file "${name}"`,
        node: this.#output.label,
      })
    }
    this.#awake.delete(target)
    this.#awake.add(target)
    const [oldest] = this.#awake
    if (oldest && this.#awake.size > mostAwake) {
      this.#awake.delete(oldest)
      await oldest.rest()
    }
    return target
  }

  #render(file: string | undefined): string {
    const { name, ext } = path.parse(file ?? '')
    const ofFile = file === undefined ? {} : { source_file: name, source_path: ext === '' ? file : file }
    return this.#output.path.render({ ...this.#run.tokens, n: '1', channel: 'default', ...ofFile })
  }

  async #target(rendered: string): Promise<Target> {
    const target = new Target(this.#output, this.#run, rendered, this.#header)
    await target.prepare()
    return target
  }
}

/** Files that are kept open while records come in any order. */
const mostAwake = 16

function fileOf(record: Row): string {
  return originOf(record)?.file.path ?? ''
}

/** One name of an output: a file, or when the output is split the files that are numbered from it. */
class Target {
  readonly #output: PlannedOutput
  readonly #run: OutputRun
  readonly #path: string
  readonly #header: Header | undefined
  readonly #parts: Part[] = []
  #group: Group = { key: undefined, records: 0, bytes: 0, reported: false }

  constructor(output: PlannedOutput, run: OutputRun, rendered: string, header: Header | undefined) {
    this.#output = output
    this.#run = run
    this.#path = rendered
    this.#header = header
  }

  /** Opens the first file: an output without a record has one, too. */
  async prepare(): Promise<void> {
    await this.#open()
  }

  async take(batch: Row[]): Promise<void> {
    const { split } = this.#output
    if (!split) return this.#last.write(batch)
    for (const record of batch) {
      const bytes = split.max_bytes === undefined ? 0 : this.#last.measure(record)
      if (this.#startsPart(record)) await this.#open()
      this.#count(record, bytes)
      await this.#last.write([record], bytes)
    }
  }

  /** Holds as little as it can until more comes. */
  async rest(): Promise<void> {
    await this.#last.rest()
  }

  async end(): Promise<void> {
    for (const part of this.#parts) await part.end()
  }

  async release(): Promise<void> {
    for (const part of this.#parts) await part.release()
  }

  written(): WrittenFile[] {
    return this.#parts.map((part) => part.written())
  }

  samples(): SampleFile[] {
    return this.#parts.flatMap((part) => part.sample ?? [])
  }

  get #last(): Part {
    return this.#parts.at(-1) as Part
  }

  async #open(): Promise<void> {
    const { split, writing } = this.#output
    const number = this.#parts.length + 1
    const include_header = writing.include_header && (number === 1 || (split?.repeat_header ?? true))
    // A file without a shared header is complete as soon as the next one begins.
    if (number > 1) await (this.#header ? this.#last.rest() : this.#last.end())
    const file = await openFile(this.#output, this.#run, this.#pathOf(number))
    this.#parts.push(new Part(this.#output, this.#run, file, this.#header, include_header))
  }

  #pathOf(number: number): string {
    const { split } = this.#output
    if (!split || this.#path === standardStream) return this.#path
    const { dir, name, ext } = path.parse(this.#path)
    const fill = (text: string): string => text.replaceAll('{stem}', name).replaceAll('{ext}', ext.slice(1))
    const { before, digits, after } = split.naming
    const file = `${fill(before)}${String(number).padStart(digits, '0')}${fill(after)}`
    return path.join(dir, ext === '' ? file.replace(/\.$/, '') : file)
  }

  /** Whether a record goes into a new file: the limit is reached and, with a `group_key`, another group begins. */
  #startsPart(record: Row): boolean {
    const { max_records, max_bytes, group_key } = this.#output.split as NonNullable<PlannedOutput['split']>
    const { records, bytes } = this.#last
    if (records === 0) return false
    const full =
      (max_records !== undefined && records >= max_records) || (max_bytes !== undefined && bytes >= max_bytes)
    return full && (group_key === undefined || groupKey(record[group_key]) !== this.#group.key)
  }

  /** Notes a group that is larger than a file may be. */
  #count(record: Row, bytes: number): void {
    const { max_records, max_bytes, group_key, oversize_group } = this.#output.split as NonNullable<
      PlannedOutput['split']
    >
    if (group_key === undefined) return
    const key = groupKey(record[group_key])
    if (key !== this.#group.key) this.#group = { key, records: 0, bytes: 0, reported: false }
    const group = this.#group
    group.records++
    group.bytes += bytes
    const over =
      (max_records !== undefined && group.records > max_records) || (max_bytes !== undefined && group.bytes > max_bytes)
    if (!over || group.reported || oversize_group === 'allow') return
    group.reported = true
    const limit =
      max_records !== undefined && group.records > max_records ? `max_records ${max_records}` : `max_bytes ${max_bytes}`
    const message = `the group ${group_key}=${jsonText(record[group_key] ?? null)} is larger than ${limit} (oversize_group)`
    if (oversize_group === 'warn') return this.#run.run.warn(`${this.#output.label}: ${message}`)
    throw new ClinkerError('E367', {
      message,
      node: this.#output.label,
      help: 'raise the limit, or set oversize_group: allow',
      exit: 4,
    })
  }
}

interface Group {
  readonly key: string | undefined
  records: number
  bytes: number
  reported: boolean
}

function groupKey(value: Value | undefined): string {
  const key = keyOf(value ?? null)
  return key === undefined ? `json ${jsonText(value ?? null)}` : `${typeof key} ${key}`
}

type OutputFile = PendingFile | StreamFile | SampleFile

async function openFile(output: PlannedOutput, run: OutputRun, file: string): Promise<OutputFile> {
  if (run.sample) return new SampleFile(file)
  if (file === standardStream) return new StreamFile(file, run.stdout)
  const target = await chosenPath(output, run, file)
  return run.publication.open(path.resolve(run.base, target), target)
}

/** The path, or by `if_exists` another one that is free. */
async function chosenPath(output: PlannedOutput, { base, force }: OutputRun, file: string): Promise<string> {
  const { if_exists, unique_suffix_width, label } = output
  const folder = path.dirname(path.resolve(base, file))
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    throw ioError(file, `there is no folder "${path.dirname(file)}"`)
  }
  const exists = async (name: string): Promise<boolean> =>
    lstat(path.resolve(base, name)).then(
      () => true,
      () => false,
    )
  if (if_exists === 'overwrite' || !(await exists(file))) return file
  if (if_exists === 'error') {
    if (force) return file
    throw new ClinkerError('E000', {
      message: `"${file}" exists already, and if_exists is \`error\``,
      node: label,
      help: 'remove it, or run with --force',
      exit: 1,
    })
  }
  const { dir, name, ext } = path.parse(file)
  for (let number = 1; ; number++) {
    const free = path.join(dir, `${name}-${String(number).padStart(unique_suffix_width, '0')}${ext}`)
    if (!(await exists(free))) return free
  }
}

/** One file and the writer of its format. */
class Part {
  readonly #output: PlannedOutput
  readonly #run: OutputRun
  readonly #file: OutputFile
  readonly #writer: FormatWriter
  /** By shape: writers that only tell how long a record is. */
  readonly #measures = new Map<unknown, FormatWriter>()
  #ended = false
  records = 0
  /** Bytes that are known to be in it, as far as a limit looks at them. */
  bytes = 0

  constructor(
    output: PlannedOutput,
    run: OutputRun,
    file: OutputFile,
    header: Header | undefined,
    include_header: boolean,
  ) {
    this.#output = output
    this.#run = run
    this.#file = file
    const rewritable = file instanceof PendingFile && !file.direct
    this.#writer = output.format.stringify(output, this.#writerContext({ header, include_header, rewritable }))
    if (include_header && output.split?.max_bytes !== undefined) this.bytes = headerLength(header)
  }

  async write(batch: Row[], bytes = 0): Promise<void> {
    this.records += batch.length
    this.bytes += bytes
    await this.#add(this.#writer.process(batch))
  }

  async rest(): Promise<void> {
    if (this.#file instanceof PendingFile) await this.#file.rest()
  }

  async end(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    await this.#add(this.#writer.finish())
    const revision = this.#writer.revision?.()
    if (revision && this.#file instanceof PendingFile) await this.#file.rewrite(revision)
    await this.#file.end()
    if (this.#output.write_meta && this.#file instanceof PendingFile) await this.#writeMeta()
    await this.#writer.release()
  }

  async release(): Promise<void> {
    this.#ended = true
    await this.#writer.release()
  }

  get sample(): SampleFile | undefined {
    return this.#file instanceof SampleFile ? this.#file : undefined
  }

  written(): WrittenFile {
    const { target, bytes } = this.#file
    return { node: this.#output.name, path: target, records: this.records, bytes }
  }

  async #add(texts: Results<string | Uint8Array>): Promise<void> {
    for (const text of texts as Iterable<string | Uint8Array>) await this.#file.add(text)
  }

  /** Bytes a record takes in the file. */
  measure(record: Row): number {
    const shape = shapeOf(record)
    let measure = this.#measures.get(shape)
    if (!measure) {
      // Each shape has a writer of its own, so none of them meets a column it does not know.
      measure = this.#output.format.stringify(
        withFirstHeader(this.#output),
        this.#writerContext({ header: undefined, include_header: false, rewritable: false }),
      )
      this.#measures.set(shape, measure)
    }
    let bytes = 0
    for (const text of measure.process([record]) as Iterable<string>) bytes += Buffer.byteLength(text)
    return bytes
  }

  #writerContext(file: Pick<WriterContext, 'header' | 'include_header' | 'rewritable'>): WriterContext {
    const { run } = this.#run
    const { budget, folder } = run
    const report = run.on_error === 'continue' ? (letter: DeadLetter) => run.report(letter) : undefined
    return { name: this.#output.name, budget, folder, report, ...file }
  }

  /** The sidecar: what the file holds and which run wrote it. */
  async #writeMeta(): Promise<void> {
    const { base, publication, tokens } = this.#run
    const written = this.written()
    const target = `${written.path}.meta.json`
    const meta = await publication.open(path.resolve(base, target), target)
    const { execution_id, batch_id, pipeline_hash } = tokens
    const columns = this.#output.columns.map(({ name, type }) => ({ name, type: type.toString() }))
    const { records, bytes } = written
    const content = { output: this.#output.name, execution_id, batch_id, pipeline_hash, records, bytes, columns }
    await meta.add(`${JSON.stringify(content, undefined, 2)}\n`)
    await meta.end()
  }
}

/** Bytes of a header as far as it is known. */
function headerLength(header: Header | undefined): number {
  return (header?.names ?? []).reduce((sum, name) => sum + Buffer.byteLength(name) + 1, 0)
}

function withFirstHeader(output: PlannedOutput): PlannedOutput {
  return {
    ...output,
    header: 'first',
    options: { ...output.options, ...(output.format.hasHeader ? { header: 'first' } : {}) },
  }
}
