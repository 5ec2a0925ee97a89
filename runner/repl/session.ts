import {
  bareEnvironment,
  compileExpression,
  compileTransform,
  type Environment,
  type Expression,
  filtered,
  formatProblem,
  passed,
  printJson,
  printRecord,
  ProgramError,
  type Scope,
} from '../../lib/cxl/engine.ts'
import type { Statement } from '../../lib/cxl/ast.ts'
import { tokenize } from '../../lib/cxl/lexer.ts'
import { parseProgram } from '../../lib/cxl/parser.ts'
import { type Problem, refuse } from '../../lib/cxl/problem.ts'
import { typeLabel } from '../../lib/cxl/types.ts'
import { ClinkerError, ClinkerErrors } from '../../lib/diagnostics/index.ts'
import { Float, floatText } from '../../lib/record/float.ts'
import { mapKeys } from '../../lib/record/map.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { ShapeTable } from '../../lib/record/shape.ts'
import { originOf, rowOf, shapeOf } from '../../lib/record/stamp.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row, Value } from '../../lib/record/value.ts'

/** What a line is answered with. */
export interface Answer {
  readonly output: string
  readonly error: string
}

/** What a name of the session, or an expression, stands for. */
interface Binding {
  readonly type: Type
  readonly form: Type
  readonly value: Value
}

/**
 * Evaluates a program bit by bit. `let` and `emit` stay in force: they are evaluated when they are entered, and again for every record
 * that comes after. All other statements are evaluated once.
 */
