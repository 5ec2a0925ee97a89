import { describe, expect, test } from 'vitest'
import { ClinkerError, ClinkerErrors } from '../../../lib/diagnostics/index.ts'

const text = `pipeline: { name: intake }
nodes:
  - type: reshape
    name: backfill
    input: plans
    config:
      order_by: [{ field: plan_start }]
      rules: []
      partition_by: [employe_id]
`

test('shows code, node, what is wrong, where, and how to mend it', () => {
  const error = new ClinkerError('E200', {
    node: 'reshape "backfill"',
    message: 'partition_by names `employe_id`, which is not a column of "plans"',
    place: { file: 'pipeline.yaml', line: 9, column: 22, length: 10, text },
    help: 'did you mean `employee_id`?',
  })
  expect(error.format()).toBe(
    `E200: reshape "backfill": partition_by names \`employe_id\`, which is not a column of "plans"
  pipeline.yaml:9:22
  9 |       partition_by: [employe_id]
    |                      ^^^^^^^^^^
  did you mean \`employee_id\`?`,
  )
})

test('has fields for programs and one line for people', () => {
  const cause = new Error('why')
  const place = { line: 1, column: 2 }
  const error = new ClinkerError('E126', { message: 'no int', place, help: 'h', expected: 'int', actual: 'x', cause })
  expect(error).toBeInstanceOf(Error)
  expect({ ...error }).toEqual({
    name: 'ClinkerError',
    code: 'E126',
    reason: 'no int',
    node: undefined,
    place,
    help: 'h',
    expected: 'int',
    actual: 'x',
    exit: 4,
  })
  expect([error.message, error.cause]).toEqual(['E126: no int', cause])
  expect(`${error}`).toBe('ClinkerError: E126: no int')
  expect(error.format()).toBe('E126: no int\n  <inline>:1:2\n  h')
})

test('the exit status is that of the code, unless the error says otherwise', () => {
  expect(new ClinkerError('E200', { message: '' }).exit).toBe(1)
  expect(new ClinkerError('E216', { message: '' }).exit).toBe(4)
  expect(new ClinkerError('E368', { message: '' }).exit).toBe(3)
  expect(new ClinkerError('E315', { message: '', exit: 3 }).exit).toBe(3)
  expect(new ClinkerError('NoSuchCode', { message: '' }).exit).toBe(1)
})

describe('several errors', () => {
  const first = new ClinkerError('E216', { node: 'source "a"', message: 'no file', help: 'look again' })
  const second = new ClinkerError('E203', { node: 'transform "b"', message: 'unknown field `x`' })

  test('are one error with the fields of the first', () => {
    const errors = new ClinkerErrors([first, second])
    expect(errors).toBeInstanceOf(ClinkerError)
    expect([errors.code, errors.node, errors.help, errors.exit]).toEqual(['E216', 'source "a"', 'look again', 4])
    expect(errors.errors).toEqual([first, second])
    expect(errors.message).toBe('E216: source "a": no file\nE203: transform "b": unknown field `x`')
  })

  test('are shown one after another', () => {
    expect(new ClinkerErrors([first, second]).format()).toBe(
      'E216: source "a": no file\n  look again\nE203: transform "b": unknown field `x`',
    )
  })

  test('there is at least one', () => {
    expect(() => new ClinkerErrors([])).toThrow(new RangeError('ClinkerErrors needs at least one error'))
  })
})
