import { describe, expect, test } from 'vitest'
import { mapMethods } from '../../../../lib/cxl/builtins/map.ts'
import { makeMap, mapKeys } from '../../../../lib/record/map.ts'
import type { ValueMap } from '../../../../lib/record/value.ts'
import { evaluate } from './evaluate.ts'
import { results } from './table.ts'

const d = { user: { name: 'Ida', tags: ['x', 'y', 'z'] }, list: [{ q: 1 }, { q: 2 }], n: 5 }
const row = { m: { b: 2, a: 1, c: null }, o: { a: 9, z: 0 }, em: {}, n: null, xs: [1], d, dot: { 'a.b': 1 } }

describe('maps', () => {
  results(row, [
    ['m.keys()', ['b', 'a', 'c']],
    ['m.values()', [2, 1, null]],
    ['xs.keys()', null],
    ['m.merge(o)', { b: 2, a: 9, c: null, z: 0 }],
    ['o.merge(m).keys()', ['a', 'z', 'b', 'c']],
    ['m.merge(xs)', null],
    ['m.merge(n)', null],
    ["dot.remove_field('a.b')", {}],
    ["m.remove_field('zz')", { b: 2, a: 1, c: null }],
    ['m.remove_field(n)', null],
  ])
})

describe('set', () => {
  results(row, [
    ["m.set('d', 4)", { b: 2, a: 1, c: null, d: 4 }],
    ["m.set('b', 20).keys()", ['b', 'a', 'c']],
    ["m.set('a', null)", { b: 2, a: null, c: null }],
    ["em.set('p.q.r', 1)", { p: { q: { r: 1 } } }],
    ["d.set('user.age', 40)['user']", { name: 'Ida', tags: ['x', 'y', 'z'], age: 40 }],
    ["d.set('list[1].w', 9)['list']", [{ q: 1 }, { q: 2, w: 9 }]],
    ["d.set('user.tags[2]', 'w').user.tags", ['x', 'y', 'w']],
    ["d.set('user.tags[3]', 'w')", null],
    ["d.set('list.q', 1)", null],
    ["d.set('n.x', 1)", null],
    ["m.set('c.x', 1)", null],
    ["m.set('x[0]', 1)", null],
    ["d.set('list[0', 1)", null],
    ["d.set('list[0]q', 1)", null],
    ["d.set('list[-1]', 1)", null],
    ["d.set('[0]', 1)", null],
    ["em.set('', 1)", { '': 1 }],
    ["em.set('a..b', 1)", { a: { '': { b: 1 } } }],
    ["em.set('a.', 1)", { a: { '': 1 } }],
    ['m.set(n, 1)', null],
    ["xs.set('a', 1)", null],
  ])

  test('keeps the order of integer-like keys and takes any name', () => {
    const map = mapMethods.set?.run(
      makeMap([
        ['b', 1],
        ['10', 2],
        ['2', 3],
      ]),
      '__proto__',
      4,
    ) as ValueMap
    expect(mapKeys(map)).toEqual(['b', '10', '2', '__proto__'])
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
  })

  test('changes nothing in place', () => {
    evaluate("d.set('user.tags[0]', 'changed').unset('list[0].q')", row)
    expect(d).toEqual({ user: { name: 'Ida', tags: ['x', 'y', 'z'] }, list: [{ q: 1 }, { q: 2 }], n: 5 })
  })
})

describe('unset', () => {
  results(row, [
    ["m.unset('a')", { b: 2, c: null }],
    ["d.unset('user.name')['user']", { tags: ['x', 'y', 'z'] }],
    ["d.unset('user.tags[0]').user.tags", ['y', 'z']],
    ["d.unset('list[1].q')['list']", [{ q: 1 }, {}]],
    ["d.unset('user.zz.y').user.name", 'Ida'],
    ["d.unset('n.x').n", 5],
    ["d.unset('list[9]').list", [{ q: 1 }, { q: 2 }]],
    ["m.unset('a[')", { b: 2, a: 1, c: null }],
    ["m.unset('toString')", { b: 2, a: 1, c: null }],
    ['m.unset(n)', null],
    ["n.unset('a')", null],
  ])
})
