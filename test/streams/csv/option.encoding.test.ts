import { describe, expect, test } from 'vitest'
import { read, refused } from './support.ts'

describe('utf-8', () => {
  test('reads characters of every length, cut anywhere', async () => {
    const bytes = Buffer.from('näme,日本\nZoë,😀\n')
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual([{ näme: 'Zoë', 日本: '😀' }])
    }
  })

  test.each([
    ['a byte that begins nothing', [0x80]],
    ['a Latin-1 letter', [0xe9]],
    ['a character cut short', [0xe2, 0x82]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character that is too long', [0xc0, 0xaf]],
    ['a character beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('refuses %s, wherever the file is cut', async (_, bad) => {
    const csv = Buffer.concat([Buffer.from('id,note\n1,"ök\n"\n2,caf'), Buffer.from(bad), Buffer.from('\n')])
    for (let cut = 0; cut <= csv.length; cut++) {
      expect(await refused([csv.subarray(0, cut), csv.subarray(cut)], { file: 'in.csv' })).toBe(
        'FormatFailure: source "csv": in.csv, line 4: the bytes are not valid UTF-8\n  in.csv:4:1\n  when the file is in Latin-1, say so by `encoding: latin1`',
      )
    }
  })

  test('refuses a character that the end of the file cuts off', async () => {
    expect(await refused([Buffer.from('a\nx'), Buffer.from([0xc3])])).toBe(
      'FormatFailure: source "csv": line 2: the bytes are not valid UTF-8\n  when the file is in Latin-1, say so by `encoding: latin1`',
    )
  })
})

describe('iso-8859-1', () => {
  test.each(['iso-8859-1', 'ISO-8859-1', 'latin1', 'Latin-1'])('is also written %s', async (encoding) => {
    expect(await read([Buffer.from('größe\ncafé £5\n', 'latin1')], { encoding })).toEqual([{ größe: 'café £5' }])
  })

  test('is not Windows-1252: each byte is the character of its number', async () => {
    expect(await read([Buffer.from([0x61, 0x0a, 0x80, 0x93, 0xff])], { encoding: 'latin1' })).toEqual([
      { a: '\x80\x93\xff' },
    ])
  })
})

test.each(['utf8', 'UTF-8'])('utf-8 is also written %s', async (encoding) => {
  expect(await read('ä\nö\n', { encoding })).toEqual([{ ä: 'ö' }])
})

test('another encoding is refused', async () => {
  expect(await refused('', { encoding: 'koi8-r' })).toBe(
    'E000: source "csv": encoding must be `utf-8` or `iso-8859-1` (`latin-1`), got "koi8-r"',
  )
})
