import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run, type RunOptions, type RunResult } from '../../runner/index.ts'

/** A folder of its own for a test: `await using folder = await folderWith({ 'in.csv': 'id\n1\n' })`. */
export class TestFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  file(name: string): string {
    return path.join(this.path, name)
  }

  /** The content of a file; null when there is none. */
  read(name: string): Promise<string | null> {
    return readFile(this.file(name), 'utf8').catch(() => null)
  }

  async write(name: string, content: string | Uint8Array): Promise<void> {
    await mkdir(path.dirname(this.file(name)), { recursive: true })
    await writeFile(this.file(name), content)
  }

  async names(): Promise<string[]> {
    return (await readdir(this.path)).toSorted()
  }

  /** Runs a pipeline whose paths start here. */
  run(text: string, options: RunOptions = {}): Promise<RunResult> {
    return run({ text, file: 'pipeline.yaml' }, { baseDir: this.path, ...options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

export async function folderWith(files: Record<string, string | Uint8Array> = {}): Promise<TestFolder> {
  const folder = new TestFolder(await mkdtemp(path.join(tmpdir(), 'clinker-test-')))
  for (const [name, content] of Object.entries(files)) await folder.write(name, content)
  return folder
}

/** A pipeline from `plants.csv` (id: int, hue: string) through the given nodes to `out.csv`. */
export function plantsPipeline(nodes = '', last = 'plants', more = ''): string {
  return `pipeline: { name: garden }
nodes:
  - type: source
    name: plants
    config:
      type: csv
      path: plants.csv
      schema:
        - { name: id, type: int }
        - { name: hue, type: string }
${nodes}  - type: output
    name: out
    input: ${last}
    config: { type: csv, path: out.csv }
${more}`
}

/** The whole text of every error of a run, as the command prints it. */
export function said(result: RunResult): string {
  return result.errors.map((error) => error.format()).join('\n')
}
