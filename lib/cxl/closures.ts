/**
 * The back end for processes that disallow code generation: the checked tree as nested functions. All values have the form of untyped
 * ones, so that it runs the operators themselves and no shortcut of theirs.
 */
import { originOf, rowOf } from '../record/stamp.ts'
import type { Type } from '../record/type.ts'
import type { Row, Value } from '../record/value.ts'
import { type BuiltinCode, dispatched } from './builtins/index.ts'
import type { Checked, CheckedClosure, CheckedStatement, Instance, Local, Site } from './checked.ts'
import type { Environment } from './environment.ts'
import { evaluationError } from './evaluation-error.ts'
import { Failure } from './failure.ts'
import type { Leaf } from './layout.ts'
import * as operators from './operators.ts'
import { filtered, type Outcome, passed, repeated } from './outcome.ts'
import type { Binding, RowFunction } from './program.ts'
import * as runtime from './runtime.ts'

/** One evaluation: what it reads, its locals by id, and where it is. */
export interface Machine {
  readonly row: Row
  readonly inputs: runtime.Inputs
  readonly environment: Environment
  readonly locals: Value[]
  /** `$record` variables, as written so far. */
  variables: Row | undefined
  /** The expression that is evaluated, for an error. */
  at: Site | undefined
  /** The column that is computed, for an error. */
  field: string | undefined
  readonly out: Row[]
  /** How many records `out` held before. */
  readonly mark: number
  /** How many records an `emit each` may make. */
  readonly most: number
}

export type Step = (machine: Machine) => Value

/** A machine at the start of an evaluation. */
export function newMachine(
  row: Row,
  environment: Environment,
  inputs: runtime.Inputs,
  out: Row[] = [],
  mark = 0,
  most = 0,
): Machine {
  const variables = originOf(row)?.variables
  return { row, inputs, environment, locals: [], variables, at: undefined, field: undefined, out, mark, most }
}

/** Makes nested functions of checked expressions. */
export class Closures {
  readonly #instances = new Map<Instance, Step>()
  readonly #columnType: (name: string) => Type | undefined

  /** `columnType` tells how a column is represented; undefined when the records have no such field. */
  constructor(columnType: (name: string) => Type | undefined) {
    this.#columnType = columnType
  }

  step(node: Checked): Step {
    switch (node.kind) {
      case 'constant': {
        const value = constantOf(node)
        return () => value
      }
      case 'column':
        return this.#column(node.name)
      case 'column_or_local': {
        if (this.#columnType(node.name)) return this.#column(node.name)
        const { id } = node.local
        return (machine) => machine.locals[id] as Value
      }
      case 'qualified': {
        const { qualifier, name } = node
        return boxing(node.form, ({ inputs }) => runtime.qualified(inputs, qualifier, name))
      }
      case 'local': {
        const { id } = node.local
        return (machine) => machine.locals[id] as Value
      }
      case 'now':
        return (machine) => machine.environment.now()
      case 'system':
        return boxing(node.form, systemStep(node))
      case 'input_variable': {
        const { input, name, variable } = node
        return boxing(node.form, ({ environment, row }) =>
          runtime.inputVariable(environment, row, input, name, variable),
        )
      }
      case 'document': {
        const { section, field } = node
        return boxing(node.form, ({ environment, row }) => runtime.document(environment, row, section, field))
      }
      case 'field': {
        const object = this.step(node.object)
        return (machine) => operators.member(object(machine), node.name)
      }
      case 'index': {
        const object = this.step(node.object)
        const index = this.step(node.index)
        return (machine) => {
          const from = object(machine)
          return from === null ? null : operators.element(from, index(machine))
        }
      }
      case 'negate': {
        const operand = this.step(node.operand)
        return (machine) => {
          const value = operand(machine)
          machine.at = node.site
          return operators.negate(value)
        }
      }
      case 'not': {
        const operand = this.step(node.operand)
        return (machine) => operators.not(operand(machine))
      }
      case 'arithmetic':
        return this.#both(node, operators.arithmetic[node.operator])
      case 'comparison':
        return this.#both(node, operators.comparisons[node.operator])
      case 'logic': {
        const left = this.step(node.left)
        const right = this.step(node.right)
        const decisive = node.operator === 'or'
        const combine = decisive ? operators.or : operators.and
        return (machine) => {
          const value = left(machine)
          return value === decisive ? decisive : combine(value, right(machine))
        }
      }
      case 'coalesce': {
        const left = this.step(node.left)
        const right = this.step(node.right)
        return (machine) => left(machine) ?? right(machine)
      }
      case 'if': {
        const condition = this.step(node.condition)
        const then = this.step(node.then)
        const otherwise: Step = node.else ? this.step(node.else) : () => null
        return (machine) => (condition(machine) === true ? then(machine) : otherwise(machine))
      }
      case 'match':
        return this.#match(node)
      case 'method':
        return this.#method(node)
      case 'function': {
        const args = node.args.map((arg) => this.step(arg))
        return boxing(node.form, (machine) => {
          const values = args.map((arg) => arg(machine))
          machine.at = node.site
          return node.run(...values)
        })
      }
      case 'instance': {
        const args = node.args.map((arg) => this.step(arg))
        const body = this.#instance(node.instance)
        const { parameters } = node.instance
        return (machine) => {
          const values = args.map((arg) => arg(machine))
          for (const [index, { id }] of parameters.entries()) machine.locals[id] = values[index] as Value
          return body(machine)
        }
      }
      case 'failure':
        return (machine) => {
          machine.at = node.site
          throw new Failure(node.message)
        }
    }
  }

  #column(name: string): Step {
    const type = this.#columnType(name)
    if (!type) return () => null
    // An own column hides what records inherit from Object.prototype; a missing one must not show it.
    if (name in Object.prototype) return boxing(type, ({ row }) => operators.columnOf(row, name))
    if (type.name === 'float') return ({ row }) => operators.box(row[name] as Value)
    return ({ row }) => operators.load(row[name])
  }

