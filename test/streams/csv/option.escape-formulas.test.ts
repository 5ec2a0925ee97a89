import { expect, test } from 'vitest'
import { records } from '../records.ts'
import { write } from './support.ts'

const cells = ['=1+1', '+1', '-1', '@a', '\tx', '\rx', 'a=1', ' =1', '', "'"]

test('texts that a spreadsheet would run get a quote mark before them', async () => {
  expect(
    await write(
      cells.map((s) => ({ s, x: 1 })),
      { escape_formulas: true },
    ),
  ).toBe("s,x\n'=1+1,1\n'+1,1\n'-1,1\n'@a,1\n'\tx,1\n\"'\rx\",1\na=1,1\n =1,1\n,1\n',1\n")
})

test('numbers and names stay', async () => {
  const rows = records({ '=n': 'int', f: 'float' }, [[-5, -0.5]])
  expect(await write(rows, { escape_formulas: true })).toBe('=n,f\n-5,-0.5\n')
})

test('off by default', async () => {
  expect(await write([{ s: '=1+1', x: 1 }])).toBe('s,x\n=1+1,1\n')
})
