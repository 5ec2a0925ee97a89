import type { CodeEntry } from '../../lib/diagnostics/index.ts'

/** All there is to say about a diagnostic code. */
export function codePage(entry: CodeEntry): string {
  const { code, title, severity, category, status, exit } = entry
  return [
    `${code}: ${title}`,
    '',
    `severity: ${severity}`,
    `category: ${category}`,
    `status: ${status}`,
    `exit: ${exit}`,
    '',
    entry.explanation,
    '',
    'Example',
    ...entry.example
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    '',
    'Fix',
    `  ${entry.fix}`,
    '',
  ].join('\n')
}

/** One line for each code. */
export function codeList(entries: readonly CodeEntry[]): string {
  const width = (value: (entry: CodeEntry) => string): number =>
    Math.max(0, ...entries.map((entry) => value(entry).length))
  const codeWidth = width((entry) => entry.code)
  const categoryWidth = width((entry) => entry.category)
  return entries
    .map((entry) => `${entry.code.padEnd(codeWidth)}  ${entry.category.padEnd(categoryWidth)}  ${entry.title}\n`)
    .join('')
}
