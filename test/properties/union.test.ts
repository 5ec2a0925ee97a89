import { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folderWith, said, type TestFolder } from '../runner/folder.ts'

const cell = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.constantFrom('', 'x', '"', '""', '\n', '"\n\n"', ',', 'é', '𝕏'),
  fc.string({ maxLength: 6 }),
)

/** Records, of which some carry columns that those before them did not have. */
const records = fc.array(fc.record({ a: cell, b: cell, c: cell, 'more, "quoted"': cell }, { requiredKeys: ['a'] }), {
  maxLength: 12,
})

const schema = fc.constantFrom(
  '{ name: a, type: { nullable: string } }',
  '{ name: a, type: { nullable: string } }, { name: z, type: { nullable: string } }',
)

/** What a run gives to standard output. */
async function written(folder: TestFolder, columns: string, config: string): Promise<string> {
  let text = ''
  const stdout = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  const source = `{ type: source, name: s, config: { type: json, glob: "in*.json", schema: [${columns}] } }`
  const output = `{ type: output, name: o, input: s, config: { type: csv, ${config} } }`
  const result = await folder.run(`{ pipeline: { name: union }, nodes: [${source}, ${output}] }`, { stdout })
  expect(said(result)).toBe('')
  return text
}

const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

test('a file that is written at once and mended in the end has the bytes that standard output waits for', async () => {
  await using folder = await folderWith()
  await fc.assert(
    fc.asyncProperty(records, schema, fc.boolean(), fc.boolean(), async (rows, columns, header, bare) => {
      await folder.write('in.json', lines(rows))
      // Without its declared columns a record may have none, or only later ones.
      const config = `include_header: ${header}, exclude: [${bare ? 'a, z' : ''}]`
      const right = await written(folder, columns, `path: "-", ${config}`)
      expect(await written(folder, columns, `path: out.csv, ${config}`)).toBe('')
      expect(await folder.read('out.csv')).toBe(right)
      expect(await folder.names()).toEqual(['in.json', 'out.csv'])
    }),
  )
})

test('files that share a header are the parts of one file with all records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(records, { minLength: 1, maxLength: 6 }), schema, async (files, columns) => {
      await using folder = await folderWith()
      for (const [index, rows] of files.entries()) await folder.write(`in${index + 10}.json`, lines(rows))
      const right = await written(folder, columns, 'path: "-", include_header: false')
      await written(folder, columns, 'path: "{source_file}.csv", include_header: false')
      await written(folder, columns, 'path: out.csv, split: { max_records: 2 }, include_header: false')
      const joined = async (start: string): Promise<string> => {
        const names = (await folder.names()).filter((name) => name.startsWith(start) && name.endsWith('.csv'))
        return (await Promise.all(names.map((name) => folder.read(name)))).join('')
      }
      expect(await joined('in')).toBe(right)
      expect(await joined('out')).toBe(right)
    }),
  )
})
