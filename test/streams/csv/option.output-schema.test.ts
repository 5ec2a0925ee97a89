import { expect, test } from 'vitest'
import { Decimal } from '../../../lib/record/decimal.ts'
import { write } from './support.ts'

test('columns that only the schema names follow the known ones', async () => {
  const options = {
    columns: ['station', 'high'],
    schema: { station: 'string', wind: 'string', note: 'string' },
    header: 'first' as const,
  }
  expect(
    await write(
      [
        { station: 'Hoek', high: true },
        { station: 'Ven', high: false, note: 'ice' },
      ],
      options,
    ),
  ).toBe('station,high,wind,note\nHoek,true,,\nVen,false,,ice\n')
})

test('a decimal with more places than its scale is rounded half to even; fewer stay', async () => {
  const schema = [{ name: 'd', type: 'decimal', scale: 1 }]
  const rows = ['0.25', '0.35', '1.04', '7', '-0.05'].map((text) => ({ d: Decimal.parse(text), x: 'x' }))
  expect(await write(rows, { schema })).toBe('d,x\n0.2,x\n0.4,x\n1.0,x\n7,x\n0.0,x\n')
})
