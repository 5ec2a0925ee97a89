import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeMap, mapEntries, mapKeys } from '../../../lib/record/map.ts'

test('keeps the order of its keys, integer-like ones included', () => {
  const map = makeMap([
    ['b', 1],
    ['10', 2],
    ['2', 3],
    ['a', 4],
  ])
  expect(mapKeys(map)).toEqual(['b', '10', '2', 'a'])
  expect(mapEntries(map)).toEqual([
    ['b', 1],
    ['10', 2],
    ['2', 3],
    ['a', 4],
  ])
  expect(map).toEqual({ b: 1, 10: 2, 2: 3, a: 4 })
})

test('a later entry replaces the value and keeps the place', () => {
  const map = makeMap([
    ['7', 1],
    ['a', 2],
    ['7', 3],
  ])
  expect(mapEntries(map)).toEqual([
    ['7', 3],
    ['a', 2],
  ])
})

test('is an ordinary object, whatever its keys are called', () => {
  const map = makeMap([
    ['__proto__', 1],
    ['constructor', 2],
    ['toString', 3],
    ['', 4],
  ])
  expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
  expect(JSON.stringify(map)).toBe('{"__proto__":1,"constructor":2,"toString":3,"":4}')
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
})

test('tells the keys that are there when other code has changed the map', () => {
  const map = makeMap([
    ['b', 1],
    ['1', 2],
  ])
  map['c'] = 3
  expect(mapKeys(map)).toEqual(['1', 'b', 'c'])
  delete map['b']
  expect(mapKeys(map)).toEqual(['1', 'c'])
})

test('takes plain objects as they are', () => {
  expect(mapEntries({ b: 1, a: null })).toEqual([
    ['b', 1],
    ['a', null],
  ])
})

test('gives back any entries in their order', () => {
  const key = fc.oneof(fc.string(), fc.nat().map(String), fc.constantFrom('__proto__', '4294967295', '-1', '01'))
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(key, fc.integer()), { selector: ([name]) => name }), (entries) => {
      expect(mapEntries(makeMap(entries))).toEqual(entries)
    }),
  )
})
