import { describe, expect, test } from 'vitest'
import { Float } from '../../../lib/record/float.ts'
import { read, refusal, through } from './text.ts'

describe('numbers of undeclared columns keep their text', () => {
  test.each([
    '{"a":2,"b":2.0}',
    '{"a":[2,2.0,{"c":2.0}]}',
    '{"a":9007199254740993}',
    '{"a":-9223372036854775808,"b":9223372036854775807}',
    '{"a":9223372036854775808,"b":12345678901234567890123}',
    '{"a":[12345678901234567890123]}',
    '{"a":9007199254740991,"b":9007199254740992}',
    '{"a":0.1,"b":-0.0,"c":1e+16,"d":1.25e-7}',
    '{"a":1000000000000000.0}',
    '{"a":0.30000000000000004}',
  ])('%s', async (line) => {
    expect(await through(`${line}\n`)).toBe(`${line}\n`)
    // Once more behind lines of the same layout, where the code is generated.
    const plain = line.replace(/-?\d[\d.e+-]*/g, '7')
    const many = `${plain}\n`.repeat(10)
    expect(await through(many + line)).toBe(`${many}${line}\n`)
  })

  test.each([
    ['{"a":1e3}', '{"a":1000.0}'],
    ['{"a":-0}', '{"a":0}'],
    ['{"a":1.50}', '{"a":1.5}'],
    ['{"a":1E2}', '{"a":100.0}'],
  ])('%s becomes %s', async (line, written) => {
    expect(await through(line)).toBe(`${written}\n`)
  })

  test('a float with more digits than a double holds becomes a decimal: nothing is rounded', async () => {
    expect(await through('{"a":0.12345678901234567890123,"b":[0.12345678901234567890123]}')).toBe(
      '{"a":"0.12345678901234567890123","b":["0.12345678901234567890123"]}\n',
    )
  })

  test('a number that no type holds is refused', async () => {
    expect(await refusal(() => read('{"a":1e400}'))).toBe(
      'E126: source "json": row=1 column=1 field="a": declared any, got 1e400',
    )
    expect(await refusal(() => read('{"a":{"b":[1.23456789012345678e300]}}'))).toContain('field="a.b": declared any')
  })

  test('in a record, a whole float is a Float and a fraction a number', async () => {
    expect(await read('{"a":2.0,"b":2.5,"c":2,"d":9007199254740993}')).toEqual([
      { a: new Float(2), b: 2.5, c: 2, d: 9007199254740993n },
    ])
  })
})

test.each(['9007199254740990.7', '1.00000000000000001', '4503599627370497.5'])('%s is no int', async (text) => {
  for (const before of [0, 10]) {
    const lines = `${'{"id":1,"x":2}\n'.repeat(before)}{"id":${text},"x":2}`
    expect(await refusal(() => read(lines, { schema: { id: 'int' } }))).toContain(`declared int, got ${text}`)
  }
})

test.each([
  '0.10000000000000001',
  '0.1000000000000001',
  '1.4285714285714286',
  '12.50',
  '1e3',
  '7',
  '12345678901234567890.5',
])('the decimal %s keeps its digits', async (text) => {
  for (const before of [0, 10]) {
    const lines = `${'{"d":1.5,"x":2}\n'.repeat(before)}{"d":${text},"x":2}`
    const records = await read(lines, { schema: { d: 'decimal' } })
    expect(`${records.at(-1)?.d}`).toBe(text === '1e3' ? '1000' : text)
  }
})

test.each([
  '1.0000000000000001',
  '0.99999999999999999',
  '999999999999999.99',
  '1234567890123.4567',
  '28.428571428571427',
])('the undeclared float %s stays one', async (text) => {
  const line = (a: string) => `{"a":${a},"b":[1,"x"],"c":{"d":2}}\n`
  const lines = line('1.5').repeat(10)
  const written = `${Number(text)}`
  expect(await through(lines + line(text))).toBe(lines + line(written.includes('.') ? written : `${written}.0`))
})

describe('numbers of declared columns', () => {
  test.each([
    ['1700000000000000', 1700000000000000],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['1e2', 100],
    ['-0', 0],
    ['12345678901234567e1', 123456789012345670n],
  ])('the int %s', async (text, value) => {
    for (const before of [0, 10]) {
      const records = await read(`${'{"id":1}\n'.repeat(before)}{"id":${text}}`, { schema: { id: 'int' } })
      expect(Object.is(records.at(-1)?.id, value)).toBe(true)
    }
  })

  test.each([
    ['7', 7],
    ['2.0', 2],
    ['9007199254740993', 9007199254740992],
    ['1e300', 1e300],
  ])('the float %s', async (text, value) => {
    for (const before of [0, 10]) {
      const records = await read(`${'{"f":1.5}\n'.repeat(before)}{"f":${text}}`, { schema: { f: 'float' } })
      expect(records.at(-1)?.f).toBe(value)
    }
  })
})
