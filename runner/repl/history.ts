import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'

const most = 1000

/**
 * Lines of earlier sessions, in a file that only its owner can read. A history that cannot be read or written is no history; the
 * session goes on without one.
 */
export class History {
  readonly #file: string | undefined
  /** The lines of earlier sessions, the newest first. */
  readonly lines: readonly string[]

  constructor(file: string | undefined) {
    this.#file = file
    const lines = (attempt(() => (file === undefined ? '' : readFileSync(file, 'utf8'))) ?? '')
      .split('\n')
      .filter((line) => line !== '')
    const kept = lines.slice(-most)
    if (file !== undefined && kept.length < lines.length) {
      attempt(() => writeFileSync(file, `${kept.join('\n')}\n`, { mode: 0o600 }))
    }
    this.lines = kept.reverse()
  }

  add(line: string): void {
    const file = this.#file
    if (file === undefined || line.trim() === '') return
    attempt(() => {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      appendFileSync(file, `${line}\n`, { mode: 0o600 })
    })
  }
}

/** Where the history is: `CXL_HISTORY` (empty for none), else the state folder of the user. */
export function historyFile(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { CXL_HISTORY: own, XDG_STATE_HOME: state, HOME: home = attempt(homedir) } = environment
  if (own !== undefined) return own === '' ? undefined : own
  // A state folder that is not absolute is to be taken as none.
  if (state !== undefined && path.isAbsolute(state)) return path.join(state, 'cxl', 'history')
  return home === undefined || home === '' ? undefined : path.join(home, '.local', 'state', 'cxl', 'history')
}

function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute()
  } catch {
    return undefined
  }
}