  #both(node: Extract<Checked, { kind: 'arithmetic' | 'comparison' }>, run: (a: Value, b: Value) => Value): Step {
    const left = this.step(node.left)
    const right = this.step(node.right)
    const { site } = node
    // A literal is mostly on the right, and need not be asked for its value.
    if (node.right.kind === 'constant') {
      const value = constantOf(node.right)
      return (machine) => {
        const a = left(machine)
        machine.at = site
        return run(a, value)
      }
    }
    return (machine) => {
      const a = left(machine)
      const b = right(machine)
      machine.at = site
      return run(a, b)
    }
  }

  #match({ subject, arms, otherwise }: Extract<Checked, { kind: 'match' }>): Step {
    const value = subject && this.step(subject.value)
    const steps = arms.map(({ pattern, result }) => ({ pattern: this.step(pattern), result: this.step(result) }))
    const last = this.step(otherwise)
    return (machine) => {
      const matched = value ? value(machine) : true
      for (const { pattern, result } of steps) {
        const given = pattern(machine)
        if (value ? operators.equal(matched, given) : given === true) return result(machine)
      }
      return last(machine)
    }
  }

  #method(node: Extract<Checked, { kind: 'method' }>): Step {
    const receiver = this.step(node.receiver)
    const args = node.args.map((arg) => (arg.kind === 'closure' ? this.#closure(arg) : this.step(arg)))
    const run: BuiltinCode = dispatched(node.overloads)
    const contextual = node.overloads.some((builtin) => builtin.entry.needsContext)
    const { site } = node
    const [first, second] = args
    if (!contextual && !first) {
      return (machine) => {
        const value = receiver(machine)
        machine.at = site
        return run(value)
      }
    }
    if (!contextual && first && args.length === 1) {
      return (machine) => {
        const value = receiver(machine)
        const argument = first(machine)
        machine.at = site
        return run(value, argument)
      }
    }
    if (!contextual && first && second && args.length === 2) {
      return (machine) => {
        const value = receiver(machine)
        const one = first(machine)
        const two = second(machine)
        machine.at = site
        return run(value, one, two)
      }
    }
    return (machine) => {
      const value = receiver(machine)
      const values = args.map((arg) => arg(machine))
      machine.at = site
      if (contextual) return run(runtime.builtinContext(machine.environment, machine.row), value, ...values)
      return run(value, ...values)
    }
  }

  #closure({ it, body }: CheckedClosure): (machine: Machine) => never {
    const step = this.step(body)
    const { id } = it
    const closure = (machine: Machine) => (element: Value) => {
      machine.locals[id] = operators.load(element)
      return step(machine)
    }
    return closure as unknown as (machine: Machine) => never
  }

  #instance(instance: Instance): Step {
    let step = this.#instances.get(instance)
    if (!step) {
      step = this.step(instance.body)
      this.#instances.set(instance, step)
    }
    return step
  }
}

/** The value of a literal in the form of untyped ones. */
function constantOf({ value, form }: Extract<Checked, { kind: 'constant' }>): Value {
  return form.name === 'float' ? operators.box(value) : value
}

function systemStep(node: Extract<Checked, { kind: 'system' }>): Step {
  const { namespace, name, variable } = node
  if (namespace === 'record' && variable) {
    return (machine) => runtime.recordVariable(machine.variables, name, variable)
  }
  const read = runtime.systemReader(node)
  return ({ row, environment }) => read(row, environment)
}

/** Brings plain floats to the form of untyped values. */
function boxing({ name }: Type, read: Step): Step {
  return name === 'float' ? (machine) => operators.box(read(machine)) : read
}

/** A statement; anything but `passed` ends the program and drops the record. */
type Action = (machine: Machine) => Outcome

/** A transform as nested functions. */
export function closureProgram(binding: Binding): RowFunction {
  const { statements, maxExpansion } = binding
  const run = new ClosureProgram(binding).block(statements, undefined)
  return (row, environment, out, inputs = noInputs) => {
    const machine = newMachine(row, environment, inputs, out, out.length, maxExpansion)
    try {
      const outcome = run(machine)
      if (outcome !== passed) out.length = machine.mark
      return outcome
    } catch (error) {
      out.length = machine.mark
      throw evaluationError(error, machine.at, row, machine.field)
    }
  }
}

