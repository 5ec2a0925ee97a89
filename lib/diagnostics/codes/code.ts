/** What a code is about: one file of the registry each. */
export const categories = [
  'configuration',
  'composition',
  'windows',
  'sources',
  'combine',
  'running',
  'envelope',
  'output',
] as const
export type Category = (typeof categories)[number]

/** `active`: reported by this version. `reserved`: has its meaning, but nothing here reports it. */
export const statuses = ['active', 'reserved'] as const
export type Status = (typeof statuses)[number]

export type Severity = 'error' | 'warning'

/** A diagnostic code: all that `clinker explain`, the reference page and the error class know of it. */
export interface CodeEntry {
  readonly code: string
  /** What happened, in a few words. */
  readonly title: string
  readonly category: Category
  /** An error stops the run, a warning does not. */
  readonly severity: Severity
  /** Exit status of a run that ends with it; 0 for a warning. */
  readonly exit: number
  /** When it is reported and why, in a few sentences. */
  readonly explanation: string
  /** Something small that triggers it. */
  readonly example: string
  /** How to mend it. */
  readonly fix: string
  readonly status: Status
}

/** An entry as its file writes it: code and category come from where it stands, the rest has these defaults. */
export interface CodeText {
  title: string
  explanation: string
  example: string
  fix: string
  /** Default: 1, for a warning 0. */
  exit?: number
  /** Default: that of the category. */
  status?: Status
}

/** The entries of one category, by code. `status` is that of entries without one. */
export function category(name: Category, texts: Record<string, CodeText>, status: Status = 'active'): CodeEntry[] {
  return Object.entries(texts).map(([code, text]) => {
    const severity = code.startsWith('W') ? 'warning' : 'error'
    return { code, category: name, severity, exit: severity === 'warning' ? 0 : 1, status, ...text }
  })
}
