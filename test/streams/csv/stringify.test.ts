import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import { ClinkerError } from '../../../lib/diagnostics/index.ts'
import { boxFloat } from '../../../lib/record/float.ts'
import { parse, stringify } from '../../../streams/csv/index.ts'
import { notWritten, write } from './support.ts'

describe('text forms', () => {
  test('of values of every type', async () => {
    const schema = {
      i: 'int',
      f: 'float',
      d: 'decimal',
      b: 'bool',
      s: 'string',
      day: 'date',
      at: 'date_time',
      n: 'nullable(int)',
    }
    const csv =
      'i,f,d,b,s,day,at,n\n' +
      '-12,2,7.50,true,x,2024-07-05,2024-07-05T08:09:10,\n' +
      '9007199254740993,0.000000001,3.00,false,,0999-01-01,2024-07-05T08:09:10.120,4\n'
    const parser = parse({ schema })
    parser.end(csv)
    expect(await write(await parser.toArray())).toBe(csv)
  })

  test('of numbers: never an exponent, no .0', async () => {
    const numbers = [0, -0, 2, 1e-7, 1e21, -1.5e-9, 123456789.125, 5e-324, 2n ** 60n, boxFloat(3)]
    expect(await write(numbers.map((n) => ({ n, x: '' })))).toBe(
      [
        'n,x',
        '0,',
        '-0,',
        '2,',
        '0.0000001,',
        '1000000000000000000000,',
        '-0.0000000015,',
        '123456789.125,',
        `0.${'0'.repeat(323)}5,`,
        '1152921504606846976,',
        '3,',
        '',
      ].join('\n'),
    )
  })

  test('of what other code puts into a record', async () => {
    const odd = [undefined, null, new Date(Date.UTC(2024, 1, 29, 1, 2, 3)), {}, []]
    expect(await write(odd.map((value) => ({ value, x: 1 })))).toBe('value,x\n,1\n,1\n2024-02-29T01:02:03,1\n,1\n,1\n')
  })
})

describe('quoting', () => {
  test('of cells that hold the delimiter, a quote or a line end, and no others', async () => {
    const texts = [
      'a,b',
      'q"q',
      ' lead',
      'trail ',
      'l\nf',
      'c\rr',
      'c\r\nlf',
      '',
      '#hash',
      "'single'",
      'a;b',
      'tab\there',
      '"',
    ]
    expect(await write(texts.map((s, id) => ({ id, s })))).toBe(
      'id,s\n0,"a,b"\n1,"q""q"\n2, lead\n3,trail \n4,"l\nf"\n5,"c\rr"\n6,"c\r\nlf"\n7,\n8,#hash\n9,\'single\'\n10,a;b\n11,tab\there\n12,""""\n',
    )
  })

  test('of long texts', async () => {
    const long = 'text '.repeat(20)
    expect(await write([{ a: long, b: `${long},` }])).toBe(`a,b\n${long},"${long},"\n`)
  })

  test('of names', async () => {
    expect(await write([{ id: 1, 'size, cm': 5, 'the "best"': 'x' }])).toBe('id,"size, cm","the ""best"""\n1,5,x\n')
  })

  test('of the one cell of a row when it is empty', async () => {
    for (const header of ['first', 'union'] as const) {
      expect(await write([{ n: 1 }, { n: null }, { n: '' }, { n: 3 }], { header })).toBe('n\n1\n""\n""\n3\n')
    }
  })
})

describe('columns', () => {
  test('have their cells under the header, whatever the order in a record', async () => {
    for (const header of ['first', 'union'] as const) {
      expect(await write([{ a: 1, b: 2 }, { b: 4, a: 3 }, { b: 5 }], { header })).toBe('a,b\n1,2\n3,4\n,5\n')
    }
  })

  test('may be named like members of objects, and like numbers', async () => {
    const parser = parse()
    parser.end('__proto__,toString,10,,2\nx,y,z,1,2\n')
    expect(await write(await parser.toArray())).toBe('__proto__,toString,10,,2\nx,y,z,1,2\n')
  })

  test('may be many', async () => {
    const record = Object.fromEntries(Array.from({ length: 5000 }, (_, column) => [`c${column}`, column]))
    const names = Object.keys(record).join()
    const values = Object.values(record).join()
    expect(await write(Array.from({ length: 120 }, () => ({ ...record })))).toBe(
      `${names}\n${`${values}\n`.repeat(120)}`,
    )
  })

  test('are the first record’s, or none, when there is no record', async () => {
    expect(await write([])).toBe('')
    expect(await write([], { header: 'first' })).toBe('')
  })
})

describe('errors', () => {
  test('a map', async () => {
    expect(await notWritten([{ id: 1, box: { w: 1 } }], { name: 'copy' })).toBe(
      'UnserializableMapValue: output "copy": column "box" holds a map, which CSV has no cell for\n' +
        '  leave `include_unmapped` at true, so that its fields are columns of their own, or turn the value into a scalar in CXL',
    )
    expect(await notWritten([{ id: 1, boxes: [{ w: 1 }] }])).toContain(
      'UnserializableMapValue: output "csv": column "boxes"',
    )
  })

  test('an array in an array', async () => {
    expect(await notWritten([{ id: 1, boxes: [[1]] }])).toBe(
      'UnserializableArrayValue: output "csv": column "boxes" holds an array inside an array, which CSV has no cell for\n' +
        '  let `join_values` have `on_conflict: encode_json` for it, or make it flat in CXL',
    )
  })

  test('end the run with status 4', async () => {
    const writer = stringify({ header: 'first' })
    const error = await pipeline(Readable.from([{ a: { b: 1 } }]), writer, async (source) => {
      for await (const _ of source);
    }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ClinkerError)
    expect(error).toMatchObject({ code: 'UnserializableMapValue', exit: 4 })
  })
})
