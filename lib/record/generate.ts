/**
 * The one place that turns text into code. Names and constants reach generated code as data (`bind`); only a name that
 * is a plain identifier is ever written into the text, and `__proto__` never is.
 */
export class Code {
  readonly #names = new Map<unknown, string>()
  readonly #values: unknown[] = []

  /** The identifier under which generated code finds `value`. Equal values (`Object.is`) share one. */
  bind(value: unknown): string {
    const key = Object.is(value, -0) ? Code : value
    let name = this.#names.get(key)
    if (name === undefined) {
      name = `k${this.#values.push(value) - 1}`
      this.#names.set(key, name)
    }
    return name
  }

  /** Reads a column: `r.amount` for a plain name, `r[k3]` for any other. */
  member(object: string, column: string): string {
    return isIdentifier(column) ? `${object}.${column}` : `${object}[${this.bind(column)}]`
  }

  /** An object literal with own properties only, whatever the columns are called. */
  literal(entries: Iterable<readonly [column: string, expression: string]>): string {
    const parts: string[] = []
    for (const [column, expression] of entries) {
      parts.push(isIdentifier(column) ? `${column}: ${expression}` : `[${this.bind(column)}]: ${expression}`)
    }
    return `({ ${parts.join(', ')} })`
  }

  /** Compiles `function (...parameters) { body }`, in strict mode, with all bound values in reach. */
  compile<F extends (...given: never[]) => unknown>(parameters: readonly string[], body: string): F {
    const bound = this.#values.map((_, index) => `k${index}`)
    const text = `'use strict';\nreturn function (${parameters.join(', ')}) {\n${body}\n}`
    return new Function(...bound, text)(...this.#values) as F
  }
}

/** Whether this process allows code generation (`--disallow-code-generation-from-strings`, CSP). */
export function canGenerate(): boolean {
  allowed ??= tryGenerate()
  return allowed
}

/** Wider records are built by a loop: past this, generated literals are no faster and cost compile time. */
export const widestLiteral = 256

/** Whether a column name can stand in code as it is. */
function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== '__proto__'
}

let allowed: boolean | undefined

function tryGenerate(): boolean {
  try {
    return new Function('return true')() === true
  } catch {
    return false
  }
}
