import { describe, expect, test } from 'vitest'
import { folderWith, plantsPipeline, said } from '../folder.ts'

const head =
  '_cxl_dlq_id,_cxl_dlq_timestamp,_cxl_dlq_source_file,_cxl_dlq_source_name,_cxl_dlq_source_row,_cxl_dlq_triggering_field,_cxl_dlq_triggering_value,_cxl_dlq_error_category,_cxl_dlq_error_detail,_cxl_dlq_stage,_cxl_dlq_route,_cxl_dlq_trigger'

const divide = '  - { type: transform, name: t, input: plants, config: { cxl: emit part = 6 / id } }\n'
const handling = (more = ''): string => `error_handling: { strategy: continue, dlq: { path: dead.csv }${more} }\n`

/** The entries of a dead-letter file without ids and times, and with `*` for the detail. */
function entries(text: string | null): string[] {
  const lines = (text ?? '').split('\n').slice(1, -1)
  return lines.map((line) => {
    const cells = line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? []
    return cells.toSpliced(8, 1, '*').slice(2).join(',')
  })
}

describe('the file', () => {
  test('holds the rows as they were read, source by source, by row', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue\n0,red\nx,blue\n3,green\n' })
    const result = await folder.run(plantsPipeline(divide, 't', handling()))
    expect(result).toMatchObject({ exit: 2, complete: true, stats: { records_in: 3, records_out: 1, dead: 2 } })
    const text = await folder.read('dead.csv')
    expect(text?.split('\n', 1)[0]).toBe(`${head},id,hue`)
    expect(entries(text)).toEqual([
      'plants.csv,plants,1,part,,type_coercion_failure,*,transform:t,,true,0,red',
      'plants.csv,plants,2,id,x,type_coercion_failure,*,source,,true,x,blue',
    ])
    expect(text?.split('\n')[1]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12},\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,/,
    )
  })

  test('is not written without an entry', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue\n1,red\n' })
    expect((await folder.run(plantsPipeline(divide, 't', handling()))).exit).toBe(0)
    expect(await folder.names()).toEqual(['out.csv', 'plants.csv'])
  })

  test('takes the alphabetical union of different columns', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue,extra\n0,red,e\nx,blue,f\n' })
    await folder.run(plantsPipeline(divide, 't', handling()))
    const text = await folder.read('dead.csv')
    expect(text?.split('\n', 1)[0]).toBe(`${head},extra,hue,id`)
    expect(entries(text)).toEqual([
      'plants.csv,plants,1,part,,type_coercion_failure,*,transform:t,,true,,red,0',
      'plants.csv,plants,2,id,x,type_coercion_failure,*,source,,true,f,blue,x',
    ])
  })

  test('is the same when its entries do not fit into memory', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `${row % 3 === 0 ? 'x' : row},hue ${row}\n`).join('')
    await using folder = await folderWith({ 'plants.csv': `id,hue\n${rows}` })
    const written = async (memoryLimit: string): Promise<string[]> => {
      const result = await folder.run(plantsPipeline(divide, 't', handling()), { memoryLimit })
      expect(result.exit).toBe(2)
      return entries(await folder.read('dead.csv'))
    }
    expect(await written('256K')).toEqual(await written('512M'))
  })

  test('a source can have one of its own', async () => {
    await using folder = await folderWith({ 'plants.csv': 'id,hue\nx,red\n' })
    const own =
      'error_handling: { strategy: continue, dlq: { path: dead.csv, per_source: { plants: { path: own.csv } } } }\n'
    const result = await folder.run(plantsPipeline('', 'plants', own))
    expect(result.outputs.map(({ path }) => path)).toEqual(['out.csv', 'own.csv'])
    expect(await folder.names()).toEqual(['out.csv', 'own.csv', 'plants.csv'])
  })
})

describe('limits', () => {
  const plants = (bad: number, all: number): string =>
    `id,hue\n${Array.from({ length: all }, (_, row) => `${row < bad ? 'x' : 1},h\n`).join('')}`

  test('under continue a bad cell needs a dlq block', async () => {
    await using folder = await folderWith({ 'plants.csv': plants(1, 2) })
    const result = await folder.run(plantsPipeline('', 'plants', 'error_handling: { strategy: continue }\n'))
    expect(result.exit).toBe(1)
    expect(said(result)).toContain('under `continue` this needs a dlq block')
  })

  test.each([
    [1, 10, 2],
    [2, 10, 3],
  ])('type_error_threshold: %i of %i rows end with %i', async (bad, all, exit) => {
    await using folder = await folderWith({ 'plants.csv': plants(bad, all) })
    const result = await folder.run(plantsPipeline('', 'plants', handling(', type_error_threshold: 0.1')))
    expect(result.exit).toBe(exit)
    if (exit === 3) {
      expect(said(result)).toContain(
        'E368: source "plants": 2 of 10 rows have a bad cell (0.200), type_error_threshold allows 0.1',
      )
      expect(await folder.names()).toEqual(['plants.csv'])
    }
  })

  test('max_rate looks at the first min_records, too', async () => {
    await using folder = await folderWith({ 'plants.csv': plants(30, 1000) })
    const strict = 'error_handling: { strategy: continue, dlq: { path: d.csv, max_rate: 0.2, min_records: 100 } }\n'
    const result = await folder.run(plantsPipeline('', 'plants', strict))
    expect(result.exit).toBe(3)
    expect(said(result)).toContain('E315: 30 of 100 records are dead letters (0.300), max_rate allows 0.2')
  })

  test('--error-threshold allows so many', async () => {
    await using folder = await folderWith({ 'plants.csv': plants(2, 3) })
    expect((await folder.run(plantsPipeline('', 'plants', handling()), { errorThreshold: 2 })).exit).toBe(2)
    const stopped = await folder.run(plantsPipeline('', 'plants', handling()), { errorThreshold: 1 })
    expect(stopped.exit).toBe(3)
    expect(said(stopped)).toContain('2 records have failed, --error-threshold allows 1')
  })
})
