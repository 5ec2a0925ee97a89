import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatProgram } from '../../../../lib/cxl/engine.ts'
import { parseProgram } from '../../../../lib/cxl/parser.ts'
import type { Problem } from '../../../../lib/cxl/problem.ts'
import { statements } from './generated.ts'

/** The statements and the comments of a program, without their places. */
function meaning(text: string): unknown {
  const problems: Problem[] = []
  const program = parseProgram({ text }, problems)
  expect(problems).toStrictEqual([])
  return { statements: placeless(program.statements), comments: program.comments.map((comment) => comment.text.trim()) }
}

function placeless(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(placeless)
  if (typeof node !== 'object' || node === null || Object.getPrototypeOf(node) !== Object.prototype) return node
  const places = ['start', 'end', 'nameSpan']
  const entries = Object.entries(node).filter(([key]) => !places.includes(key))
  return Object.fromEntries(entries.map(([key, value]) => [key, placeless(value)]))
}

const between = fc.constantFrom(
  '\n',
  '\n\n',
  '\n\n \n\n',
  '\r\n',
  '\r',
  ' # a "note\n',
  '\n  # alone\n',
  '\n# one\n\n# two\n',
  '  ',
)
const inside = fc.constantFrom(' ', ' ', '  ', '\n', '\r\n\t', ' # (why\n ')

/** Programs in every layout that the grammar allows. */
const laidOut = fc
  .tuple(fc.array(statements, { minLength: 1, maxLength: 5 }), fc.infiniteStream(between), fc.infiniteStream(inside))
  .map(([all, gaps, blanks]) => {
    let text = ''
    for (const statement of all) {
      // Between brackets, after a comma and around operators a blank may be any number of lines.
      const spread = statement.replace(/(?<=[,({]) ?| (?=[-+*/%=!<>?]+ )(?<! \w+ (?==))/g, (found) => {
        return found === '' ? '' : (blanks.next().value as string)
      })
      const gap = gaps.next().value as string
      const opens = /^(?:emit|let|filter|distinct|trace)\b/.test(spread)
      text += text === '' ? spread : (gap.trim() === '' && !/[\r\n]/.test(gap) && !opens ? '\n' : gap) + spread
    }
    return text
  })
  .filter((text) => {
    const problems: Problem[] = []
    parseProgram({ text }, problems)
    return problems.length === 0
  })

describe('formatting', { timeout: 600_000 }, () => {
  test('keeps the statements, their order and the comments', () => {
    fc.assert(
      fc.property(laidOut, (text) => {
        expect(meaning(formatProgram(text))).toStrictEqual(meaning(text))
      }),
    )
  })

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(laidOut, (text) => {
        const once = formatProgram(text)
        expect(formatProgram(once)).toBe(once)
      }),
    )
  })

  test('leaves no blanks at the ends of lines and one line end at the end', () => {
    fc.assert(
      fc.property(laidOut, (text) => {
        expect(formatProgram(text)).toMatch(/^(?:(?:.*[^ \t\n])?\n)*$/)
      }),
    )
  })
})
