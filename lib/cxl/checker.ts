import { closestMatch } from '../diagnostics/closest-match.ts'
import { Type, type TypeName } from '../record/type.ts'
import type { Argument, ArithmeticOperator, Expr, Span, Statement } from './ast.ts'
import { type Builtin, type BuiltinCode, builtins, functions, resultOf } from './builtins/index.ts'
import type { Checked, CheckedClosure, CheckedProgram, CheckedStatement, Instance, Local, Site } from './checked.ts'
import { constantNode } from './checked.ts'
import { cureIn, foreignFunctions, foreignKeywords, foreignMethods, foreignNames, foreignOperators } from './habit.ts'
import { type Module, type ModuleFunction, ModuleLoader } from './module.ts'
import { negate } from './operators.ts'
import type { Phase, Problem, SourceText } from './problem.ts'
import { compileRegex } from './regex.ts'
import type { Scope, Variable } from './scope.ts'
import { isNumber, isOpen, joinForms, typeLabel, unify, unifyOrAny } from './types.ts'
import { aggregateFunctions, windowCallIn, windowFunctions } from './window.ts'

const any = Type.of('any')
const bool = Type.of('bool')

/** Types of the built-in members of namespaces. */
const pipelineMembers: ReadonlyMap<string, Type> = new Map([
  ['name', Type.of('string')],
  ['execution_id', Type.of('string')],
  ['batch_id', Type.of('string')],
  ['start_time', Type.of('date_time')],
  ['total_count', Type.of('int')],
  ['ok_count', Type.of('int')],
  ['dlq_count', Type.of('int')],
  ['filtered_count', Type.of('int')],
  ['distinct_count', Type.of('int')],
])

const sourceMembers: ReadonlyMap<string, Type> = new Map([
  ['file', Type.of('string')],
  ['name', Type.of('string')],
  ['path', Type.of('string')],
  ['row', Type.of('int')],
  ['count', Type.of('int', true)],
  ['batch', Type.of('string')],
  ['ingestion_timestamp', Type.of('date_time', true)],
  ['event_time', Type.of('date_time', true)],
])

const metaMembers: ReadonlyMap<string, Type> = new Map([
  ['synthetic', Type.of('bool')],
  ['synthesized_by', Type.of('string')],
  ['mutated_by', Type.of('string')],
])

/** The names in reach of the text that is being checked. */
interface Context {
  readonly source: SourceText
  /** Whose names these are; absent in the program itself. */
  readonly module: Module | undefined
  readonly modules: ReadonlyMap<string, Module>
  /** Closure parameters, `emit each` elements, function parameters; the last one is the innermost. */
  readonly bindings: readonly Local[]
  readonly lets: Map<string, Local>
  readonly emitted: Map<string, Local>
  /** For messages: which function of which module is being checked. */
  readonly within: string | undefined
}

/** Resolves the names of a program and checks its types. Faults go to `problems`. */
export class Checker {
  readonly #scope: Scope
  readonly #problems: Problem[]
  readonly #columns = new Set<string>()
  readonly #uses = new Map<string, { type: Type }>()
  readonly #instances: Instance[] = []
  readonly #instanceByKey = new Map<string, Instance>()
  readonly #constants = new Map<string, Checked>()
  /** Module members whose bodies are being checked. */
  readonly #open: string[] = []
  readonly #checkedModules = new Set<Module>()
  #context: Context
  #noticed = false
  #locals = 0
  #distincts = 0
  #eachDepth = 0

