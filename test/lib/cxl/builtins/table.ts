import { expect, test } from 'vitest'
import type { Row } from '../../../../lib/record/value.ts'
import { evaluate, plain } from './evaluate.ts'

/** One test per line, on both back ends: a program over `row`, and its result as {@link plain} writes it. */
export function results(row: Row, table: readonly (readonly [program: string, expected: unknown])[]): void {
  test.each(table)('%s', (program, expected) => {
    expect(plain(evaluate(program, row, 'generated'))).toEqual(expected)
    expect(plain(evaluate(program, row, 'closures'))).toEqual(expected)
  })
}

/** One test per line, on both back ends: a program over `row`, and the message of its failure. */
export function failures(row: Row, table: readonly (readonly [program: string, message: string])[]): void {
  test.each(table)('%s', (program, message) => {
    expect(() => evaluate(program, row, 'generated')).toThrow(message)
    expect(() => evaluate(program, row, 'closures')).toThrow(message)
  })
}
