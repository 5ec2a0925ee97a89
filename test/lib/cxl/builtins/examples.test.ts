import { describe, expect, test } from 'vitest'
import { builtins, describeBuiltins, exampleRecord, functions } from '../../../../lib/cxl/builtins/index.ts'
import { evaluate, plain } from './evaluate.ts'

describe.each(['generated', 'closures'] as const)('examples, %s', (backend) => {
  const all = describeBuiltins().flatMap(({ name, receiver, examples }) =>
    Object.entries(examples).map(([program, expected]) => ({ name, receiver, program, expected })),
  )
  test.each(all)('$program', ({ program, expected }) => {
    if (typeof expected === 'string' && expected.startsWith('error: ')) {
      expect(() => evaluate(program, exampleRecord, backend)).toThrow(expected.slice('error: '.length))
    } else expect(plain(evaluate(program, exampleRecord, backend))).toEqual(expected)
  })
})

describe('entries', () => {
  const all = [...builtins.values(), [...functions.values()]].flat()

  test.each(all)('$name of $receivers has a documentation and examples that call it', ({ name, entry }) => {
    expect(entry.doc).toMatch(/^[A-Z`].*\.$/)
    expect(entry.doc.length).toBeLessThan(320)
    const programs = Object.keys(entry.examples)
    expect(programs.length).toBeGreaterThan(0)
    for (const program of programs) expect(program).toContain(`${name}(`)
  })

  test('cover the methods of the language', () => {
    const names = `upper lower trim trim_start trim_end starts_with ends_with contains replace substring left right pad_left pad_right
      repeat reverse length split join concat format matches find capture abs ceil floor round round_to clamp min max year month day hour
      minute second add_days add_months add_years diff_days diff_months diff_years format_date to_int to_float to_decimal to_string to_bool
      to_date to_datetime try_int try_float try_decimal try_bool try_date try_datetime type_of is_null is_empty catch debug file_name
      file_stem extension parent parent_name filter map any flat_map remove keys values merge set unset remove_field`
    expect([...builtins.keys()].sort()).toEqual(names.split(/\s+/).sort())
  })

  test('of one name have receivers that exclude each other', () => {
    for (const overloads of builtins.values()) {
      const receivers = overloads.flatMap((builtin) => builtin.receivers)
      expect(new Set(receivers).size).toBe(receivers.length)
    }
  })
})
