import { expect, test } from 'vitest'
import { read } from './support.ts'

test('patterns are tried behind the built-in forms: with a time of day for date_time, else for date', async () => {
  const options = {
    schema: { d: 'date', t: 'date_time' },
    date_formats: ['%d.%m.%Y', '%d.%m.%Y %H:%M'],
  }
  expect(JSON.stringify(await read('d,t\n31.12.1999,31.12.1999 23:59\n2024-02-29,2024-02-29T01:02\n', options))).toBe(
    '[{"d":"1999-12-31","t":"1999-12-31T23:59:00"},{"d":"2024-02-29","t":"2024-02-29T01:02:00"}]',
  )
})
