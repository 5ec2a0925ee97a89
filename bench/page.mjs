// docs/benchmarks.md holds a section for each benchmark. Each is written by its own run, which leaves the others as they are.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const page = path.join(import.meta.dirname, '..', 'docs', 'benchmarks.md')
const order = ['processes', 'cxl']

/** Replaces the section of this name on the page. */
export async function writeSection(name, text) {
  const before = await readFile(page, 'utf8').catch(() => '')
  const sections = new Map()
  for (const [, known, inside] of before.matchAll(/<!-- (\w+) -->\n(.*?)\n<!-- end -->/gs)) sections.set(known, inside)
  sections.set(name, text.trim())
  const parts = order.filter((known) => sections.has(known)).map((known) => `<!-- ${known} -->\n${sections.get(known)}\n<!-- end -->`)
  await writeFile(page, `# Benchmarks\n\n${parts.join('\n\n')}\n`)
}
