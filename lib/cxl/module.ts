import type { Expr, Span, Statement } from './ast.ts'
import { parseProgram } from './parser.ts'
import type { Problem, SourceText } from './problem.ts'
import type { ModuleResolver } from './scope.ts'

/** Limits on modules (spec/6). Sizes are in UTF-16 units of the text, which is never more than its bytes. */
const largestModule = 2 ** 20
const mostModules = 64
const deepestImport = 32
const largestTotal = 16 * 2 ** 20

export interface ModuleFunction {
  readonly name: string
  readonly parameters: readonly string[]
  readonly body: Expr
  readonly span: Span
}

export interface ModuleConstant {
  readonly name: string
  readonly value: Expr
  readonly span: Span
}

/** A parsed module and those it imports. */
export interface Module {
  readonly name: string
  readonly source: SourceText
  readonly imports: ReadonlyMap<string, Module>
  readonly constants: ReadonlyMap<string, ModuleConstant>
  readonly functions: ReadonlyMap<string, ModuleFunction>
}

/** Loads the modules a program uses, each once, and the modules they use. */
export class ModuleLoader {
  readonly #resolver: ModuleResolver | undefined
  readonly #problems: Problem[]
  readonly #loaded = new Map<string, Module | undefined>()
  #total = 0

  constructor(resolver: ModuleResolver | undefined, problems: Problem[]) {
    this.#resolver = resolver
    this.#problems = problems
  }

  /** The modules of the `use` statements by alias. A module that cannot be loaded is reported and left out. */
  imports(statements: readonly Statement[], source: SourceText, chain: readonly string[] = []): Map<string, Module> {
    const imports = new Map<string, Module>()
    const seen = new Set<string>()
    for (const statement of statements) {
      if (statement.kind !== 'use') continue
      const { alias, path } = statement
      if (seen.has(alias)) {
        this.#report(source, statement, `the alias '${alias}' is there twice`, "give one of them another with 'as'")
        continue
      }
      seen.add(alias)
      const module = this.#load(path.join('.'), statement, source, chain)
      if (module) imports.set(alias, module)
    }
    return imports
  }

  #report(source: SourceText, span: Span, message: string, help?: string): undefined {
    const { start, end } = span
    this.#problems.push({ phase: 'resolve', message, start, end, source, ...(help === undefined ? {} : { help }) })
  }

  #load(name: string, use: Span, source: SourceText, chain: readonly string[]): Module | undefined {
    if (chain.includes(name)) {
      const cycle = [...chain.slice(chain.indexOf(name)), name].join(' -> ')
      return this.#report(source, use, `the modules import each other in a cycle: ${cycle}`)
    }
    if (this.#loaded.has(name)) return this.#loaded.get(name)
    this.#loaded.set(name, undefined)
    if (chain.length >= deepestImport) {
      return this.#report(source, use, `modules import each other at most ${deepestImport} deep`)
    }
    if (this.#loaded.size > mostModules)
      return this.#report(source, use, `a program uses at most ${mostModules} modules`)
    if (!this.#resolver) return this.#report(source, use, `no modules can be used here, found '${name}'`)
    const found = this.#resolver.find(name)
    if (!found) return this.#report(source, use, `there is no module '${name}'`)
    this.#total += found.text.length
    if (found.text.length > largestModule || this.#total > largestTotal) {
      return this.#report(source, use, `the module '${name}' is too large`)
    }
    const module = this.#read(name, found, [...chain, name])
    this.#loaded.set(name, module)
    return module
  }

  #read(name: string, source: SourceText, chain: readonly string[]): Module | undefined {
    const problems: Problem[] = []
    const { statements } = parseProgram(source, problems, 'module')
    for (const problem of problems) this.#problems.push({ ...problem, message: `module '${name}': ${problem.message}` })
    if (problems.length > 0) return undefined
    const imports = this.imports(statements, source, chain)
    const constants = new Map<string, ModuleConstant>()
    const functions = new Map<string, ModuleFunction>()
    for (const statement of statements) {
      if (statement.kind !== 'let' && statement.kind !== 'fn') continue
      const { nameSpan: span } = statement
      if (constants.has(statement.name) || functions.has(statement.name)) {
        this.#report(source, span, `module '${name}': the name '${statement.name}' is there twice`)
      } else if (statement.kind === 'let')
        constants.set(statement.name, { name: statement.name, value: statement.value, span })
      else {
        const { parameters, body } = statement
        functions.set(statement.name, { name: statement.name, parameters, body, span })
      }
    }
    return { name, source, imports, constants, functions }
  }
}
