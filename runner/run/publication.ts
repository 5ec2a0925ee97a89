import { createHash, randomBytes } from 'node:crypto'
import {
  access,
  constants,
  type FileHandle,
  link,
  lstat,
  open,
  readdir,
  realpath,
  rename,
  unlink,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import type { Revision } from '../../streams/csv/union-rows.ts'

/**
 * The files of a run. Each is written to a hidden sibling; `commit` gives all of them their names at once, `abort` removes them.
 * A sibling carries the machine and process that made it, so that a later run can tell what a killed one left behind.
 */
export class Publication {
  readonly #files: PendingFile[] = []
  readonly #swept = new Set<string>()
  #settled = false
  #aborted = false

  /** Prepares a file that will appear; `target` is what messages call it. A device or a pipe is written to as it is. */
  async open(file: string, target: string): Promise<PendingFile> {
    const final = await realpath(file).catch(() => file)
    const known = await lstat(final).catch(() => undefined)
    if (known?.isDirectory()) throw ioError(target, 'it is a folder')
    const direct = known !== undefined && !known.isFile()
    const folder = path.dirname(final)
    if (!direct) {
      await this.#sweep(folder)
      await access(folder, constants.W_OK).catch((error: unknown) => {
        throw ioError(target, reasonOf(error), error)
      })
    }
    if (this.#aborted) throw new Error('the run has ended')
    const opened = new PendingFile(target, final, direct)
    this.#files.push(opened)
    return opened
  }

  /** Gives every file its name. When one cannot get it, those before it get their old content back. */
  async commit(): Promise<void> {
    const files = this.#files.filter((file) => !file.direct)
    for (const file of this.#files) await file.end()
    const done: { final: string; old: Old }[] = []
    try {
      for (const { pending, final } of files) {
        // A single rename is all or nothing by itself.
        done.push({ final, old: files.length > 1 ? await keepOld(final) : {} })
        await rename(pending, final)
      }
    } catch (error) {
      const failed = done.pop()
      if (failed?.old.backup) await unlink(failed.old.backup).catch(() => undefined)
      for (const { final, old } of done.toReversed()) {
        if (old.backup) await rename(old.backup, final).catch(() => undefined)
        else if (old.absent) await unlink(final).catch(() => undefined)
      }
      throw ioError(failed?.final ?? '', reasonOf(error), error)
    }
    this.#settled = true
    for (const { old } of done) if (old.backup) await unlink(old.backup).catch(() => undefined)
    for (const folder of new Set(files.map((file) => path.dirname(file.final)))) await syncFolder(folder)
  }

  /** Removes every file that has not got its name. */
  async abort(): Promise<void> {
    this.#aborted = true
    if (!this.#settled) for (const file of this.#files) await file.discard()
  }

  /** Removes what killed runs left in a folder. */
  async #sweep(folder: string): Promise<void> {
    if (this.#swept.has(folder)) return
    this.#swept.add(folder)
    for (const name of await readdir(folder).catch(() => [])) {
      const [, machine, process_id] = siblingPattern.exec(name) ?? []
      if (machine !== thisMachine() || isAlive(Number(process_id))) continue
      await unlink(path.join(folder, name)).catch(() => undefined)
    }
  }
}

/** A file that is being written and has no name yet. */
export class PendingFile {
  /** As the pipeline names it. */
  readonly target: string
  readonly final: string
  /** Written straight to its place: a device, a pipe. */
  readonly direct: boolean
  #pending: string
  #handle: FileHandle | undefined
  /** Whether there is something under the pending name. */
  #begun = false
  #ended = false
  #discarded = false
  #gathered: Uint8Array[] = []
  #gatheredLength = 0
  #writing: Promise<void> | undefined
  /** The end, or the writing anew, that is under way. */
  #closing: Promise<void> | undefined
  bytes = 0

  constructor(target: string, final: string, direct: boolean) {
    this.target = target
    this.final = final
    this.direct = direct
    this.#pending = direct ? final : siblingOf(final)
  }

  /** Where it is until it gets its name. */
  get pending(): string {
    return this.#pending
  }

  /** Adds a piece. Wait for the promise before adding the next one. */
  add(piece: string | Uint8Array): Promise<void> | undefined {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    this.#gathered.push(bytes)
    this.#gatheredLength += bytes.length
    return this.#gatheredLength < writtenAtOnce ? undefined : this.#flush()
  }

  /** Holds neither memory nor a descriptor until more is added. */
  async rest(): Promise<void> {
    await this.#flush()
    if (!this.direct) await this.#close()
  }

  /** Writes all of it again, under another hidden name, as `revision` says. Only for a file that is not direct. */
  rewrite(revision: Revision): Promise<void> {
    return (this.#closing = this.#rewrite(revision))
  }

  /** Writes what is left and closes the file, which is on the disk then. */
  async end(): Promise<void> {
    if (this.#ended) return
    await (this.#closing = this.#end())
    this.#ended = true
  }

  /** Gives the file up and removes it. What is being done to it stops soon, with an error. */
  async discard(): Promise<void> {
    this.#discarded = true
    await this.#closing?.catch(() => undefined)
    await this.#close().catch(() => undefined)
    if (!this.direct) await unlink(this.#pending).catch(() => undefined)
  }

  async #end(): Promise<void> {
    await this.#flush()
    await this.#writing
    try {
      const handle = await this.#opened()
      if (!this.direct) await handle.sync()
    } catch (error) {
      throw this.#failure(error)
    } finally {
      await this.#close()
    }
  }

  async #rewrite({ from, head, copy }: Revision): Promise<void> {
    await this.#flush()
    await this.#writing
    const draft = this.#pending
    const handle = await this.#opened().catch((error: unknown) => {
      throw this.#failure(error)
    })
    this.#pending = siblingOf(this.final)
    this.#handle = undefined
    this.#begun = false
    this.bytes = 0
    try {
      await this.add(head)
      const buffer = Buffer.allocUnsafe(readAtOnce)
      for (let at = from; ; ) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at).catch((error: unknown) => {
          throw this.#failure(error)
        })
        if (bytesRead === 0) break
        at += bytesRead
        for (const bytes of copy(buffer.subarray(0, bytesRead))) await this.add(bytes)
        // The next piece is read into the same buffer.
        await this.#flush()
        await this.#writing
      }
    } finally {
      await handle.close()
      await unlink(draft).catch(() => undefined)
    }
  }

  /** Hands on what has gathered; the next pieces gather while it is being written. */
  async #flush(): Promise<void> {
    if (this.#gathered.length === 0) return
    const pieces = this.#gathered
    this.#gathered = []
    this.#gatheredLength = 0
    await this.#writing
    const writing = this.#write(pieces)
    // Whoever adds the next piece meets the error.
    writing.catch(() => undefined)
    this.#writing = writing
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    const bytes = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
    try {
      const handle = await this.#opened()
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten
      this.bytes += bytes.length
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** Opened when there is something to write, so that an output of a thousand files does not hold all of them open. */
  async #opened(): Promise<FileHandle> {
    if (this.#discarded) throw new Error('the run has ended')
    if (!this.#handle) {
      // Modes are left to the umask.
      this.#handle = await open(this.#pending, this.direct ? 'w' : this.#begun ? 'a+' : 'wx+', 0o666)
      this.#begun = true
    }
    return this.#handle
  }

  async #close(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    await this.#handle?.close()
    this.#handle = undefined
  }

  #failure(error: unknown): ClinkerError {
    return ioError(this.target, reasonOf(error), error)
  }
}

/** Standard output, or a stream in its place, as a file. It is never closed. */
export class StreamFile {
  readonly target: string
  readonly #stream: Writable
  bytes = 0

  constructor(target: string, stream: Writable) {
    this.target = target
    this.#stream = stream
  }

  add(piece: string | Uint8Array): Promise<void> {
    this.bytes += Buffer.byteLength(piece)
    return new Promise((resolve, reject) => {
      this.#stream.write(piece, (error) => (error ? reject(streamError(error)) : resolve()))
    })
  }

  async end(): Promise<void> {}
}

/** What a dry run would have written to a file. */
export class SampleFile {
  readonly target: string
  text = ''
  bytes = 0

  constructor(target: string) {
    this.target = target
  }

  add(piece: string | Uint8Array): undefined {
    this.text += typeof piece === 'string' ? piece : Buffer.from(piece).toString()
    this.bytes += Buffer.byteLength(piece)
  }

  async end(): Promise<void> {}
}

/** Bytes that are gathered before they are written in one go. */
const writtenAtOnce = 128 * 1024

/** Bytes that are read at once of a file that is written anew. */
const readAtOnce = 256 * 1024

/** Names of hidden siblings: the file's name, machine, process, a random part. */
const siblingPattern = /^\..+\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.clinker$/

/** File systems allow 255 bytes; the rest of the name needs up to 40. */
const longestStem = 200

function siblingOf(file: string): string {
  let stem = path.basename(file)
  while (Buffer.byteLength(stem) > longestStem) stem = stem.slice(0, -1)
  const name = `.${stem}.${thisMachine()}-${process.pid}-${randomBytes(4).toString('hex')}.clinker`
  return path.join(path.dirname(file), name)
}

let machine: string | undefined

function thisMachine(): string {
  machine ??= createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
  return machine
}

function isAlive(process_id: number): boolean {
  try {
    process.kill(process_id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** What a name stood for before it was given to a new file. */
interface Old {
  /** There was nothing. */
  readonly absent?: boolean
  /** A second name for what was there; file systems without links have none. */
  readonly backup?: string
}

async function keepOld(final: string): Promise<Old> {
  const backup = siblingOf(final)
  try {
    await link(final, backup)
    return { backup }
  } catch (error) {
    return { absent: (error as NodeJS.ErrnoException).code === 'ENOENT' }
  }
}

/** Makes the new names durable where a folder can be opened. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** An I/O failure on a file the user named: exit status 4, in one line. */
export function ioError(file: string, reason: string, cause?: unknown): ClinkerError {
  return new ClinkerError('OutputFailure', { message: `cannot write "${file}": ${reason}`, exit: 4, cause })
}

/** Whether a write failed because whoever reads has gone: no failure of ours. */
export function isClosedPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
}

function streamError(error: Error): Error {
  return isClosedPipe(error) ? error : ioError('standard output', reasonOf(error), error)
}

/** The operating system's reason in words: `no such file or directory (ENOENT)`. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (!code) return message
  return `${message.replace(/^[A-Z]+: /, '').replace(/, .*$/, '')} (${code})`
}
