import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileTransform, EvaluationError, evaluateOnce, formatProblem, parseJson } from '../../../lib/cxl/engine.ts'
import { ClinkerError, ClinkerErrors } from '../../../lib/diagnostics/error.ts'
import type { ValueMap } from '../../../lib/record/value.ts'

interface Case {
  id: string
  record?: unknown
  program: string
  check?: boolean
  expect: { output?: unknown; text?: string[]; error?: string; mentions?: string[] }
  /** The line of the file: its numbers keep their digits. */
  line: string
}

const folder = path.join(import.meta.dirname, '../../golden/cxl')

const codes: Record<string, string> = { parse: 'E202', resolve: 'E203', typecheck: 'E200', eval: 'EvaluationFailure' }

function casesOf(file: string): Case[] {
  const lines = readFileSync(path.join(folder, file), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => ({ ...(JSON.parse(line) as Case), line }))
}

/** A part of a case as the file writes it. */
function part(line: string, name: string): ValueMap {
  return ((parseJson(line) as ValueMap)[name] ?? {}) as ValueMap
}

function messageOf(error: unknown): string {
  if (!(error instanceof ClinkerError)) throw error
  const all = error instanceof ClinkerErrors ? error.errors : [error]
  return all.map((one) => formatProblem(one.code, one.reason, one.place, one.help)).join('\n')
}

function run(one: Case, backend: 'generated' | 'closures'): { text?: string; error?: unknown } {
  try {
    if (one.check) {
      compileTransform(one.program, {}, { file: 'program.cxl', backend })
      return {}
    }
    return { text: evaluateOnce(one.program, part(one.line, 'record'), { file: 'program.cxl', backend }).text }
  } catch (error) {
    return { error }
  }
}

describe.each(['generated', 'closures'] as const)('%s code', (backend) => {
  for (const file of readdirSync(folder)) {
    describe(file, () => {
      for (const one of casesOf(file)) {
        test(one.id, () => {
          const { text, error } = run(one, backend)
          if (one.expect.error === undefined) {
            if (error) throw error
            if (one.check) return
            const expected = part(one.line, 'expect').output
            expect(parseJson(text as string)).toEqual(expected)
            // Keys in order, and the form of numbers.
            expect(JSON.stringify(JSON.parse(text as string))).toBe(JSON.stringify(one.expect.output))
            for (const wanted of one.expect.text ?? []) expect(text).toContain(wanted)
            return
          }
          const message = messageOf(error).toLowerCase()
          for (const wanted of one.expect.mentions ?? []) expect(message).toContain(wanted.toLowerCase())
          expect((error as ClinkerError).code).toBe(codes[one.expect.error])
          expect(error instanceof EvaluationError).toBe(one.expect.error === 'eval')
        })
      }
    })
  }
})
