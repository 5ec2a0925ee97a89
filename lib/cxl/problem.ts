import { ClinkerError, ClinkerErrors, countCharacters, type Place } from '../diagnostics/index.ts'

/** The steps a program goes through, as messages name them. */
export type Phase = 'parse' | 'resolve' | 'typecheck'

/** A program text and the file it stands in, for messages. */
export interface SourceText {
  readonly text: string
  /** Absent for a text given inline. */
  readonly file?: string
}

/** One fault of a program, found before any data is read. Offsets are those of the text (UTF-16 units). */
export interface Problem {
  readonly phase: Phase
  readonly message: string
  readonly start: number
  readonly end: number
  readonly help?: string
  readonly source: SourceText
  /** Code of the diagnostic, where it is not that of the phase. */
  readonly code?: string
}

const codeOfPhase: Readonly<Record<Phase, string>> = { parse: 'E202', resolve: 'E203', typecheck: 'E200' }

/** A program that was refused. `place` counts from the start of the CXL text. */
export class ProgramError extends ClinkerError {
  readonly phase: Phase

  constructor(problem: Problem) {
    super(problem.code ?? codeOfPhase[problem.phase], {
      message: problem.message,
      place: placeIn(problem.source, problem.start, problem.end),
      ...(problem.help === undefined ? {} : { help: problem.help }),
    })
    this.phase = problem.phase
  }
}

/** Throws the problems as one error; does nothing when there are none. */
export function refuse(problems: readonly Problem[]): void {
  // The body of a module's function is checked for every list of argument types; a fault is told once.
  const known = new Set<string>()
  const distinct = problems.filter(({ message, start, source }) => {
    const key = `${source.file} ${start} ${message}`
    return !known.has(key) && known.add(key)
  })
  const errors = distinct.map((problem) => new ProgramError(problem))
  const [first] = errors
  if (!first) return
  throw errors.length === 1 ? first : new ClinkerErrors(errors)
}

/** Line and column (from 1, in characters) of a stretch of text. The mark stays on one line. */
export function placeIn(source: SourceText, start: number, end: number): Place {
  const { text, file } = source
  let line = 1
  let lineStart = 0
  for (let at = 0; at < start; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) {
      line++
      lineStart = at + 1
    }
  }
  const [marked = ''] = text.slice(start, Math.max(start, end)).split(/[\r\n]/, 1)
  return {
    ...(file === undefined ? {} : { file }),
    line,
    column: countCharacters(text.slice(lineStart, start)) + 1,
    length: Math.max(1, countCharacters(marked)),
    text,
  }
}

/**
 * An error the way the `cxl` command shows it: `error[PHASE]: message`, the place, the line with a mark below it, and the help.
 */
export function formatProblem(phase: string, message: string, place: Place | undefined, help?: string): string {
  const parts = [`error[${phase}]: ${message}`]
  if (place) {
    const lines = (place.text ?? '').split(/\r\n|\r|\n/)
    const number = `${place.line}`
    const margin = ' '.repeat(number.length)
    parts.push(`${margin}--> ${place.file ?? '<inline>'}:${place.line}:${place.column}`)
    const line = lines[place.line - 1]
    if (line !== undefined) {
      // Tabs stay tabs, so that the mark stands below what it marks.
      const before = [...line]
        .slice(0, place.column - 1)
        .join('')
        .replace(/[^\t]/gu, ' ')
      parts.push(`${margin} |`, `${number} | ${line}`, `${margin} | ${before}${'^'.repeat(place.length ?? 1)}`)
    }
    if (help !== undefined) parts.push(`${margin} = help: ${help}`)
  } else if (help !== undefined) parts.push(`help: ${help}`)
  return parts.join('\n')
}
