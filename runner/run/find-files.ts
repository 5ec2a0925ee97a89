import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { ClinkerError } from '../../lib/diagnostics/index.ts'
import { compareText } from '../../lib/record/compare.ts'
import { compilePattern, type FileChoice } from '../plan/files.ts'
import { standardStream } from '../plan/paths.ts'
import { reasonOf } from './publication.ts'

/** A file of a source. */
export interface InputFile {
  /** As the pipeline finds it, relative to the base folder, with `/`: what `$source.file` tells. */
  readonly name: string
  /** As the operating system takes it; `-` for standard input. */
  readonly path: string
  /** 0 where it is not known. */
  readonly bytes: number
}

/** The files a source reads, in the order in which it reads them. Throws E216 when there is none, or one is missing. */
export async function findFiles(
  choice: FileChoice,
  node: string,
  base: string,
  warn: (message: string) => void,
): Promise<InputFile[]> {
  const isPattern = choice.kind === 'glob' || choice.kind === 'regex'
  let names = isPattern ? await matching(choice, base) : [...choice.patterns]
  if (choice.exclude.length) {
    const excluded = new Set(await globbed(choice.exclude, base, true))
    names = names.filter((name) => !excluded.has(slashed(name)))
  }
  names = [...new Set(names.map(slashed))].toSorted(compareText)
  if (!names.length) {
    const message = `no file matches the ${choice.kind} "${choice.patterns.join('", "')}"`
    if (choice.on_no_match === 'error') {
      throw new ClinkerError('E216', {
        message,
        node,
        help: 'correct it, or set files.on_no_match to warn or skip',
        actual: choice.patterns,
      })
    }
    if (choice.on_no_match === 'warn') warn(`${node}: ${message}`)
    return []
  }
  const found: (InputFile & { created: number; modified: number })[] = []
  for (const name of names) found.push(await describe(name, node, base))
  if (choice.sort_by !== 'name') {
    const by = choice.sort_by
    found.sort((a, b) => a[by] - b[by])
  }
  if (choice.sort_order === 'desc') found.reverse()
  if (choice.take_first !== undefined) return found.slice(0, choice.take_first)
  if (choice.take_last !== undefined) return choice.take_last === 0 ? [] : found.slice(-choice.take_last)
  return found
}

async function describe(name: string, node: string, base: string) {
  if (name === standardStream) return { name, path: name, bytes: 0, created: 0, modified: 0 }
  const file = path.resolve(base, name)
  const missing = (reason: string, cause?: unknown): ClinkerError =>
    new ClinkerError('E216', {
      message: `cannot read "${name}": ${reason}`,
      node,
      help: 'correct the path; relative paths start at the folder of the pipeline file, or at --base-dir',
      actual: name,
      cause,
    })
  const known = await stat(file).catch((error: unknown) => {
    throw missing(reasonOf(error), error)
  })
  if (known.isDirectory()) throw missing('it is a folder')
  return { name, path: file, bytes: known.size, created: known.birthtimeMs, modified: known.mtimeMs }
}

async function matching(choice: FileChoice, base: string): Promise<string[]> {
  if (choice.kind === 'glob') return globbed(choice.patterns, base, choice.recursive)
  const pattern = compilePattern(choice.patterns[0] as string)
  const names = await readdir(base, { recursive: choice.recursive, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(path.relative(base, path.join(entry.parentPath ?? entry.path, entry.name))))
    .filter((name) => pattern.test(name))
}

async function globbed(patterns: readonly string[], base: string, recursive: boolean): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  return glob([...patterns], {
    cwd: base,
    onlyFiles: true,
    expandDirectories: false,
    absolute: patterns.some((pattern) => path.isAbsolute(pattern)),
    ...(recursive ? {} : { deep: 1 }),
  })
}

function slashed(name: string): string {
  return path.sep === '\\' ? name.replaceAll('\\', '/') : name
}
