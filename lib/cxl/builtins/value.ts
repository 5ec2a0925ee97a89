import { kindOf } from '../../record/kind.ts'
import { displayText } from '../../record/text.ts'
import type { Value } from '../../record/value.ts'
import type { BuiltinContext, BuiltinEntry } from './builtin.ts'

/** Methods of every value, null included. */
export const valueMethods: Readonly<Record<string, BuiltinEntry>> = {
  type_of: {
    signature: '() -> string',
    doc: "The name of the value's type: `null bool int float decimal string date datetime array map`.",
    examples: { '5.0.type_of()': 'float', 'null.type_of()': 'null', '#2024-03-05#.type_of()': 'date' },
    seesNull: true,
    run: (value: Value) => {
      const kind = kindOf(value)
      return kind === 'date_time' ? 'datetime' : kind
    },
  },
  is_null: {
    signature: '() -> bool',
    doc: 'Whether the value is null.',
    examples: { 'null.is_null()': true, "''.is_null()": false },
    seesNull: true,
    run: (value: Value) => value === null,
    typed: { float: () => false },
  },
  is_empty: {
    signature: '() -> bool',
    doc: 'True for null, an empty text and an empty array; false for everything else, an empty map too.',
    examples: { "''.is_empty()": true, 'null.is_empty()': true, '0.is_empty()': false },
    seesNull: true,
    run: (value: Value) => value === null || value === '' || (Array.isArray(value) && value.length === 0),
    typed: { string: (value: string | null) => value === null || value === '' },
  },
  catch: {
    signature: '(fallback: any) -> any',
    doc: 'The value, or `fallback` where it is null. The fallback is always evaluated, and errors are not caught: see `??`.',
    examples: { "null.catch('x')": 'x', "'tea'.catch('x')": 'tea' },
    seesNull: true,
    run: (value: Value, fallback: Value) => value ?? fallback,
  },
  debug: {
    signature: '(label?: string) -> any',
    doc: 'Logs the value at trace level, behind `label` where there is one, and gives it back.',
    examples: { "'x'.debug('step')": 'x' },
    seesNull: true,
    needsContext: true,
    run: (context: BuiltinContext, value: Value, label: string | undefined) => {
      const text = value === null ? 'null' : displayText(value)
      context.log('trace', label === undefined ? text : `${label}: ${text}`)
      return value
    },
  },
  format: {
    signature: '(pattern: string?) -> string',
    doc: 'The value as text, as `to_string` gives it; the argument has no effect.',
    examples: { "42.format('')": '42' },
    run: (value: Value) => displayText(value),
  },
}
