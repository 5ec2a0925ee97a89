import { expect, test } from 'vitest'
import { closestMatch } from '../../../lib/diagnostics/index.ts'

test('is the nearest candidate', () => {
  expect(closestMatch('employe_id', ['employer', 'employee_id', 'id'])).toBe('employee_id')
})

test('is at most three edits away', () => {
  expect(closestMatch('abcdef', ['abcxyz'])).toBe('abcxyz')
  expect(closestMatch('abcdef', ['abwxyz'])).toBeUndefined()
  expect(closestMatch('amount', [])).toBeUndefined()
})

test('is the first of several that are equally near', () => {
  expect(closestMatch('cat', ['cap', 'car', 'bat'])).toBe('cap')
  expect(closestMatch('cat', new Set(['xxt', 'car']))).toBe('car')
})
