import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { categories, codes, statuses } from '../../../lib/diagnostics/index.ts'

const registry = join('lib', 'diagnostics', 'codes')

/** Codes beyond the reference, for what has none there. */
const ours = [
  'W000',
  'EvaluationFailure',
  'FormatFailure',
  'MultiValueJoinCollision',
  'OutputFailure',
  'UnwritableName',
  'UnwritableValue',
  'ValidationFailure',
]

test('every code of the reference has an entry', () => {
  const reference = `E-SEC-001 E000 E001 E002 E003 E004 E010 E011 E119 E124 E125 E312 E317 E318 E322 E324 W002
    E101 E102 E103 E104 E106 E107 E108 E111 E112 E115 E152 E160 E161 E162 E163 E165 E166 E167 E168 E173 E174 W101 W102
    E150 E150b E150c E150d E150e E15Y E153 E154 E155 E156 E164 E171 E172 E175
    E126 E157 E158 E200 E201 E202 E203 E210 E211 E212 E213 E214 E215 E216 E217 E218 E222 E236 E340 E341 E345 E356 E358
    E360 E361 E363 E366 E368 W307
    E300 E301 E303 E304 E305 E306 E307 E308 E309 E311 E313 E319 E325 E326 E327 W302 W305 W306
    E310 E314 E315 E316 E320 E321 E330 E331 E343 E344 E370 E373 E374 E375
    E346 E347 E350 E351 E352 E353 E354
    E359 E362 E364 E365 E367 W365 W366 SchemaDrift UnserializableMapValue UnserializableArrayValue`.split(/\s+/)
  expect([...codes.keys()].toSorted()).toEqual([...reference, ...ours].toSorted())
})

describe.each([...codes.values()])('$code', (entry) => {
  test('is complete', () => {
    expect(codes.get(entry.code)).toBe(entry)
    expect(categories).toContain(entry.category)
    expect(statuses).toContain(entry.status)
    expect(entry.title).toMatch(/^\S.{4,80}[^.\s]$/)
    expect(entry.explanation).toMatch(/^[^a-z].{20,}\.$/)
    expect(entry.fix).toMatch(/^[A-Z].{5,}[.]$/)
    expect(entry.example.trim()).toBe(entry.example)
    expect(entry.example.length).toBeGreaterThan(10)
  })

  test('has the severity and the exit status its name says', () => {
    const warning = entry.code.startsWith('W')
    expect(entry.severity).toBe(warning ? 'warning' : 'error')
    const exits: Record<string, number> = {
      E126: 4,
      E216: 4,
      E236: 4,
      E316: 3,
      E320: 4,
      E321: 4,
      E345: 4,
      E368: 3,
      EvaluationFailure: 3,
      FormatFailure: 4,
      MultiValueJoinCollision: 4,
      OutputFailure: 4,
      SchemaDrift: 4,
      UnserializableArrayValue: 4,
      UnserializableMapValue: 4,
      UnwritableName: 4,
      UnwritableValue: 4,
      ValidationFailure: 3,
    }
    expect(entry.exit).toBe(warning ? 0 : (exits[entry.code] ?? 1))
  })
})

test('entries are grouped by category', () => {
  const order = [...codes.values()].map(({ category }) => categories.indexOf(category))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('active codes are those that some part reports', () => {
  const reported = new Set<string>()
  for (const folder of ['lib', 'streams', 'runner']) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || join(folder, file).startsWith(registry)) continue
      for (const [, text = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/'([\w-]+)'/g)) reported.add(text)
    }
  }
  const active = [...codes.values()].filter(({ status }) => status === 'active').map(({ code }) => code)
  expect(active).toEqual([...codes.keys()].filter((code) => reported.has(code)))
  expect([...reported].filter((text) => /^[EW]\d\d/.test(text) && !codes.has(text))).toEqual([])
})
