import { describe, expect, test } from 'vitest'
import { pathMethods } from '../../../../lib/cxl/builtins/path.ts'

const tell = (path: string): unknown[] =>
  ['file_name', 'file_stem', 'extension', 'parent', 'parent_name'].map((name) => pathMethods[name]?.run(path))

describe('paths', () => {
  test.each([
    ['/srv/june/report.tar.gz', ['report.tar.gz', 'report.tar', 'gz', '/srv/june', 'june']],
    ['notes.txt', ['notes.txt', 'notes', 'txt', '', null]],
    ['/srv/data/', ['data', 'data', null, '/srv', 'srv']],
    ['/x', ['x', 'x', null, '/', null]],
    ['/', [null, null, null, null, null]],
    ['//', [null, null, null, null, null]],
    ['', [null, null, null, null, null]],
    ['.env', ['.env', '.env', null, '', null]],
    ['dir/.env.local', ['.env.local', '.env', 'local', 'dir', 'dir']],
    ['name.', ['name.', 'name', '', '', null]],
    ['..', [null, null, null, '', null]],
    ['a/..', [null, null, null, 'a', 'a']],
    ['a/../b', ['b', 'b', null, 'a/..', null]],
    ['a//b///c.csv', ['c.csv', 'c', 'csv', 'a//b', 'b']],
    ['./in.csv', ['in.csv', 'in', 'csv', '.', null]],
    ['.', [null, null, null, '', null]],
    ['a/b/.', ['b', 'b', null, 'a', 'a']],
    ['a/./b', ['b', 'b', null, 'a', 'a']],
    ['/.', [null, null, null, null, null]],
    ['ä/ö.ü', ['ö.ü', 'ö', 'ü', 'ä', 'ä']],
    ['C:\\tmp\\x.txt', ['C:\\tmp\\x.txt', 'C:\\tmp\\x', 'txt', '', null]],
  ])('%s', (path, expected) => {
    expect(tell(path)).toEqual(expected)
  })
})