export class Session {
  /** The texts of the statements that stay, in order. */
  #kept: string[] = []
  readonly #lets = new Map<string, Binding>()
  readonly #emits = new Map<string, Binding>()
  #record: Row | undefined
  #said: string[] = []
  readonly #environment: Environment = {
    ...bareEnvironment('cxl-repl'),
    log: (level, message) => void this.#said.push(`${level}: ${message}`),
  }

  /** Evaluates statements and expressions. */
  enter(text: string): Answer {
    return this.#answer(text, (lines) => {
      for (const statement of parsed(text)) {
        const answer = this.#statement(statement, text)
        lines.push(...this.#said.splice(0), ...answer)
        if (isKept(statement)) this.#kept.push(text.slice(statement.start, statement.end))
      }
    })
  }

  /** The type of an expression, which is not evaluated. */
  typeOf(text: string): Answer {
    return this.#answer(text, (lines) => {
      lines.push(typeLabel(compileExpression(text, this.#scope()).type))
    })
  }

  /** Takes a record and evaluates for it what stays. */
  take(record: Row): Answer {
    this.#record = record
    const kept = this.#kept
    this.reset()
    const answers = kept.map((text) => {
      const answer = this.enter(text)
      // What fails for this record may do for the next one.
      if (answer.error !== '') this.#kept.push(text)
      return answer
    })
    return {
      output: answers.map(({ output }) => output).join(''),
      error: answers.map(({ error }) => error).join(''),
    }
  }

  /** Forgets all names; the record stays. */
  reset(): void {
    this.#kept = []
    this.#lets.clear()
    this.#emits.clear()
  }

  /** The record as JSON; undefined when there is none. */
  record(): string | undefined {
    const record = this.#record
    if (!record) return undefined
    const columns = [...this.#columns()].map(([name, type]) => ({ name, type }))
    return printRecord(columns, record)
  }

  #answer(text: string, evaluate: (lines: string[]) => void): Answer {
    this.#said = []
    const lines: string[] = []
    try {
      evaluate(lines)
      return { output: joined(lines), error: '' }
    } catch (error) {
      if (!(error instanceof ClinkerError)) throw error
      const errors = error instanceof ClinkerErrors ? error.errors : [error]
      return {
        output: joined([...lines, ...this.#said]),
        error: joined(errors.map((each) => problemText(each, text))),
      }
    }
  }

  #columns(): ReadonlyMap<string, Type> {
    const record = this.#record
    if (!record) return new Map()
    const shape = shapeOf(record)
    if (shape) return new Map(shape.columns.map(({ name, type }) => [name, type]))
    return new Map(mapKeys(record).map((name) => [name, Type.of('any')]))
  }

  /** Names in reach: fields, which an `emit` does not hide and a `let` does. */
  #names(): { types: Map<string, Type>; values: Map<string, Value> } {
    const types = new Map(this.#columns())
    const values = new Map([...types.keys()].map((name) => [name, this.#record?.[name] ?? null]))
    const emits = [...this.#emits].filter(([name]) => !types.has(name))
    for (const [name, { form, value }] of [...emits, ...this.#lets]) {
      types.set(name, form)
      values.set(name, value)
    }
    return { types, values }
  }

  #scope(): Scope {
    return { columns: this.#names().types, window: 'fails' }
  }

  #row(): { row: Row; shapes: ShapeTable } {
    const { types, values } = this.#names()
    const shapes = new ShapeTable()
    const shape = shapes.of([...types].map(([name, type]) => ({ name, type })))
    const record = this.#record
    const origin = (record && originOf(record)) ?? new Origin(new SourceFile('cxl-repl', '<inline>'))
    return { row: shape.make([...values.values()], origin, record ? rowOf(record) : 0), shapes }
  }

  #statement(statement: Statement, text: string): string[] {
    switch (statement.kind) {
      case 'expression':
        return [shown(this.#evaluate(text, statement.start, statement.end))]
      case 'let':
      case 'emit': {
        if (statement.kind === 'emit' && statement.namespace !== undefined) break
        const { name, kind } = statement
        const result = this.#evaluate(text, valueStart(text, statement.nameSpan.end), statement.end, name)
        const names = kind === 'let' ? this.#lets : this.#emits
        names.set(name, result)
        return [`${name} = ${shown(result)}`]
      }
    }
    const { row, shapes } = this.#row()
    const only = blanked(text, statement.start, statement.end)
    const program = compileTransform(only, this.#scope(), { keep: 'emitted' })
    const out: Row[] = []
    const shape = shapeOf(row) as NonNullable<ReturnType<typeof shapeOf>>
    const outcome = program.bind(shape, shapes)(row, this.#environment, out)
    if (statement.kind === 'filter') return [outcome === filtered ? 'the record is dropped' : 'the record passes']
    if (statement.kind !== 'each' || outcome !== passed) return []
    return out.length === 0 ? ['no records'] : out.map((record) => printRecord(shapeOf(record)?.columns ?? [], record))
  }

  #evaluate(text: string, start: number, end: number, field?: string): Binding {
    const only = blanked(text, start, end)
    const expression: Expression = compileExpression(only, this.#scope(), field === undefined ? {} : { field })
    const value = expression.evaluate(this.#row().row, this.#environment)
    return { type: expression.type, form: expression.form, value }
  }
}

/** Whether brackets are open at the end of a text, so that more lines belong to it. */
export function isOpen(text: string): boolean {
  let depth = 0
  for (const { kind, text: sign } of tokenize({ text }, []).tokens) {
    if (kind !== 'symbol') continue
    if ('([{'.includes(sign)) depth++
    if (')]}'.includes(sign)) depth--
  }
  return depth > 0
}

function parsed(text: string): readonly Statement[] {
  const problems: Problem[] = []
  const { statements } = parseProgram({ text }, problems)
  refuse(problems)
  return statements
}

function isKept(statement: Statement): boolean {
  return statement.kind === 'let' || (statement.kind === 'emit' && statement.namespace === undefined)
}

/** Where the value of a `let` or an `emit` begins: behind the `=`. */
function valueStart(text: string, nameEnd: number): number {
  const equals = /(?:\s|#[^\r\n]*)*=/y
  equals.lastIndex = nameEnd
  return nameEnd + (equals.exec(text)?.[0].length ?? 0)
}

/** The text with blanks for all but a stretch, so that places stay what they are. */
function blanked(text: string, start: number, end: number): string {
  const blank = (part: string): string => part.replace(/[^\r\n]/g, ' ')
  return blank(text.slice(0, start)) + text.slice(start, end) + blank(text.slice(end))
}

/** The frame of a message shows the line as it was entered. */
function problemText(error: ClinkerError, text: string): string {
  const phase = error instanceof ProgramError ? error.phase : 'eval'
  return formatProblem(phase, error.reason, error.place && { ...error.place, text }, error.help)
}

function shown({ type, form, value }: Binding): string {
  const number = value instanceof Float ? value.value : value
  const isOdd = typeof number === 'number' && !Number.isFinite(number)
  return `${isOdd ? floatText(number) : printJson(value, form)} : ${typeLabel(type)}`
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
