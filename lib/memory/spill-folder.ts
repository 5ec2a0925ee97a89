import { mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ClinkerError } from '../diagnostics/error.ts'
import { parseSize } from './budget.ts'

/** How a {@link SpillFolder} is limited. */
export interface SpillFolderOptions {
  /** Bytes all spill files may take at once, a number or a size such as `10G`; more is E320. Default: no cap. */
  cap?: number | string
}

/**
 * The private folder (mode 0700) of a run's spill files, made when the first file is. Its name carries machine, process and start time
 * of its owner, so that a later run can remove what a killed one left. `close()` removes everything; so does the end of the process.
 */
export class SpillFolder {
  readonly parent: string
  readonly cap: number
  #path: string | undefined
  #used = 0
  #written = 0
  #files = 0

  constructor(parent: string = tmpdir(), options: SpillFolderOptions = {}) {
    this.parent = parent
    this.cap = options.cap === undefined ? Number.POSITIVE_INFINITY : parseSize(options.cap)
  }

  /** The folder; undefined as long as nothing was spilled, and after `close()`. */
  get path(): string | undefined {
    return this.#path
  }

  /** Bytes the spill files take now. */
  get used(): number {
    return this.#used
  }

  /** Bytes written to spill files so far, those of removed ones included. */
  get written(): number {
    return this.#written
  }

  /** Spill files made so far. */
  get files(): number {
    return this.#files
  }

  /** Makes a new file, open for reading and writing. */
  open(): { path: string; descriptor: number } {
    try {
      this.#path ??= this.#make()
      const path = join(this.#path, `${++this.#files}.spill`)
      return { path, descriptor: openSync(path, 'wx+', 0o600) }
    } catch (cause) {
      throw this.fault(cause)
    }
  }

  /** Counts bytes that are about to be written. */
  grow(bytes: number): void {
    const used = this.#used + bytes
    if (used > this.cap) {
      throw new ClinkerError('E320', {
        message: `spill files would take ${used} bytes, their cap is ${this.cap}`,
        help: 'raise the cap, or raise memory.limit so that less is spilled',
        expected: this.cap,
        actual: used,
        exit: 4,
      })
    }
    this.#used = used
    this.#written += bytes
  }

  /** Counts bytes of a file that was removed. */
  shrink(bytes: number): void {
    this.#used -= bytes
  }

  /** The error of a spill file that cannot be made, written or read. */
  fault(cause: unknown): ClinkerError {
    if (cause instanceof ClinkerError) return cause
    const { code, message } = cause as NodeJS.ErrnoException
    const full = code === undefined ? undefined : fullReasons[code]
    const folder = this.#path ?? this.parent
    return new ClinkerError('E321', {
      message:
        full === undefined
          ? `the spill folder ${folder} cannot be used: ${message.split(',', 1)[0]}`
          : `the spill folder ${folder} is full: ${full} (${code})`,
      help: `${full === undefined ? '' : 'free space there, or '}name another folder with --spill-dir (spill_dir)`,
      actual: folder,
      cause,
      exit: 4,
    })
  }

  /** Removes the folder and all that is in it. It can be used again. */
  close(): void {
    if (this.#path === undefined) return
    removeFolder(this.#path)
    open.delete(this.#path)
    if (open.size === 0) process.off('exit', removeOpenFolders)
    this.#path = undefined
    this.#used = 0
  }

  #make(): string {
    removeStale(this.parent)
    const path = mkdtempSync(join(this.parent, `${prefix()}${process.pid}-${startOf(process.pid) ?? startTime}-`))
    if (open.size === 0) process.on('exit', removeOpenFolders)
    open.add(path)
    return path
  }
}

const fullReasons: Record<string, string> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'a file has reached the size limit of the process',
}

/** The folders of this process. */
const open = new Set<string>()

const startTime = `${Math.floor(performance.timeOrigin)}`

function removeOpenFolders(): void {
  for (const path of open) removeFolder(path)
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Nothing of the run depends on it, and a later run tries again.
  }
}

/** Removes the folders of processes that are gone. Those of other machines or containers that share the parent stay. */
function removeStale(parent: string): void {
  const start = prefix()
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(start) ? /^(\d+)-(\d+)-/.exec(name.slice(start.length)) : null
    if (owner && !isOwnerAlive(Number(owner[1]), owner[2] as string)) removeFolder(join(parent, name))
  }
}

function isOwnerAlive(pid: number, start: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it is there, and another user's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // The number may have gone to another process since.
  const now = startOf(pid)
  return now === undefined || now === start
}

/** When a process was started, in the system's own count; undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program, in parentheses, may hold spaces. proc(5): start time is field 22, the state behind the name is 3.
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Process numbers mean something only inside one machine and one container. */
function prefix(): string {
  let place = hostname()
  try {
    place += readlinkSync('/proc/self/ns/pid')
  } catch {
    // No such thing on this system.
  }
  return `clinker-spill-${crc32(place).toString(16).padStart(8, '0')}-`
}
