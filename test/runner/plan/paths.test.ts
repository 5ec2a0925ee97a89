import { describe, expect, test } from 'vitest'
import { checkedPath, PathTemplate } from '../../../runner/plan/paths.ts'

const rules = { node: 'output "o"', place: undefined }

describe('paths', () => {
  const check = (path: string, allowAbsolute = false): string => checkedPath(path, { ...rules, allowAbsolute })

  test('stay inside the workspace', () => {
    expect(check('./a/../b.csv'.replace('../', ''))).toBe('a/b.csv')
    expect(() => check('../b.csv')).toThrow('E-SEC-001: output "o": the path "../b.csv" has a `..` in it')
    expect(() => check('a/../../b.csv')).toThrow('has a `..` in it')
    expect(() => check('a\\..\\b.csv')).toThrow('has a `..` in it')
  })

  test('are absolute only where that is allowed', () => {
    expect(() => check('/tmp/a.csv')).toThrow('E-SEC-001: output "o": the path "/tmp/a.csv" is absolute')
    expect(() => check('C:\\a.csv')).toThrow('is absolute')
    expect(check('/tmp/a.csv', true)).toBe('/tmp/a.csv')
  })

  test('a dash is a standard stream', () => {
    expect(check('-')).toBe('-')
  })

  test('dots in a name are none', () => {
    expect(check('a..b.csv')).toBe('a..b.csv')
  })
})

describe('templates', () => {
  test('tokens are filled in, doubled braces are braces', () => {
    const template = new PathTemplate('{{x}}/{batch_id}_{source_file}.csv', rules)
    expect(template.render({ batch_id: 'b7', source_file: 'jan' })).toBe('{x}/b7_jan.csv')
    expect(template.perFile).toBe(true)
    expect(new PathTemplate('a_{batch_id}.csv', rules).perFile).toBe(false)
  })

  test('an unknown token is named, the known ones are listed', () => {
    expect(() => new PathTemplate('o_{day}.csv', rules)).toThrow(
      'E000: output "o": the path "o_{day}.csv" has an unknown token {day}',
    )
  })

  test('a lone brace is refused', () => {
    expect(() => new PathTemplate('o_}.csv', rules)).toThrow('has a brace without its partner')
  })
})
