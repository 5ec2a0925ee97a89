import { displayText } from '../../record/text.ts'
import type { Value } from '../../record/value.ts'
import type { BuiltinEntry, Closure, Int } from './builtin.ts'

/** Methods of arrays. None changes its receiver. */
export const arrayMethods: Readonly<Record<string, BuiltinEntry>> = {
  length: {
    signature: '() -> int',
    doc: 'How many elements the array has, nulls included.',
    examples: { "'a,b'.split(',').length()": 2 },
    run: (array: Value[]) => array.length,
  },
  join: {
    signature: '(separator: string) -> string',
    doc: 'The elements as text with `separator` between them; a null is an empty text.',
    examples: { "'a b c'.split(' ').join('-')": 'a-b-c' },
    run: (array: Value[], separator: string) => {
      return array.map((element) => (element === null ? '' : displayText(element))).join(separator)
    },
  },
  filter: {
    signature: '(test: closure) -> array',
    doc: 'The elements for which the closure is true; a null or any other value drops the element.',
    examples: { "'kiwi,fig'.split(',').filter(it => it.length() == 3)": ['fig'] },
    run: (array: Value[], test: Closure) => array.filter((element) => test(element) === true),
  },
  map: {
    signature: '(change: closure) -> array',
    doc: 'What the closure gives for each element.',
    examples: { "'1,2'.split(',').map(it => it.to_int() * 2)": [2, 4] },
    run: (array: Value[], change: Closure) => array.map((element) => change(element)),
  },
  flat_map: {
    signature: '(change: closure) -> array',
    doc: 'As `map`, but the elements of an array the closure gives are taken one by one, and a null is left out.',
    examples: { "'a b,c'.split(',').flat_map(it => it.split(' '))": ['a', 'b', 'c'] },
    run: (array: Value[], change: Closure) => {
      const result: Value[] = []
      for (const element of array) {
        const changed = change(element)
        if (Array.isArray(changed)) for (const one of changed) result.push(one)
        else if (changed !== null) result.push(changed)
      }
      return result
    },
  },
  any: {
    signature: '(test: closure) -> bool',
    doc: 'Whether the closure is true for an element; looks no further than the first such one. False for an empty array.',
    examples: { "'a,b'.split(',').any(it => it == 'b')": true, "'a,b'.split(',').any(it => it == 'c')": false },
    run: (array: Value[], test: Closure) => array.some((element) => test(element) === true),
  },
  find: {
    signature: '(test: closure) -> any',
    doc: 'The first element for which the closure is true, null without one.',
    examples: {
      "'kiwi,fig'.split(',').find(it => it.length() == 3)": 'fig',
      "'a'.split(',').find(it => it == 'c')": null,
    },
    run: (array: Value[], test: Closure) => array.find((element) => test(element) === true) ?? null,
  },
  remove: {
    signature: '(index: int) -> array',
    doc: 'The array without the element at `index` (0 is the first); unchanged where there is none.',
    examples: { "'a,b,c'.split(',').remove(1)": ['a', 'c'], "'a'.split(',').remove(7)": ['a'] },
    run: (array: Value[], index: Int) => {
      const place = Number(index)
      return place < 0 || place >= array.length ? array : array.filter((_, at) => at !== place)
    },
  },
}
