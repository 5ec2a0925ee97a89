import type { BuiltinEntry } from './builtin.ts'

/** Methods of strings that hold a POSIX path; taken by component, so `a//b/.` is `a/b`. */
export const pathMethods: Readonly<Record<string, BuiltinEntry>> = {
  file_name: {
    signature: '() -> string?',
    doc: 'The last component of the path; null where that is `..`, and for `/` and the empty text.',
    examples: { "'/in/june/a.tar.gz'.file_name()": 'a.tar.gz', "'/in/'.file_name()": 'in', "'a/..'.file_name()": null },
    run: (path: string) => fileName(path),
  },
  file_stem: {
    signature: '() -> string?',
    doc: 'The file name up to its last dot; a dot at the start does not count.',
    examples: { "'a/report.tar.gz'.file_stem()": 'report.tar', "'.env'.file_stem()": '.env' },
    run: (path: string) => {
      const name = fileName(path)
      return name === null ? null : name.slice(0, dotOf(name) ?? name.length)
    },
  },
  extension: {
    signature: '() -> string?',
    doc: 'What follows the last dot of the file name, null without one; a dot at the start does not count.',
    examples: { "'a/report.tar.gz'.extension()": 'gz', "'.env'.extension()": null, "'a.'.extension()": '' },
    run: (path: string) => {
      const name = fileName(path)
      const dot = name === null ? undefined : dotOf(name)
      return name === null || dot === undefined ? null : name.slice(dot + 1)
    },
  },
  parent: {
    signature: '() -> string?',
    doc: 'The path without its last component: empty for a bare name, null for `/` and the empty text.',
    examples: { "'/in/june/a.csv'.parent()": '/in/june', "'a.csv'.parent()": '', "'/'.parent()": null },
    run: (path: string) => parentOf(path),
  },
  parent_name: {
    signature: '() -> string?',
    doc: 'The file name of the parent; null where there is none.',
    examples: { "'/in/june/a.csv'.parent_name()": 'june', "'/a.csv'.parent_name()": null },
    run: (path: string) => {
      const parent = parentOf(path)
      return parent === null ? null : fileName(parent)
    },
  },
}

/** Where the last component of `path` begins and ends; undefined for `/` and the empty path. */
function lastComponent(path: string): readonly [start: number, end: number] | undefined {
  let end = path.length
  for (;;) {
    while (end > 0 && path[end - 1] === '/') end--
    if (end === 0) return undefined
    const start = path.lastIndexOf('/', end - 1) + 1
    // Only a `.` that opens the path is a component.
    if (start === 0 || path.slice(start, end) !== '.') return [start, end]
    end = start
  }
}

function fileName(path: string): string | null {
  const last = lastComponent(path)
  if (!last) return null
  const name = path.slice(...last)
  return name === '.' || name === '..' ? null : name
}

function parentOf(path: string): string | null {
  const last = lastComponent(path)
  if (!last) return null
  const before = path.slice(0, last[0])
  const parent = lastComponent(before)
  if (parent) return before.slice(0, parent[1])
  return before === '' ? '' : '/'
}

/** Place of the dot before the extension. */
function dotOf(name: string): number | undefined {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? dot : undefined
}
