import { expect, test } from 'vitest'
import { notWritten, write } from './support.ts'

test('without a header line the columns are settled all the same', async () => {
  expect(await write([{ a: 1 }, { a: 2, b: 3 }], { include_header: false })).toBe('1,\n2,3\n')
  expect(await notWritten([{ a: 1 }, { a: 2, b: 3 }], { include_header: false, header: 'first' })).toContain(
    'SchemaDrift: output "csv": a record has the column "b"',
  )
})

test('without a record there is nothing then', async () => {
  expect(await write([], { include_header: false, columns: ['a'] })).toBe('')
})
