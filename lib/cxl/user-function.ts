import { fromForeign } from '../record/foreign.ts'
import { unbox } from './operators.ts'
import type { Value } from '../record/value.ts'
import { Builtin, type BuiltinCode } from './builtins/index.ts'
import type { UserFunction } from './scope.ts'

/** Describes a function of the user's as builtins are described, and wraps its code: what it gives becomes a value. */
export function userFunction(name: string, { signature, run }: UserFunction): { builtin: Builtin; run: BuiltinCode } {
  const builtin = new Builtin(name, [], { signature, doc: '', examples: {}, run: run as BuiltinCode })
  const float = builtin.result.name === 'float'
  const call = (...values: Value[]): Value => {
    const result = fromForeign(run(...values))
    return float ? unbox(result) : result
  }
  return { builtin, run: call }
}
