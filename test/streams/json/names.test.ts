import { describe, expect, test } from 'vitest'
import { columnOfKey, keysOfColumn, nest } from '../../../streams/json/names.ts'

describe('columns and keys', () => {
  test.each([
    ['a', 'a'],
    ['', ''],
    ['a.b', 'a\\.b'],
    ['C:\\temp', 'C:\\\\temp'],
    ['x\\.y', 'x\\\\\\.y'],
    ['[0]', '[0]'],
    ['__proto__', '__proto__'],
  ])('the key %j is the column %j and comes back', (key, column) => {
    expect(columnOfKey(key)).toBe(column)
    expect(keysOfColumn(column)).toEqual([key])
  })

  test.each([
    ['a.b', ['a', 'b']],
    ['a\\.b.c', ['a.b', 'c']],
    ['a\\[0', ['a[0']],
    ['a..b', ['a', '', 'b']],
    ['.', ['', '']],
  ])('the column %j nests as %j', (column, keys) => {
    expect(keysOfColumn(column)).toEqual(keys)
  })

  test.each(['a\\x', 'a\\', 'C:\\temp'])('the column %j escapes nothing', (column) => {
    expect(keysOfColumn(column)).toBeUndefined()
  })
})

describe('nesting', () => {
  test('puts the columns of one prefix together where it first appears', () => {
    expect(nest(['m.p', 'id', 'm.q', 'r'])).toEqual([
      {
        key: 'm',
        inside: [
          { key: 'p', column: 'm.p' },
          { key: 'q', column: 'm.q' },
        ],
      },
      { key: 'id', column: 'id' },
      { key: 'r', column: 'r' },
    ])
  })

  test.each([
    [['a', 'a.x'], 'columns `a` and `a.x` cannot both be written: `a` would be a value and an object'],
    [['a.x.y', 'a'], 'columns `a` and `a.x.y` cannot both be written: `a` would be a value and an object'],
    [['a.b', 'a.b.c'], 'columns `a.b` and `a.b.c` cannot both be written: `a.b` would be a value and an object'],
    [['a[', 'a\\['], 'columns `a[` and `a\\[` cannot both be written: both are the key `a[`'],
    [['a\\x'], 'column `a\\x` has a backslash that escapes nothing'],
    [
      [Array(65).fill('b').join('.')],
      `column \`${Array(65).fill('b').join('.')}\` has 65 levels, and at most 64 can be written`,
    ],
  ])('refuses %j', (columns, message) => {
    expect(() => nest(columns)).toThrow(message)
  })

  test('takes 64 levels', () => {
    expect(nest([Array(64).fill('b').join('.')])).toHaveLength(1)
  })
})
