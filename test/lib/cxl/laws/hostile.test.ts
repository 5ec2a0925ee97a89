import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import {
  bareEnvironment,
  compileExpression,
  compileTransform,
  EvaluationError,
  formatProgram,
  ProgramError,
  type Scope,
} from '../../../../lib/cxl/engine.ts'
import { tokens } from '../../../../lib/cxl/token.ts'
import { type ClinkerError, ClinkerErrors } from '../../../../lib/diagnostics/error.ts'
import { makeMap } from '../../../../lib/record/map.ts'
import { unknownOrigin } from '../../../../lib/record/origin.ts'
import { setColumn, ShapeTable } from '../../../../lib/record/shape.ts'
import { Type } from '../../../../lib/record/type.ts'
import type { Row, Value } from '../../../../lib/record/value.ts'
import { columns, expressions, records } from '../programs.ts'
import { scope, shapeAndTable, statements } from './generated.ts'

const canary = 'clinkerCanary'
const globals = (): string[] => Object.getOwnPropertyNames(globalThis).sort()
const before = { globals: globals(), prototype: Object.getOwnPropertyNames(Object.prototype) }

afterAll(() => {
  expect(canary in globalThis).toBe(false)
  expect(Object.getOwnPropertyNames(Object.prototype)).toStrictEqual(before.prototype)
  expect(globals()).toStrictEqual(before.globals)
})

/** Compiles what may be wrong. Only faults of the program may come out, each with its place. */
function survives(compile: () => unknown): boolean {
  try {
    compile()
    return true
  } catch (error) {
    const all: readonly ClinkerError[] = error instanceof ClinkerErrors ? error.errors : [error as ClinkerError]
    for (const each of all) {
      if (!(each instanceof ProgramError)) throw error
      expect(each.place?.line).toBeGreaterThan(0)
      expect(each.place?.column).toBeGreaterThan(0)
      expect(each.reason).not.toBe('')
    }
    return false
  }
}

function compileAll(text: string): void {
  for (const backend of ['generated', 'closures'] as const) {
    for (const of of [scope, {}]) {
      survives(() => {
        const { shape, shapes } = shapeAndTable()
        compileTransform(text, of, { backend }).bind(shape, shapes)
      })
      survives(() => compileExpression(text, of, { backend }))
    }
  }
  survives(() => formatProgram(text))
}

describe('the compiler', { timeout: 600_000 }, () => {
  test('refuses texts that are no programs, and nothing else happens', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ unit: 'grapheme', maxLength: 60 }))
    fc.assert(fc.property(text, compileAll))
  })

  test('takes words of the language in any order', () => {
    const word = fc.oneof(
      fc.constantFrom(...Object.keys(tokens)),
      fc.constantFrom(...columns.map(([name]) => name), 'each', 'in', 'outer', 'e', '_', 'count', 'concat', 'left'),
      fc.constantFrom('1', '2.5', '"x"', "'y'", '#2024-02-29#', '#2024-13-01#', '$source', '$window', '$doc', '$x'),
      fc.constantFrom('\n', '\r\n', '# note\n', ';', '&&', '||', '!', '?', '`', '\\', '\u2028', '“', '//', '/*', '"'),
    )
    const soup = fc
      .tuple(fc.array(word, { maxLength: 25 }), fc.constantFrom(' ', ''))
      .map(([all, gap]) => all.join(gap))
    fc.assert(fc.property(soup, compileAll))
  })

  test('survives programs with a piece cut out, doubled or put elsewhere', () => {
    const broken = fc
      .tuple(fc.array(statements, { minLength: 1, maxLength: 3 }), fc.nat(), fc.nat(20), fc.nat(), fc.boolean())
      .map(([all, from, length, to, keep]) => {
        const text = all.join('\n')
        const start = from % (text.length + 1)
        const piece = text.slice(start, start + length)
        const rest = keep ? text : text.slice(0, start) + text.slice(start + length)
        const at = to % (rest.length + 1)
        return rest.slice(0, at) + (keep ? piece : '') + rest.slice(at)
      })
    fc.assert(fc.property(broken, compileAll))
  })
})

/** Texts that would run if they ever reached JavaScript unquoted. */
const attacks = [
  `\${globalThis.${canary}=1}`,
  `\`+(globalThis.${canary}=1)+\``,
  `"+(globalThis.${canary}=1)+"`,
  `'+(globalThis.${canary}=1)+'`,
  `\\";globalThis.${canary}=1//`,
  `]);globalThis.${canary}=1;([`,
  `*/globalThis.${canary}=1/*`,
  `\u2028globalThis.${canary}=1\u2029`,
  `\n;globalThis.${canary}=1\r\n`,
  `</script>`,
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'row',
  'environment',
  'inputs',
  'variables',
  'at',
  '',
  '0',
  '4294967294',
  '\ud800',
]

const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...attacks) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
)

