import { describe, expect, test } from 'vitest'
import { arrayMethods } from '../../../../lib/cxl/builtins/array.ts'
import { Float } from '../../../../lib/record/float.ts'
import type { Value } from '../../../../lib/record/value.ts'
import { failures, results } from './table.ts'

const row = {
  n: null,
  s: 'text',
  xs: [3, 1, 4, 1, 5],
  ns: [1, null, 3],
  es: [],
  aa: [[1, 2], [3], []],
  fs: [0.5, new Float(2)],
  ms: [{ k: 'a', v: 10 }, { k: 'b', v: 25 }, { k: 'c' }] as Value[],
}

describe('closures', () => {
  results(row, [
    ['xs.filter(it => it > 1)', [3, 4, 5]],
    ['ns.filter(it => it > 0)', [1, 3]],
    ['xs.filter(it => it)', []],
    ['es.filter(it => true)', []],
    ['ns.map(it => it ?? 0)', [1, 0, 3]],
    ['fs.map(it => it.type_of())', ['float', 'float']],
    ['ms.map(it => it.v)', [10, 25, null]],
    ['aa.flat_map(it => it)', [1, 2, 3]],
    ['ns.flat_map(it => it)', [1, 3]],
    ['aa.flat_map(it => it.map(it => aa[1]))', [[3], [3], [3]]],
    ['xs.any(it => it == 4)', true],
    ['es.any(it => true)', false],
    ['ns.any(it => it > 5)', false],
    ["ms.find(it => it['v'] > 20)", { k: 'b', v: 25 }],
    ['xs.find(it => it > 9)', null],
    ['ns.find(it => it.is_null())', null],
    ['s.map(it => it)', null],
    ['s.find(it => true)', null],
    ["xs.find('a')", null],
    ['n.filter(it => true)', null],
  ])
  failures(row, [
    ['xs.filter(true)', 'filter takes a closure, it => …'],
    ['ns.any(it => 1 / (it - 1) > 0)', 'division by zero'],
  ])

  test('any and find look no further than they must', () => {
    const seen: Value[] = []
    const test = (value: Value): Value => seen.push(value) === 2
    expect(arrayMethods.any?.run([1, 2, 3], test)).toBe(true)
    expect(seen).toEqual([1, 2])
    seen.length = 0
    expect(arrayMethods.find?.run([1, 2, 3], test)).toBe(2)
    expect(seen).toEqual([1, 2])
  })
})

describe('elements', () => {
  results(row, [
    ['ns.length()', 3],
    ['xs.remove(2)', [3, 1, 1, 5]],
    ['xs.remove(5)', [3, 1, 4, 1, 5]],
    ['xs.remove(-1)', [3, 1, 4, 1, 5]],
    ['xs.remove(n)', null],
    ['xs.remove(s)', null],
    ['s.remove(0)', null],
    ["fs.join(', ')", '0.5, 2'],
  ])

  test('are not changed where they stand', () => {
    const xs = [1, 2, 3]
    expect(arrayMethods.remove?.run(xs, 0)).toEqual([2, 3])
    expect(xs).toEqual([1, 2, 3])
  })
})
