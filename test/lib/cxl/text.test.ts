import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileTransform, formatProgram } from '../../../lib/cxl/engine.ts'
import { parseProgram } from '../../../lib/cxl/parser.ts'
import { ClinkerError } from '../../../lib/diagnostics/error.ts'
import { scopeOf } from './support.ts'

const runs = Number(process.env.CXL_RUNS ?? 300)

const words = [
  'let',
  'emit',
  'if',
  'then',
  'else',
  'and',
  'or',
  'not',
  'match',
  'use',
  'as',
  'fn',
  'trace',
  'null',
  'true',
  'now',
  'it',
  'filter',
  'distinct',
  'by',
  'each',
  'in',
  'outer',
  'info',
  'warn',
  '_',
  'a',
  'b',
  'xs',
  's',
  'concat',
  '$source',
  '$doc',
  '$record',
  '.',
  ',',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '=',
  '=>',
  '==',
  '<',
  '??',
  '+',
  '-',
  '*',
  '/',
  '%',
  '::',
  '0',
  '12',
  '2.5',
  '9223372036854775808',
  '"t"',
  "'u",
  '#2024-02-29#',
  '#',
  '# note',
  '#1',
  '&&',
  '!',
  ';',
  '\n',
  '\n\n',
  '\r\n',
  '\t',
  '$',
  '\\',
  '\u2028',
  'emit r = a',
  'let k = ',
  'emit each x in xs {',
  '.trim()',
  '.map(it => it)',
  ' a + b',
  'if a then b else s',
  'match a { 1 => 2, _ => 3 }',
]

const soup = fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' '))

/** A tree without places. */
function bare(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(bare)
  if (typeof node !== 'object' || node === null || Object.getPrototypeOf(node) !== Object.prototype) return node
  const entries = Object.entries(node).filter(([key]) => !['start', 'end', 'nameSpan', 'text'].includes(key))
  return Object.fromEntries(entries.map(([key, value]) => [key, bare(value)]))
}

function parsed(text: string): { statements: unknown; comments: string[] } {
  const { statements, comments } = parseProgram({ text }, [])
  return { statements: bare(statements), comments: comments.map((comment) => comment.text.trimEnd()) }
}

describe('any text', { timeout: 600_000 }, () => {
  test.each([
    ['of words', soup],
    ['of characters', fc.string({ unit: 'grapheme', maxLength: 40 })],
  ])('%s compiles or is refused', (_, texts) => {
    const scope = scopeOf({ a: 'int', b: 'nullable(float)', s: 'string', xs: 'array' })
    fc.assert(
      fc.property(texts, (text) => {
        try {
          compileTransform(text, scope)
        } catch (error) {
          expect(error).toBeInstanceOf(ClinkerError)
        }
      }),
      { numRuns: runs },
    )
  })

  test('formatted, keeps its statements and comments, and is formatted', () => {
    const line = fc.constantFrom(
      'emit r = a',
      'let k = a + b',
      'filter (a == b)',
      'distinct by a',
      'a ?? b',
      '# note',
      '',
      '  ',
      'emit q = if a then b',
      'emit q = a\n  # inside\n  + b',
      'emit q = match a {\n 1 => 2 # one\n _ => 3 }',
      'trace warn if a then (b)',
      'emit z = a\n\n  ?? b',
      'emit each x in xs { emit r = x }',
      'emit each x in xs outer { # why\n',
      '}',
      'emit each x in # odd\n xs {',
      '} # end',
      'emit r = -(a)',
      '(a)',
      '-a',
      'emit r = a # behind',
      'emit r = (a # in\n + b)',
      'trace (-a)',
      'trace info',
      'trace (info(a))',
    )
    const texts = fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\n\n\n', ' ')), { maxLength: 10 })
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.map((part) => part.join('')).join('')
        let once: string
        try {
          once = formatProgram(text)
        } catch (error) {
          expect(error).toBeInstanceOf(ClinkerError)
          return
        }
        expect(formatProgram(once)).toBe(once)
        expect(parsed(once)).toStrictEqual(parsed(text))
      }),
      { numRuns: runs },
    )
  })
})