const noInputs: runtime.Inputs = {}

class ClosureProgram {
  readonly #binding: Binding
  readonly #closures: Closures

  constructor(binding: Binding) {
    this.#binding = binding
    this.#closures = new Closures((name) => binding.columnType(name))
  }

  block(statements: readonly CheckedStatement[], block: Leaf['block']): Action {
    const actions = statements.map((statement) => this.#statement(statement))
    const fields = statements.map((statement) => (statement.kind === 'emit' ? statement.name : undefined))
    const sites = statements.map(({ site }) => site)
    const leaf = this.#binding.leaves.find((one) => one.block === block)
    const push = leaf && this.#push(leaf)
    return (machine) => {
      for (let index = 0; index < actions.length; index++) {
        machine.field = fields[index]
        machine.at = sites[index]
        const outcome = (actions[index] as Action)(machine)
        if (outcome !== passed) return outcome
      }
      return push ? push(machine) : passed
    }
  }

  #statement(statement: CheckedStatement): Action {
    const closures = this.#closures
    switch (statement.kind) {
      case 'emit':
      case 'let': {
        const value = closures.step(statement.value)
        const { id } = statement.local
        return (machine) => {
          machine.locals[id] = value(machine)
          return passed
        }
      }
      case 'write': {
        const value = closures.step(statement.value)
        const { namespace, name } = statement
        return (machine) => {
          const written = value(machine)
          if (namespace === 'record') machine.variables = runtime.withVariable(machine.variables, name, written)
          else runtime.writeVariable(machine.environment, machine.row, namespace, name, written)
          return passed
        }
      }
      case 'filter': {
        const condition = closures.step(statement.condition)
        return (machine) => (condition(machine) === true ? passed : filtered)
      }
      case 'distinct': {
        const seen = this.#binding.seen(statement.id)
        const { by } = statement
        if (!by) {
          const key = this.#recordKey(statement)
          return (machine) => (runtime.isNew(seen, key(machine)) ? passed : repeated)
        }
        const value = closures.step(by)
        return (machine) => {
          const key = value(machine)
          machine.at = statement.site
          return runtime.isNew(seen, runtime.distinctKey(key, statement.name)) ? passed : repeated
        }
      }
      case 'each': {
        const over = closures.step(statement.over)
        const { id } = statement.local
        const body = this.block(statement.body, statement)
        return (machine) => {
          const array = over(machine)
          machine.at = statement.over.site
          for (const element of runtime.elementsOf(array, statement.outer)) {
            machine.locals[id] = operators.load(element)
            body(machine)
          }
          return passed
        }
      }
      case 'trace': {
        const guard = statement.guard && closures.step(statement.guard)
        const message = closures.step(statement.message)
        return (machine) => {
          if (guard && guard(machine) !== true) return passed
          runtime.log(machine.environment, statement.level, message(machine), machine.row)
          return passed
        }
      }
      case 'expression': {
        const value = closures.step(statement.value)
        return (machine) => {
          value(machine)
          return passed
        }
      }
    }
  }

  #push(leaf: Leaf): Action {
    const shape = this.#binding.shapeOf(leaf)
    const cells = shape.columns.map(({ name, type }) => this.#cell(name, type, leaf.columns.get(name)))
    return (machine) => {
      const { row, out } = machine
      if (leaf.block && out.length - machine.mark >= machine.most) {
        machine.at = leaf.block.site
        machine.field = undefined
        runtime.expansionExceeded(machine.most)
      }
      const values: Value[] = []
      for (let index = 0; index < cells.length; index++) values.push((cells[index] as Step)(machine))
      const origin = runtime.originOfRow(row)
      const own = machine.variables === origin.variables ? origin : origin.withVariables(machine.variables)
      out.push(shape.make(values, own, rowOf(row)))
      return passed
    }
  }

  /** The value of an output column, in the form of its type. */
  #cell(name: string, type: Type, local: Local | undefined): Step {
    const float = type.name === 'float'
    if (local) {
      const { id } = local
      return float ? ({ locals }) => operators.unbox(locals[id] as Value) : ({ locals }) => locals[id] as Value
    }
    const input = this.#binding.inputType(name)
    if (!input) return () => null
    if (input.name === 'float' && !float) return ({ row }) => operators.box(row[name] as Value)
    return ({ row }) => operators.load(row[name])
  }

  #recordKey(statement: Extract<CheckedStatement, { kind: 'distinct' }>): (machine: Machine) => string {
    const { names, declared, locals } = this.#binding.recordAt(statement)
    const types = names.map((name) => this.#binding.inputType(name))
    return ({ row, locals: values }) => {
      const all = names.map((name, index) => {
        const local = locals.get(name)
        if (local) return values[local.id] as Value
        return types[index]?.name === 'float' ? operators.box(row[name] as Value) : operators.load(row[name])
      })
      return runtime.recordKey(names, declared, all)
    }
  }
}