/** A text as CXL writes it. */
function literal(text: string): string {
  const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' }
  return `"${text.replace(/[\n\r\t"\\]/g, (character) => escapes[character] as string)}"`
}

describe.each(['generated', 'closures'] as const)('hostile names and texts, %s', { timeout: 600_000 }, (backend) => {
  const any = Type.of('any')
  const environment = bareEnvironment()

  test('are data in literals, keys and entries of maps', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const [a, b] = [literal(one), literal(two)]
        const m: Value = makeMap([[one, two]])
        const program = [
          `emit text = ${a}`,
          `emit joined = ${a} + ${b}`,
          `emit key = m[${a}]`,
          `emit none = m.remove_field(${a}).keys().length()`,
          `emit other = m.set("__proto__", ${a})["__proto__"]`,
          `emit same = match ${a} { ${b} => ${b}, _ => ${a} }`,
          `emit list = ${a}.split("").map(it => it).join("")`,
        ].join('\n')
        const shapes = new ShapeTable()
        const shape = shapes.of([{ name: 'm', type: any }])
        const run = compileTransform(program, { columns: new Map([['m', any]]) }, { backend }).bind(shape, shapes)
        const out: Row[] = []
        run(shape.make([m], unknownOrigin, 1), environment, out)
        const [record] = out
        expect(record?.['text']).toBe(one)
        expect(record?.['joined']).toBe(one + two)
        expect(record?.['key']).toBe(two)
        expect(record?.['none']).toBe(0)
        expect(record?.['other']).toBe(one)
        expect(record?.['same']).toBe(one)
        expect(record?.['list']).toBe(one)
        expect(canary in globalThis).toBe(false)
      }),
    )
  })

  test('are data in the names of columns, declared and carried', () => {
    const others = fc.uniqueArray(hostile, { maxLength: 5 })
    fc.assert(
      fc.property(
        others,
        others,
        fc.constantFrom('__proto__', 'constructor', 'row', 'at', 'out'),
        (first, more, own) => {
          const declared = first.filter((name) => name !== own)
          const carried = more.filter((name) => name !== own && !declared.includes(name))
          const names = [...declared, ...carried]
          const typed = declared.map((name) => ({ name, type: any }))
          const shapes = new ShapeTable()
          const shape = shapes.of([...typed, ...carried.map((name) => ({ name, type: any }))], declared.length)
          const scoped: Scope = { columns: new Map(declared.map((name) => [name, any])), source: `"${names.join()}"` }
          const program = `let ${own} = 1\nemit ${own} = ${own} + 1\ndistinct`
          const run = compileTransform(program, scoped, { backend, file: names.join() }).bind(shape, shapes)
          const out: Row[] = []
          const values = names.map((_, index) => index)
          run(shape.make(values, unknownOrigin, 1), environment, out)
          const wanted: Row = {}
          for (const [index, name] of declared.entries()) setColumn(wanted, name, index)
          setColumn(wanted, own, 2)
          for (const [index, name] of carried.entries()) setColumn(wanted, name, declared.length + index)
          expect(out).toStrictEqual([wanted])
          expect(Object.getPrototypeOf(out[0])).toBe(Object.prototype)
          expect(canary in globalThis).toBe(false)
        },
      ),
    )
  })

  test('are data in the names of variables, inputs and documents', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const scoped: Scope = {
          columns: new Map([[one, any]]),
          qualifiers: new Map([['constructor', new Map([['__proto__', any]])]]),
          variables: {
            vars: new Map([['__proto__', { type: Type.of('string'), value: two }]]),
            record: new Map([['constructor', { type: Type.of('string'), default: one }]]),
          },
        }
        const text = `concat($vars.__proto__, "|", $record.constructor, "|", constructor.__proto__)`
        const { evaluate } = compileExpression(text, scoped, { backend, field: one })
        const input: Row = {}
        setColumn(input, '__proto__', two)
        expect(evaluate({}, environment, { constructor: input })).toBe(`${two}|${one}|${two}`)
      }),
    )
  })

  test('no program reaches what is not a value', () => {
    const { shape } = shapeAndTable()
    const reach = fc.constantFrom('constructor', '__proto__', 'prototype', 'call', 'bind', 'caller', 'valueOf')
    fc.assert(
      fc.property(expressions, reach, reach, records, (text, a, b, values) => {
        const row = shape.make(values, unknownOrigin, 1)
        for (const path of [`(${text}).${a}.${b}`, `(${text})["${a}"]["${b}"]`, `(${text}).map(it => it.${a}.${b})`]) {
          if (!survives(() => compileExpression(path, scope, { backend }))) continue
          const { evaluate } = compileExpression(path, scope, { backend })
          try {
            const value = evaluate(row, environment)
            for (const each of Array.isArray(value) ? value : [value]) expect(typeof each).not.toBe('function')
            expect(value).not.toBe(Object.prototype)
          } catch (error) {
            if (!(error instanceof EvaluationError)) throw error
          }
        }
      }),
    )
  })
})
