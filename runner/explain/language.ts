import { exampleRecord } from '../../lib/cxl/builtins/index.ts'
import {
  bareEnvironment,
  type BuiltinDescription,
  compileExpression,
  describeBuiltins,
  EvaluationError,
} from '../../lib/cxl/engine.ts'
import { closestMatch } from '../../lib/diagnostics/index.ts'
import { jsonText } from '../../lib/record/text.ts'
import type { Value } from '../../lib/record/value.ts'

/** Parts of the language that are no functions, by the name they are asked for. */
const topics: Readonly<Record<string, { readonly summary: string; readonly text: string }>> = {
  statements: {
    summary: 'emit, let, filter, distinct, emit each, trace, use',
    text: `A program runs once for each record, from top to bottom. The end of a line ends a statement.

  emit name = expression     makes an output column, or gives one a new value
  let name = expression      names a value for the lines below
  filter condition           keeps the record only if the condition is true
  distinct                   drops a record that has been seen before
  distinct by name           drops a record whose value in that field has been seen before
  emit each x in array { … } makes a record for each element; outer before the { keeps one where there is none
  trace level if c then text writes to the log: debug, info, warn or error
  use a.b as m               brings in a module, before all other statements

Input columns that are not emitted pass through unchanged. A field keeps its input value after an emit of its name.

Example

  let net = price * quantity
  filter net > 0
  emit total = (net * 1.19).round(2)
`,
  },
  operators: {
    summary: '+ - * / %, == != < >, and or not, ??, if, match',
    text: `  + - * / %           numbers; + also joins two texts; / leaves out the fraction between ints
  == != < <= > >=     compare; == and != are never null
  and or not          know true, false and null: false and null is false, true and null is null
  a ?? b              b where a is null
  if c then a else b  only true takes a; without else it is null
  match v { 1 => a, 2 => b, _ => c }
  match { condition => a, _ => c }
  x[0]  x["key"]      an element of an array (from 0), a key of a map; null where there is none
  a.b                 a key of a map
  it => expression    a closure: the argument of filter, map, find, any and flat_map

A null on either side makes a result null, for all but == != ?? and, in part, and or.
`,
  },
  precedence: {
    summary: 'what binds more tightly',
    text: `From the tightest to the loosest; one line is one level.

  .name  .method()  [index]
  -x
  *  /  %
  +  -
  ==  !=  <  <=  >  >=
  not
  and
  or
  ??

So -5.abs() is -(5.abs()), and not a == b is not (a == b). Comparisons do not chain: write 1 < x and x < 3.
`,
  },
  values: {
    summary: 'how numbers, texts and dates are written, and the types',
    text: `  42  -7              Int, 64 bits          2.5                Float
  "text"  'text'      String, on one line   #2024-03-05#       Date
  true  false         Bool                  null               nothing
  "2.50".to_decimal() Decimal               now                date and time, UTC: DateTime

Escapes in texts: \\\\ \\" \\' \\n \\t \\r. There are also Array and Map; they come with the records or from methods such as split.
A comment goes from # to the end of the line.
`,
  },
  namespaces: {
    summary: '$source, $pipeline, $record, $vars and the others',
    text: `  $source.NAME        file, name, path, row, count, batch, ingestion_timestamp, event_time; declared ones
  $pipeline.NAME      name, execution_id, batch_id, start_time, the counters; declared ones
  $record.NAME        declared variables that travel with a record
  $vars.NAME          constants of the pipeline
  $config.NAME        settings of a composition
  $doc.SECTION.FIELD  values of the document a record came in
  $meta.NAME          synthetic, synthesized_by, mutated_by
  $window.FUNCTION()  values over a partition

emit $record.name = e writes a declared variable.
`,
  },
}

/** What there is to ask for: topics, then functions by the type they belong to, one line each. */
export function languageList(): string {
  const groups = new Map<string, BuiltinDescription[]>()
  for (const one of describeBuiltins()) groups.set(one.receiver, [...(groups.get(one.receiver) ?? []), one])
  const width = Math.max(...[...groups.values()].flat().map(({ name }) => name.length))
  const parts = [
    section(
      'Topics',
      Object.entries(topics).map(([name, { summary }]) => [name, summary]),
      width,
    ),
  ]
  for (const [receiver, members] of groups) {
    const title = receiver === '' ? 'Functions' : `Methods of ${receiver}`
    const lines = members.map(({ name, doc }) => [name, firstSentence(doc)] as const)
    parts.push(section(title, lines, width))
  }
  return parts.join('\n')
}

/** The page of a function or a topic; undefined when there is none of this name. */
export function languagePage(name: string): string | undefined {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined
  if (topic) return `${name}: ${topic.summary}\n\n${topic.text}`
  const overloads = describeBuiltins().filter((one) => one.name === name)
  return overloads.length === 0 ? undefined : overloads.map(functionPage).join('\n')
}

/** The answer to a name that is not known. */
export function unknownName(name: string): string {
  const near = closestMatch(name, [...Object.keys(topics), ...describeBuiltins().map((one) => one.name)])
  return `there is no function or topic "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`
}

function functionPage({ name, receiver, signature, doc, examples }: BuiltinDescription): string {
  const title = receiver === '' ? `${name}${signature}` : `${receiver} .${name}${signature}`
  const programs = Object.keys(examples)
  const width = Math.max(...programs.map((program) => program.length))
  const lines = programs.map((program) => `  ${program.padEnd(width)}  # ${resultOf(program)}\n`)
  const readsRecord = programs.some((program) => compileExpression(program, {}).columns.length > 0)
  const fields = readsRecord ? `  m is ${jsonText(exampleRecord['m'] as Value)}\n\n` : ''
  return `${title}\n\n${doc}\n\n${fields}${lines.join('')}`
}

/** What an example gives, as JSON with its floats as such, or its error. */
function resultOf(program: string): string {
  const expression = compileExpression(program, {})
  try {
    return jsonText(expression.evaluate(exampleRecord, bareEnvironment()), expression.form)
  } catch (error) {
    if (error instanceof EvaluationError) return `error: ${error.detail}`
    throw error
  }
}

function section(title: string, lines: readonly (readonly [string, string])[], width: number): string {
  return `${title}\n${lines.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('')}`
}

/** The first sentence, cut to what fits on a line. */
function firstSentence(doc: string): string {
  const sentence = (doc.split(/(?<=\.)\s/, 1)[0] as string).replace(/\.$/, '')
  return sentence.length <= longest ? sentence : `${sentence.slice(0, longest).replace(/[\s,;:]+\S*$/, '')} …`
}

const longest = 96