  constructor(source: SourceText, scope: Scope, problems: Problem[]) {
    this.#scope = scope
    this.#problems = problems
    this.#context = {
      source,
      module: undefined,
      modules: new Map(),
      bindings: [],
      lets: new Map(),
      emitted: new Map(),
      within: undefined,
    }
  }

  program(statements: readonly Statement[]): CheckedProgram {
    this.#import(statements)
    const checked = this.#statements(statements)
    return { statements: checked, instances: this.#instances, columns: [...this.#columns], noticed: this.#noticed }
  }

  #import(statements: readonly Statement[]): void {
    const loader = new ModuleLoader(this.#scope.modules, this.#problems)
    const modules = loader.imports(statements, this.#context.source)
    this.#context = { ...this.#context, modules }
    for (const module of modules.values()) this.#checkModule(module)
  }

  // --- faults -------------------------------------------------------------------------------------------------------

  #report(phase: Phase, where: Span, message: string, help?: string, code?: string): void {
    const { source, within } = this.#context
    this.#problems.push({
      phase,
      message: within === undefined ? message : `in ${within}: ${message}`,
      start: where.start,
      end: where.end,
      source,
      ...(help === undefined ? {} : { help }),
      ...(code === undefined ? {} : { code }),
    })
  }

  /** Reports a name that is not known and gives a node that causes no further faults. */
  #unknown(where: Span, message: string, name: string, candidates: Iterable<string>, code?: string): Checked {
    this.#report('resolve', where, message, didYouMean(name, candidates), code)
    return this.#poison(where)
  }

  #refuse(where: Span, message: string, help?: string): Checked {
    this.#report('typecheck', where, message, help)
    return this.#poison(where)
  }

  #poison(where: Span): Checked {
    return { kind: 'constant', value: null, type: any, form: any, site: this.#site(where) }
  }

  #site({ start, end }: Span): Site {
    return { source: this.#context.source, start, end }
  }

  #local(name: string, type: Type, form: Type): Local {
    return { id: this.#locals++, name, type, form }
  }

  // --- statements ---------------------------------------------------------------------------------------------------

  #statements(statements: readonly Statement[]): CheckedStatement[] {
    const checked: CheckedStatement[] = []
    for (const statement of statements) {
      const result = this.#statement(statement)
      if (result) checked.push(result)
    }
    return checked
  }

  #statement(statement: Statement): CheckedStatement | undefined {
    const site = this.#site(statement)
    switch (statement.kind) {
      case 'emit': {
        const value = this.expression(statement.value)
        const { name, namespace } = statement
        if (namespace !== undefined) return this.#write(namespace, name, statement.nameSpan, value, site)
        const local = this.#local(name, value.type, value.form)
        this.#context.emitted.set(name, local)
        return { kind: 'emit', name, local, value, site }
      }
      case 'let': {
        const value = this.expression(statement.value)
        const local = this.#local(statement.name, value.type, value.form)
        this.#context.lets.set(statement.name, local)
        return { kind: 'let', local, value, site }
      }
      case 'filter': {
        this.#refuseInside('filter', statement)
        const condition = this.expression(statement.condition)
        const { name } = condition.type
        if (name !== 'bool' && name !== 'any') {
          this.#refuse(
            statement.condition,
            `filter needs a Bool, got ${typeLabel(condition.type)}`,
            "compare it with something: 'filter x == …'",
          )
        }
        return { kind: 'filter', condition, site }
      }
      case 'distinct': {
        this.#refuseInside('distinct', statement)
        const { by, nameSpan } = statement
        const value = by === undefined ? undefined : this.#named(by, nameSpan, false)
        return { kind: 'distinct', by: value, name: by ?? '', id: this.#distincts++, site }
      }
      case 'each':
        return this.#each(statement, site)
      case 'trace': {
        const guard = statement.guard && this.expression(statement.guard)
        const message = this.expression(statement.message)
        return { kind: 'trace', level: (statement.level ?? 'info') as 'info', guard, message, site }
      }
      case 'expression':
        return { kind: 'expression', value: this.expression(statement.value), site }
      case 'use':
      case 'fn':
        return undefined
    }
  }

  #refuseInside(keyword: string, where: Span): void {
    if (this.#eachDepth === 0) return
    this.#refuse(
      where,
      `'${keyword}' cannot stand inside 'emit each'`,
      `put '${keyword}' before the block, or filter the array`,
    )
  }

  #each(statement: Extract<Statement, { kind: 'each' }>, site: Site): CheckedStatement {
    const { outer, name } = statement
    const over = this.expression(statement.over)
    const allowed = over.type.name === 'array' || over.type.name === 'any' || (outer && over.type.name === 'null')
    if (!allowed) this.#refuse(statement.over, `'emit each' needs an Array, got ${typeLabel(over.type)}`)
    const local = this.#local(name, any, any)
    const context = this.#context
    this.#context = {
      ...context,
      bindings: [...context.bindings, local],
      lets: new Map(context.lets),
      emitted: new Map(context.emitted),
    }
    this.#eachDepth++
    const body = this.#statements(statement.body)
    this.#eachDepth--
    this.#context = context
    return { kind: 'each', local, over, outer, body, site }
  }

  #write(namespace: string, name: string, where: Span, value: Checked, site: Site): CheckedStatement | undefined {
    const full = `$${namespace}.${name}`
    const variables = this.#scope.variables ?? {}
    const builtIn = namespace === 'pipeline' ? pipelineMembers : namespace === 'source' ? sourceMembers : undefined
    const variable = variables[namespace as 'record']?.get(name)
    if (builtIn?.has(name)) {
      this.#report('resolve', where, `${full} is built in and cannot be written`)
    } else if (!variable) {
      const declared = [...(variables[namespace as 'record']?.keys() ?? [])]
      this.#unknown(where, `${full} is not declared`, name, declared)
    } else if (variables.writable && !variables.writable.has(full)) {
      this.#report(
        'resolve',
        where,
        `${full} is not declared by this node`,
        "only the node that declares it can write it: add it to 'declares'",
      )
    } else {
      const { type } = value
      if (!isOpen(type) && type.name !== variable.type.name) {
        this.#report(
          'typecheck',
          value.site,
          `${full} is declared as ${typeLabel(variable.type)}, got ${typeLabel(type)}`,
        )
      }
      return { kind: 'write', namespace: namespace as 'record', name, value, variable, site }
    }
    return undefined
  }

  // --- names --------------------------------------------------------------------------------------------------------

  #named(name: string, where: Span, bindings = true): Checked {
    const site = this.#site(where)
    const { lets, emitted, module } = this.#context
    if (bindings) {
      const binding = this.#context.bindings.findLast((local) => local.name === name)
      if (binding) return this.#localNode(binding, site)
    }
    const bound = lets.get(name)
    if (bound) return this.#localNode(bound, site)
    if (module) return this.#moduleName(module, name, where)
    const { columns } = this.#scope
    const earlier = emitted.get(name)
    if (!columns) {
      this.#columns.add(name)
      if (earlier) return { kind: 'column_or_local', name, local: earlier, type: any, form: any, site }
      return { kind: 'column', name, type: any, form: any, site }
    }
    const type = columns.get(name)
    if (type) {
      this.#columns.add(name)
      return { kind: 'column', name, type, form: type, site }
    }
    if (earlier) return this.#localNode(earlier, site)
    return this.#unknownName(name, where)
  }

  #unknownName(name: string, where: Span): Checked {
    const { bindings, lets, emitted, modules } = this.#context
    const { columns, qualifiers, source } = this.#scope
    for (const [qualifier, fields] of qualifiers ?? []) {
      if (!fields.has(name)) continue
      this.#report('resolve', where, `unknown name '${name}'`, `write '${qualifier}.${name}'`)
      return this.#poison(where)
    }
    const known = [
      ...bindings.map((local) => local.name),
      ...lets.keys(),
      ...(columns?.keys() ?? []),
      ...emitted.keys(),
      ...(qualifiers?.keys() ?? []),
      ...modules.keys(),
    ]
    const of = source === undefined ? '' : `, which is not a column of ${source}`
    const help = habitHelp(name) ?? didYouMean(name, known) ?? `a text stands in quotes: '${name}'`
    this.#report('resolve', where, `unknown name '${name}'${of}`, help)
    return this.#poison(where)
  }

  #localNode(local: Local, site: Site): Checked {
    return { kind: 'local', local, type: local.type, form: local.form, site }
  }

  // --- modules ------------------------------------------------------------------------------------------------------

  /** Checks what a module holds once, its functions for arguments of any type, so that also what nobody calls is sound. */
  #checkModule(module: Module): void {
    if (this.#checkedModules.has(module)) return
    this.#checkedModules.add(module)
    for (const imported of module.imports.values()) this.#checkModule(imported)
    for (const { name, span } of module.constants.values()) {
      this.#inModule(module, name, [], () => this.#moduleConstant(module, name, span))
    }
    for (const own of module.functions.values())
      this.#instance(
        module,
        own,
        own.parameters.map(() => any),
        undefined,
      )
  }

  #inModule<T>(module: Module, name: string, bindings: readonly Local[], check: () => T): T {
    const context = this.#context
    this.#context = {
      source: module.source,
      module,
      modules: module.imports,
      bindings,
      lets: new Map(),
      emitted: new Map(),
      within: `${module.name}.${name}`,
    }
    const result = check()
    this.#context = context
    return result
  }

  /** Whether a member is being checked already; if so, the chain that leads back to it is reported. */
  #recurs(member: string, where: Span, what: string): boolean {
    const at = this.#open.indexOf(member)
    if (at < 0) return false
    const chain = [...this.#open.slice(at), member].join(' -> ')
    this.#report('resolve', where, `${what}: ${chain}`)
    return true
  }

  #moduleName(module: Module, name: string, where: Span): Checked {
    if (module.constants.has(name)) return this.#moduleConstant(module, name, where)
    if (module.functions.has(name)) {
      this.#report('resolve', where, `'${name}' is a function and must be called`, `write '${name}(…)'`)
      return this.#poison(where)
    }
    const { bindings } = this.#context
    const known = [...bindings.map((local) => local.name), ...module.constants.keys(), ...module.imports.keys()]
    return this.#unknown(where, `unknown name '${name}'; a module sees no fields`, name, known)
  }

  #moduleConstant(module: Module, name: string, where: Span): Checked {
    const constant = module.constants.get(name)
    if (!constant) {
      const site = [...module.constants.keys(), ...module.functions.keys()]
      return this.#unknown(where, `the module '${module.name}' has no '${name}'`, name, site)
    }
    const member = `${module.name}.${name}`
    if (this.#recurs(member, where, 'a constant depends on itself')) return this.#poison(where)
    let node = this.#constants.get(member)
    if (!node) {
      this.#open.push(member)
      node = this.#inModule(module, name, [], () => this.expression(constant.value))
      this.#open.pop()
      if (node.kind !== 'constant') {
        const instance: Instance = { id: this.#instances.length, name: member, parameters: [], body: node }
        this.#instances.push(instance)
        node = { kind: 'instance', instance, args: [], type: node.type, form: node.form, site: node.site }
      }
      this.#constants.set(member, node)
    }
    return { ...node, site: this.#site(where) }
  }

  #memberOf(module: Module, name: string, where: Span): Checked {
    if (module.functions.has(name)) {
      this.#report('resolve', where, `'${module.name}.${name}' is a function and must be called`, `write '.${name}(…)'`)
      return this.#poison(where)
    }
    return this.#moduleConstant(module, name, where)
  }

  #callModule(module: Module, name: string, where: Span, nameSpan: Span, args: readonly Argument[]): Checked {
    const found = module.functions.get(name)
    if (!found) {
      if (module.constants.has(name)) {
        const message = `'${module.name}.${name}' is a constant and cannot be called`
        this.#report('resolve', nameSpan, message, `write '${name}' without parentheses`)
        return this.#poison(where)
      }
      const known = [...module.functions.keys(), ...module.constants.keys()]
      return this.#unknown(nameSpan, `the module '${module.name}' has no '${name}'`, name, known)
    }
    const given = this.#plainArguments(args, name)
    const { parameters } = found
    if (given.length !== parameters.length) {
      return this.#refuse(
        where,
        `'${module.name}.${name}' takes ${count(parameters.length, 'argument')} (${parameters.join(', ')}), got ${given.length}`,
      )
    }
    const instance = this.#instance(module, found, given, where)
    if (!instance) return this.#poison(where)
    const { type, form } = instance.body
    return { kind: 'instance', instance, args: given, type, form, site: this.#site(where) }
  }

  #instance(
    module: Module,
    found: ModuleFunction,
    given: readonly (Checked | Type)[],
    where: Span | undefined,
  ): Instance | undefined {
    const member = `${module.name}.${found.name}`
    if (this.#recurs(member, where ?? found.span, 'a function calls itself')) return undefined
    const types = given.map((one) => (one instanceof Type ? { type: one, form: one } : one))
    const key = [member, ...types.map(({ type, form }) => `${type}/${form}`)].join(' ')
    let instance = this.#instanceByKey.get(key)
    if (!instance) {
      const parameters = found.parameters.map((name, index) => {
        const { type, form } = types[index] as { type: Type; form: Type }
        return this.#local(name, type, form)
      })
      this.#open.push(member)
      const body = this.#inModule(module, found.name, parameters, () => this.expression(found.body))
      this.#open.pop()
      instance = { id: this.#instances.length, name: member, parameters, body }
      this.#instances.push(instance)
      this.#instanceByKey.set(key, instance)
    }
    return instance
  }

  // --- expressions --------------------------------------------------------------------------------------------------

  expression(expr: Expr): Checked {
    const site = this.#site(expr)
    switch (expr.kind) {
      case 'literal':
        return { kind: 'constant', value: expr.value, type: expr.type, form: expr.type, site }
      case 'name':
        return this.#named(expr.name, expr)
      case 'now':
        return { kind: 'now', type: Type.of('date_time'), form: Type.of('date_time'), site }
      case 'variable':
        return this.#variable(expr)
      case 'field':
        return this.#field(expr)
      case 'index': {
        const object = this.expression(expr.object)
        const index = this.expression(expr.index)
        return { kind: 'index', object, index, type: any, form: any, site }
      }
      case 'method':
        return this.#method(expr)
      case 'call':
        return this.#call(expr)
      case 'window':
        return this.#window(expr)
      case 'unary':
        return this.#unary(expr)
      case 'binary':
        return this.#binary(expr)
      case 'if': {
        const condition = this.expression(expr.condition)
        const then = this.expression(expr.then)
        const otherwise = expr.else && this.expression(expr.else)
        const type = otherwise ? unifyOrAny(then.type, otherwise.type) : then.type.orNull
        const form = otherwise ? joinForms(then.form, otherwise.form) : then.form.orNull
        return { kind: 'if', condition, then, else: otherwise, type, form, site }
      }
      case 'match':
        return this.#match(expr)
    }
  }

  #variable(expr: Extract<Expr, { kind: 'variable' }>): Checked {
    const { namespace, path } = expr
    const site = this.#site(expr)
    const [name = '', second] = path
    const full = `$${namespace}.${path.join('.')}`
    const variables = this.#scope.variables ?? {}
    const named = (names: Iterable<string>): string[] => [...names].map((known) => `$${namespace}.${known}`)
    if (this.#context.module) {
      this.#report('resolve', expr, `a module cannot read ${full}`, 'pass it as an argument')
      return this.#poison(expr)
    }
    switch (namespace) {
      case 'vars':
      case 'config': {
        const constant = variables[namespace]?.get(name)
        if (constant) return constantNode(constant, site)
        if (namespace === 'config' && !variables.config) {
          this.#report('resolve', expr, `${full} can be read inside a composition only`)
          return this.#poison(expr)
        }
        return this.#unknown(expr, `${full} is not declared`, full, named(variables[namespace]?.keys() ?? []))
      }
      case 'doc':
        return this.#document(expr, name, second ?? '')
      case 'meta': {
        const type = metaMembers.get(name)
        if (!type) return this.#unknown(expr, `there is no ${full}`, full, named(metaMembers.keys()))
        if (this.#scope.meta === false) return this.#refuse(expr, `${full} cannot be read here`)
        return { kind: 'system', namespace, name, variable: undefined, type, form: type, site }
      }
      case 'source':
        if (second !== undefined) return this.#inputVariable(expr, name, second)
        return this.#member(expr, 'source', name, sourceMembers, variables.source)
      case 'pipeline':
        return this.#member(expr, 'pipeline', name, pipelineMembers, variables.pipeline)
      default:
        return this.#member(expr, 'record', name, new Map(), variables.record)
    }
  }

  #member(
    where: Span,
    namespace: 'pipeline' | 'source' | 'record',
    name: string,
    builtIn: ReadonlyMap<string, Type>,
    declared: ReadonlyMap<string, Variable> | undefined,
  ): Checked {
    const site = this.#site(where)
    const type = builtIn.get(name)
    if (type) return { kind: 'system', namespace, name, variable: undefined, type, form: type, site }
    const variable = declared?.get(name)
    const full = `$${namespace}.${name}`
    if (!variable) {
      const known = [...builtIn.keys(), ...(declared?.keys() ?? [])].map((one) => `$${namespace}.${one}`)
      const message = builtIn.size === 0 ? `${full} is not declared` : `${full} is neither built in nor declared`
      return this.#unknown(where, message, full, known)
    }
    const own = (variable.default ?? null) === null ? variable.type.orNull : variable.type
    return { kind: 'system', namespace, name, variable, type: own, form: own, site }
  }

  #inputVariable(where: Span, input: string, name: string): Checked {
    const variables = this.#scope.variables ?? {}
    const inputs = [...(variables.inputs ?? [])]
    const variable = variables.source?.get(name)
    if (!inputs.includes(input)) {
      return this.#unknown(where, `$source.${input}.${name} names no input '${input}'`, input, inputs)
    }
    if (!variable) {
      const known = [...(variables.source?.keys() ?? [])]
      return this.#unknown(where, `$source.${input}.${name} is not declared`, name, known)
    }
    const type = variable.type.orNull
    return { kind: 'input_variable', input, name, variable, type, form: type, site: this.#site(where) }
  }

  #document(where: Span, section: string, field: string): Checked {
    const { doc } = this.#scope
    const site = this.#site(where)
    if (doc === false) return this.#refuse(where, `$doc.${section}.${field} cannot be read here`)
    if (!doc) return { kind: 'document', section, field, type: any, form: any, site }
    const fields = doc.get(section)
    const type = fields?.get(field)
    if (!type) {
      const message = fields
        ? `no source declares the field '${field}' of $doc.${section}`
        : `no source declares the section $doc.${section}`
      return this.#unknown(where, message, fields ? field : section, (fields ?? doc).keys(), 'E341')
    }
    // A file may lack any section.
    return { kind: 'document', section, field, type: type.orNull, form: type.orNull, site }
  }

  #field(expr: Extract<Expr, { kind: 'field' }>): Checked {
    const site = this.#site(expr)
    const { object, name } = expr
    if (object.kind === 'name' && !this.#isBinding(object.name)) {
      const module = this.#context.modules.get(object.name)
      const isInput = !this.#context.module && this.#scope.qualifiers?.has(object.name)
      if (module && !isInput) return this.#memberOf(module, name, expr)
    }
    const dotted = this.#dotted(expr)
    if (dotted) return dotted
    if (object.kind === 'window') return this.#window(object, name)
    const value = this.expression(object)
    // Only a map has fields, so a method's name behind any other known type is a call that lacks its parentheses.
    const isCall = !isOpen(value.type) && builtins.get(name)?.some((builtin) => builtin.takesReceiver(value.type))
    if (isCall && value.type.name !== 'map') {
      return this.#refuse(expr, `'${name}' is a method and must be called`, `write '.${name}()'`)
    }
    return { kind: 'field', object: value, name, type: any, form: any, site }
  }

  /**
   * `a.b` where it is one column: the field `b` of the input `a`, or a declared column whose name has the dot in it, which wins over
   * walking the map in `a`. Undefined where it is neither.
   */
  #dotted(expr: Extract<Expr, { kind: 'field' }>): Checked | undefined {
    const site = this.#site(expr)
    const [first = '', ...rest] = pathOf(expr) ?? []
    const { module, lets, emitted } = this.#context
    if (rest.length === 0 || module || this.#isBinding(first)) return undefined
    const { qualifiers, columns } = this.#scope
    const fields = qualifiers?.get(first)
    const inner = rest.join('.')
    if (fields) {
      const type = fields.get(inner)
      if (type) return { kind: 'qualified', qualifier: first, name: inner, type, form: type, site }
      // A longer path may walk the map in a field.
      if (rest.length > 1) return undefined
      return this.#unknown(expr, `'${first}' has no field '${inner}'`, inner, fields.keys())
    }
    if (!columns || lets.has(first)) return undefined
    const name = `${first}.${inner}`
    const type = columns.get(name)
    if (type) {
      this.#columns.add(name)
      return { kind: 'column', name, type, form: type, site }
    }
    // Where only dotted columns begin so, one of them is meant.
    const isBeginning = !columns.has(first) && !emitted.has(first)
    if (!isBeginning || ![...columns.keys()].some((known) => known.startsWith(`${first}.`))) return undefined
    return this.#hasDottedBelow(first, rest) ? undefined : this.#unknownName(name, expr)
  }

  /** Whether a shorter beginning of the path is a column, in which the rest is walked. */
  #hasDottedBelow(first: string, rest: readonly string[]): boolean {
    return rest.some((_, index) => index > 0 && this.#scope.columns?.has([first, ...rest.slice(0, index)].join('.')))
  }

  #isBinding(name: string): boolean {
    return this.#context.bindings.some((local) => local.name === name)
  }

  #unary(expr: Extract<Expr, { kind: 'unary' }>): Checked {
    const site = this.#site(expr)
    const operand = this.expression(expr.operand)
    if (expr.operator === 'not') {
      const type = isCertain(operand.type) ? bool : bool.orNull
      return { kind: 'not', operand, type, form: type, site }
    }
    const { type, form } = operand
    if (operand.kind === 'constant' && typeof operand.value === 'number') {
      const value = form.name === 'float' ? -operand.value : negate(operand.value)
      return { ...operand, value, site }
    }
    if (isNumber(type)) return { kind: 'negate', operand, type, form, site }
    return { kind: 'negate', operand, type: any, form: any, site }
  }

  #binary(expr: Extract<Expr, { kind: 'binary' }>): Checked {
    const left = this.expression(expr.left)
    const right = this.expression(expr.right)
    const { operator } = expr
    switch (operator) {
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return this.#arithmetic(expr, operator, left, right)
      case 'and':
      case 'or': {
        this.#use(left, bool)
        this.#use(right, bool)
        const type = isCertain(left.type) && isCertain(right.type) ? bool : bool.orNull
        return { kind: 'logic', operator, left, right, type, form: type, site: this.#site(expr) }
      }
      case '??': {
        // The left side's null is what the right one replaces.
        const type = left.type.name === 'null' ? right.type : unifyOrAny(left.type.notNull, right.type)
        const form = left.form.name === 'null' ? right.form : joinForms(left.form.notNull, right.form)
        return { kind: 'coalesce', left, right, type, form, site: this.#site(expr) }
      }
      default: {
        const unified = unify(left.type, right.type)
        if (!unified) return this.#mismatch(expr, 'compare', left, right)
        if (!isOpen(right.type)) this.#use(left, right.type.notNull)
        if (!isOpen(left.type)) this.#use(right, left.type.notNull)
        const never = operator === '==' || operator === '!='
        const nullable = !never && (left.type.nullable || right.type.nullable)
        const type = nullable ? bool.orNull : bool
        return { kind: 'comparison', operator, left, right, type, form: type, site: this.#site(expr) }
      }
    }
  }

  #arithmetic(where: Span, operator: ArithmeticOperator, left: Checked, right: Checked): Checked {
    const texts = operator === '+' && [left, right].every(({ type }) => isOpen(type) || type.name === 'string')
    const usable = (type: Type): boolean => isOpen(type) || isNumber(type)
    if (!texts && !(usable(left.type) && usable(right.type))) return this.#mismatch(where, operator, left, right)
    const type = unify(left.type, right.type)
    if (!type) return this.#mismatch(where, operator, left, right)
    if (operator !== '+') {
      this.#use(left, Type.of('numeric'))
      this.#use(right, Type.of('numeric'))
    }
    return {
      kind: 'arithmetic',
      operator,
      left,
      right,
      type,
      form: arithmeticForm(left.form, right.form),
      site: this.#site(where),
    }
  }

  #mismatch(where: Span, what: string, left: Checked, right: Checked): Checked {
    const types = [left.type, right.type]
    const has = (name: TypeName): boolean => types.some((type) => type.name === name)
    const labels = types.map(typeLabel)
    if (has('decimal') && has('float')) {
      return this.#refuse(
        where,
        'cannot mix decimal and float without an explicit cast',
        'convert one side with .to_decimal() or .to_float()',
      )
    }
    const message =
      what === 'compare'
        ? `cannot compare ${labels[0]} with ${labels[1]}`
        : `'${what}' does not take ${labels[0]} and ${labels[1]}`
    return this.#refuse(where, message, mismatchHelp(what, has))
  }

  /** Notes how a name of unknown type is used; uses that exclude each other are a fault. */
  #use(node: Checked, type: Type): void {
    if (node.type.name !== 'any') return
    let key: string
    let name: string
    if (node.kind === 'column') {
      key = `column ${node.name}`
      name = node.name
    } else if (node.kind === 'local' && this.#isNamed(node.local)) {
      key = `local ${node.local.id}`
      name = node.local.name
    } else return
    const before = this.#uses.get(key)
    const unified = before ? unify(before.type, type) : type
    if (unified) this.#uses.set(key, { type: unified })
    else if (before) {
      this.#report('typecheck', node.site, `'${name}' is used as ${typeLabel(before.type)} and as ${typeLabel(type)}`)
    }
  }

  /** Whether a local is a `let` or an emitted column; elements of arrays may differ in type. */
  #isNamed(local: Local): boolean {
    return this.#context.lets.get(local.name) === local || this.#context.emitted.get(local.name) === local
  }

  #match(expr: Extract<Expr, { kind: 'match' }>): Checked {
    const value = expr.subject && this.expression(expr.subject)
    const subject = value && { local: this.#local('', value.type, value.form), value }
    const arms: { pattern: Checked; result: Checked }[] = []
    let otherwise: Checked | undefined
    let type: Type | undefined
    let form: Type | undefined
    for (const arm of expr.arms) {
      const pattern = arm.pattern && this.expression(arm.pattern)
      const result = this.expression(arm.result)
      type = type ? unifyOrAny(type, result.type) : result.type
      form = form ? joinForms(form, result.form) : result.form
      // What stands behind the `_` arm is checked and never reached.
      if (otherwise) continue
      if (pattern) arms.push({ pattern, result })
      else otherwise = result
    }
    if (!otherwise)
      return this.#refuse(expr, "'match' needs an arm '_ => …' for everything else", "add '_ => null' as its last arm")
    return { kind: 'match', subject, arms, otherwise, type: type ?? any, form: form ?? any, site: this.#site(expr) }
  }

  // --- calls --------------------------------------------------------------------------------------------------------

  #plainArguments(args: readonly Argument[], name: string): Checked[] {
    return args.map((arg) => {
      if (arg.kind !== 'closure') return this.expression(arg)
      return this.#refuse(arg, `'${name}' takes no closure`)
    })
  }

  #closure(arg: Extract<Argument, { kind: 'closure' }>): CheckedClosure {
    const it = this.#local('it', any, any)
    const context = this.#context
    this.#context = { ...context, bindings: [...context.bindings, it] }
    const body = this.expression(arg.body)
    this.#context = context
    return { kind: 'closure', it, body }
  }

  #method(expr: Extract<Expr, { kind: 'method' }>): Checked {
    const { name, nameSpan, args } = expr
    const { receiver: object } = expr
    if (object.kind === 'name' && !this.#isBinding(object.name)) {
      const module = this.#context.modules.get(object.name)
      if (module) return this.#callModule(module, name, expr, nameSpan, args)
    }
    const receiver = this.expression(object)
    const overloads = builtins.get(name)
    const checked = args.map((arg) => (arg.kind === 'closure' ? this.#closure(arg) : this.expression(arg)))
    if (!overloads) {
      const meant = cureIn(foreignMethods, name)
      const help = meant === undefined ? didYouMean(name, builtins.keys()) : `use '${meant}'`
      return this.#refuse(expr, `there is no method '${name}'`, help)
    }
    const fitting = overloadsFor(receiver.type, overloads)
    if (fitting.length === 0) {
      const wanted = receiversOf(overloads)
      return this.#refuse(
        expr,
        `'${name}' is a method of ${wanted}, got ${typeLabel(receiver.type)}`,
        receiverHelp(overloads),
      )
    }
    const accepted = fitting.filter((builtin) => !this.#argumentFault(builtin, checked))
    if (accepted.length === 0) {
      // Only known types can be at fault: of several overloads the one that takes as many arguments says it best.
      const best =
        fitting.find((builtin) => checked.length >= builtin.least && checked.length <= builtin.most) ?? fitting[0]
      return this.#refuse(expr, this.#argumentFault(best as Builtin, checked) as string)
    }
    this.#checkPatterns(accepted, checked)
    if (accepted.some((builtin) => builtin.entry.needsContext)) this.#noticed = true
    const given = (of: 'type' | 'form'): (Type | 'closure')[] => {
      return checked.map((arg) => (arg.kind === 'closure' ? arg.kind : arg[of]))
    }
    const type = resultOf(accepted, receiver.type, given('type'))
    // What is an int or a float in the language may be either when it runs.
    const runnable = overloadsFor(receiver.form, overloads).filter((builtin) => !this.#argumentFault(builtin, checked))
    const form = resultOf(runnable, receiver.form, given('form'))
    return { kind: 'method', name, overloads: runnable, receiver, args: checked, type, form, site: this.#site(expr) }
  }

  /** What is wrong with the arguments for this overload; undefined when nothing is. */
  #argumentFault(builtin: Builtin, args: readonly (Checked | CheckedClosure)[]): string | undefined {
    const { name, least, most } = builtin
    if (args.length < least || args.length > most) {
      const wanted =
        most === least
          ? count(least, 'argument')
          : most === Infinity
            ? `${least} or more arguments`
            : `${least} to ${most} arguments`
      return `'${name}${builtin.entry.signature}' takes ${wanted}, got ${args.length}`
    }
    for (const [index, arg] of args.entries()) {
      const type = arg.kind === 'closure' ? arg.kind : arg.type
      if (builtin.takesArgument(index, type)) continue
      const parameter = builtin.parameterAt(index)
      const wanted = parameter?.types.map(wordLabel).join(' or ')
      return `'${name}' takes ${wanted} as '${parameter?.name}', got ${type === 'closure' ? 'a closure' : typeLabel(type)}`
    }
    return undefined
  }

  /** A literal pattern is compiled now, so that a bad one is told before any data is read. */
  #checkPatterns(overloads: readonly Builtin[], args: readonly (Checked | CheckedClosure)[]): void {
    for (const [index, arg] of args.entries()) {
      const isPattern = overloads.some((builtin) => builtin.parameterAt(index)?.types.includes('pattern'))
      if (!isPattern || arg.kind !== 'constant' || typeof arg.value !== 'string') continue
      try {
        compileRegex(arg.value)
      } catch (error) {
        this.#refuse(arg.site, (error as Error).message)
      }
    }
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Checked {
    const { name, nameSpan } = expr
    const { module } = this.#context
    if (module && (module.functions.has(name) || module.constants.has(name))) {
      return this.#callModule(module, name, expr, nameSpan, expr.args)
    }
    const builtin = functions.get(name)
    if (builtin && !expr.star) return this.#free(expr, builtin, builtin.entry.run, concatType)
    const own = this.#scope.functions?.get(name)
    if (own && !expr.star) {
      this.#noticed = true
      return this.#free(expr, own, own.guarded, (args) => own.resultFor(args))
    }
    if (aggregateFunctions.has(name)) {
      this.#plainArguments(expr.args, name)
      return this.#refuse(
        expr,
        `the aggregate '${name}' needs a group of records and cannot be used here`,
        'use it in an aggregate or a cull node',
      )
    }
    this.#plainArguments(expr.args, name)
    const method = builtins.has(name) ? name : cureIn(foreignMethods, name)
    const help =
      cureIn(foreignFunctions, name) ??
      (method === undefined ? cureIn(foreignOperators, name) : `'${method}' is a method: write 'value.${method}(…)'`)
    if (help !== undefined) {
      this.#report('resolve', nameSpan, `there is no function '${name}'`, help)
      return this.#poison(expr)
    }
    const known = [...functions.keys(), ...(this.#scope.functions?.keys() ?? []), ...(module?.functions.keys() ?? [])]
    return this.#unknown(nameSpan, `there is no function '${name}'`, name, known)
  }

  #free(
    expr: Extract<Expr, { kind: 'call' }>,
    builtin: Builtin,
    run: BuiltinCode,
    typeFor: (args: readonly Type[]) => Type,
  ): Checked {
    const args = this.#plainArguments(expr.args, expr.name)
    const fault = this.#argumentFault(builtin, args)
    if (fault !== undefined) return this.#refuse(expr, fault)
    const type = typeFor(args.map((arg) => arg.type))
    return { kind: 'function', name: expr.name, run, args, type, form: type, site: this.#site(expr) }
  }

  #window(expr: Extract<Expr, { kind: 'window' }>, field?: string): Checked {
    const { name, args } = expr
    const takes = windowFunctions.get(name)
    const full = `$window.${name}`
    if (takes === undefined) {
      return this.#refuse(expr, `there is no window function ${full}`, didYouMean(name, windowFunctions.keys()))
    }
    const [least, most] = takes === 'none' ? [0, 0] : takes === 'offset' ? [0, 1] : [1, 1]
    if (args.length < least || args.length > most) {
      return this.#refuse(
        expr,
        `${full} takes ${least === most ? count(least, 'argument') : 'at most 1 argument'}, got ${args.length}`,
      )
    }
    for (const arg of args) {
      const nested = arg.kind === 'closure' ? undefined : windowCallIn(arg)
      if (nested) return this.#refuse(nested, `$window.${nested.name} cannot stand inside ${full}`)
    }
    const [argument] = this.#plainArguments(args, full)
    if (takes === 'predicate' && argument && !['bool', 'any'].includes(argument.type.name)) {
      return this.#refuse(argument.site, `${full} needs a Bool, got ${typeLabel(argument.type)}`)
    }
    const message = `${full} needs an 'analytic_window' on its transform`
    if (this.#scope.window !== 'fails') return this.#refuse(expr, message)
    const of = field === undefined ? message : `${message} to read '${field}'`
    return { kind: 'failure', message: of, type: any, form: any, site: this.#site(expr) }
  }
}

/** The overloads for a receiver: those for exactly its type where there are any, else those that take it. */
function overloadsFor(receiver: Type, overloads: readonly Builtin[]): readonly Builtin[] {
  const exact = overloads.filter((builtin) => builtin.receivers.includes(receiver.name))
  return exact.length > 0 ? exact : overloads.filter((builtin) => builtin.takesReceiver(receiver))
}

/** The type of `concat(…)`, the one free function: null only where all its arguments may be. */
function concatType(args: readonly Type[]): Type {
  return Type.of(
    'string',
    args.every(({ nullable }) => nullable),
  )
}

/** The names of `a.b.c`; undefined where it begins with anything but a name. */
function pathOf(expr: Expr): readonly string[] | undefined {
  if (expr.kind === 'name') return [expr.name]
  const before = expr.kind === 'field' ? pathOf(expr.object) : undefined
  return before && expr.kind === 'field' ? [...before, expr.name] : undefined
}

/** Whether a Bool is never null. */
function isCertain(type: Type): boolean {
  return type.name === 'bool' && !type.nullable
}

/** How the result of arithmetic is represented: with a float on either side and no decimal in sight it is always a float. */
function arithmeticForm(left: Type, right: Type): Type {
  const nullable = left.nullable || right.nullable
  const names = [left.name, right.name]
  const is = (...allowed: TypeName[]): boolean => names.every((name) => allowed.includes(name))
  if (is('int')) return Type.of('int', nullable)
  if (is('string')) return Type.of('string', nullable)
  if (is('int', 'float', 'numeric') && names.includes('float')) return Type.of('float', nullable)
  if (is('int', 'float', 'numeric')) return Type.of('numeric', nullable)
  if (is('int', 'decimal') && names.includes('decimal')) return Type.of('decimal', nullable)
  return any
}

function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const near = closestMatch(name, candidates)
  return near === undefined ? undefined : `did you mean '${near}'?`
}

/** The cure for a word that means something in other languages. */
function habitHelp(name: string): string | undefined {
  if (/^e\d+$/.test(name)) return 'numbers have no exponent; write the digits out'
  return cureIn(foreignNames, name) ?? cureIn(foreignKeywords, name) ?? cureIn(foreignOperators, name)
}

function count(amount: number, what: string): string {
  if (amount === 0) return `no ${what}s`
  return amount === 1 ? `1 ${what}` : `${amount} ${what}s`
}

function wordLabel(word: string): string {
  if (word === 'pattern' || word === 'text') return 'String'
  return word === 'closure' ? 'a closure' : typeLabel(Type.of(word as TypeName)).replace('Nullable', '')
}

function receiversOf(overloads: readonly Builtin[]): string {
  const words = new Set(overloads.flatMap((builtin) => builtin.receivers).map(wordLabel))
  return [...words].join(', ')
}

function receiverHelp(overloads: readonly Builtin[]): string | undefined {
  const takes = (word: TypeName): boolean => overloads.some((builtin) => builtin.receivers.includes(word))
  if (takes('string')) return 'convert with .to_string()'
  if (takes('date')) return 'convert with .to_date() or .to_datetime()'
  return takes('int') ? 'convert with .to_int(), .to_float() or .to_decimal()' : undefined
}

function mismatchHelp(what: string, has: (name: TypeName) => boolean): string | undefined {
  if (has('date') || has('date_time')) {
    if (what === '-') return 'use a.diff_days(b) for the days between, .add_days(-n) to go back'
    if (what === '+') return has('string') ? 'convert with .to_string() or .format_date(…)' : 'use .add_days(n)'
    return has('string')
      ? 'convert with .to_date() or .to_datetime()'
      : 'convert one side with .to_date() or .to_datetime()'
  }
  if (has('string')) {
    const numbers = '.to_int(), .to_float() or .to_decimal()'
    if (what === '+') return `use .to_string() to join texts, ${numbers} to add numbers`
    return what === 'compare' ? `convert with .to_string(), ${numbers}` : `convert the text with ${numbers}`
  }
  return undefined
}
