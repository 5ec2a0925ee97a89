import { describe, expect, test } from 'vitest'
import { YamlDocument } from '../../../runner/plan/document.ts'
import { mapKeys } from '../../../lib/record/map.ts'
import type { ValueMap } from '../../../lib/record/value.ts'

/** What stands at the place of a spot in the CXL text under `cxl`: line, column and the rest of the line there. */
function spot(yaml: string, line: number, column: number): string {
  const place = new YamlDocument(yaml).placeInside(['cxl'], { line, column })
  const rest = yaml.split('\n')[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1)
  return `${place?.line}:${place?.column} ${rest}`
}

describe('values', () => {
  test('words of other YAML versions are text', () => {
    expect(new YamlDocument('[n, y, no, yes, on, off]').value).toEqual(['n', 'y', 'no', 'yes', 'on', 'off'])
  })

  test('integers keep all their digits', () => {
    expect(new YamlDocument('[7, 9223372036854775807]').value).toEqual([7, 9223372036854775807n])
  })

  test('keys keep their spelling and their order', () => {
    const { value } = new YamlDocument('{ b: 1, 2024: 2, 1.0: 3, null: 4, 7: 5 }')
    expect(mapKeys(value as ValueMap)).toEqual(['b', '2024', '1.0', 'null', '7'])
  })

  test('names that look like numbers are names', () => {
    expect(new YamlDocument('{ name: 1e3, partition_by: [010, true, "7"], default: 010 }').value).toEqual({
      name: '1e3',
      partition_by: ['010', 'true', '7'],
      default: 10,
    })
  })

  test('a key called __proto__ is a key like any other', () => {
    const { value } = new YamlDocument('{ __proto__: 1 }')
    expect(Object.entries(value as object)).toEqual([['__proto__', 1]])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })

  test('aliases stand for what they name', () => {
    expect(new YamlDocument('a: &x [1, 2]\nb: *x').value).toEqual({ a: [1, 2], b: [1, 2] })
  })
})

describe('faults', () => {
  test('a duplicate key is named where it stands the second time', () => {
    const [error] = new YamlDocument('a: 1\nb:\n  c: 2\n  c: 3\n', 'p.yaml').errors
    expect(error?.format()).toBe(
      ['E000: duplicate key `c` in p.yaml', '  p.yaml:4:3', '  4 |   c: 3', '    |   ^'].join('\n'),
    )
  })

  test('text that is no YAML is named with its place', () => {
    const [error] = new YamlDocument('a: [1\n', 'p.yaml').errors
    expect(error?.message).toMatch(/^E000: p.yaml is no valid YAML: /)
  })

  test('what follows from the first mistake in the syntax is not told', () => {
    const text = 'a:\n  - b: 1\n\tc: 2\n    d: 3\n'
    expect(new YamlDocument(text, 'p.yaml').errors.map((error) => error.format())).toEqual([
      'E000: p.yaml is no valid YAML: Tabs are not allowed as indentation\n  p.yaml:3:1\n  3 | \tc: 2\n    | ^',
    ])
    expect(new YamlDocument('a: 1\na: 2\nb: 1\nb: 2\n').errors).toHaveLength(2)
  })

  test('aliases that expand without end are refused before anything is expanded', () => {
    const lines = ['x0: &x0 [a, a, a, a, a, a, a, a, a, a]']
    for (let level = 1; level < 9; level++) {
      const alias = `*x${level - 1}`
      lines.push(`x${level}: &x${level} [${Array(10).fill(alias).join(', ')}]`)
    }
    const document = new YamlDocument(lines.join('\n'), 'p.yaml')
    expect(document.errors.map((error) => error.message)).toEqual([
      'E000: the aliases in p.yaml expand to more than 100000 values',
    ])
    expect(document.value).toBeUndefined()
  })
})

describe('places', () => {
  const document = new YamlDocument('nodes:\n  - name: a\n    keys: [one, two]\n', 'p.yaml')

  test('of a value', () => {
    expect(document.place(['nodes', 0, 'keys', 1])).toMatchObject({ file: 'p.yaml', line: 3, column: 17, length: 3 })
  })

  test('of a key', () => {
    expect(document.place(['nodes', 0], { key: 'keys' })).toMatchObject({ line: 3, column: 5, length: 4 })
  })

  test('of what is missing: what it is missing from', () => {
    expect(document.place(['nodes', 0, 'type'])).toMatchObject({ line: 2, column: 5, length: 1 })
  })

  test('columns count characters', () => {
    expect(new YamlDocument('{ "🌻🌻": 1, b: 2 }').place(['b'])).toMatchObject({ line: 1, column: 15 })
  })
})

describe('places inside a text', () => {
  test('plain, on one line', () => {
    expect(spot('cxl: emit a = b', 1, 10)).toBe('1:15 b')
  })

  test('plain, over several lines', () => {
    expect(spot('cxl: emit a =\n  b', 1, 10)).toBe('2:3 b')
  })

  test('in single quotes, with a doubled one before', () => {
    expect(spot("cxl: 'emit a = ''x'' + b'", 1, 16)).toBe("1:24 b'")
  })

  test('in double quotes, with escapes before', () => {
    expect(spot('cxl: "emit a = \\"x\\" + b"', 1, 16)).toBe('1:24 b"')
    expect(spot('cxl: "emit a = 1\\nemit b = c"', 2, 10)).toBe('1:28 c"')
    expect(spot('cxl: "emit \\u0061 = b"', 1, 10)).toBe('1:21 b"')
  })

  test('in a literal block, however it is indented', () => {
    expect(spot('cxl: |\n      emit a = 1\n\n        emit b = c', 3, 12)).toBe('4:18 c')
    expect(spot('cxl: |2-\n    emit a = b', 1, 12)).toBe('2:14 b')
  })

  test('in a folded block', () => {
    expect(spot('cxl: >\n  emit a =\n  b\n', 1, 10)).toBe('3:3 b')
  })

  test('through an alias', () => {
    const yaml = 'x: &x "emit a = b"\ncxl: *x'
    expect(new YamlDocument(yaml).placeInside(['cxl'], { line: 1, column: 10 })).toMatchObject({ line: 1, column: 17 })
  })
})
