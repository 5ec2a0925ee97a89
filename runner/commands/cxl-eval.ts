import { Command } from 'commander'
import { bareEnvironment, compileTransform } from '../../lib/cxl/index.ts'
import { isMap } from '../../lib/record/kind.ts'
import { mapEntries } from '../../lib/record/map.ts'
import { Origin, SourceFile } from '../../lib/record/origin.ts'
import { setColumn, ShapeTable } from '../../lib/record/shape.ts'
import { shapeOf, stamped } from '../../lib/record/stamp.ts'
import { jsonText } from '../../lib/record/text.ts'
import { Type } from '../../lib/record/type.ts'
import type { Row, Value, ValueMap } from '../../lib/record/value.ts'
import { fromJson } from '../../lib/schema/index.ts'
import { indented } from '../../streams/json/record-text.ts'
import { reread } from '../../streams/json/reread.ts'
import { attempt, badInput, readProgram } from './cxl-text.ts'
import { Exit, say } from './program.ts'

interface Flags {
  e?: string[]
  field?: string[]
  record?: string
}

const gather = (value: string, before: string[] = []): string[] => [...before, value]

/** `cxl eval`: runs a program for one record. */
export function command(): Command {
  return new Command()
    .description('Evaluates a CXL program for one record and prints, as JSON, what it emits.')
    .argument('[file]', 'the program')
    .option('-e <statement>', 'a statement of the program; may repeat, one line each', gather)
    .option('--field <name=value>', 'a field of the record: a number, true, false, null, else text; may repeat', gather)
    .option('--record <json>', 'the record, as a JSON object')
    .action((file: string | undefined, flags: Flags) => {
      if ((file === undefined) === (flags.e === undefined)) fault('give a program file, or statements by -e')
      const text = file === undefined ? (flags.e ?? []).join('\n') : readProgram(file)
      process.stdout.write(evaluate(text, file ?? '<inline>', recordOf(flags)))
    })
}

function fault(message: string): never {
  say(`error: ${message}`)
  throw new Exit(badInput)
}

function evaluate(text: string, file: string, entries: readonly (readonly [string, Value])[]): string {
  const columns = entries.map(([name]) => ({ name, type: Type.of('any') }))
  const shapes = new ShapeTable()
  const shape = shapes.of(columns)
  const record: Row = {}
  for (const [name, value] of entries) setColumn(record, name, value)
  const sourceFile = new SourceFile(file, file)
  sourceFile.count = 1
  stamped(record, shape, new Origin(sourceFile), 1)
  const scope = { columns: new Map(columns.map(({ name, type }) => [name, type])) }
  const results: Row[] = []
  const program = attempt(() => compileTransform(text, scope, { file, keep: 'emitted' }))
  for (const { message } of program.warnings) say(`warning: ${message}`)
  const environment = bareEnvironment('cxl-eval')
  attempt(() => program.bind(shape, shapes)(record, environment, results))
  const objects = results.map(objectText)
  if (/\bemit\s+each\b/.test(text)) return objects.length ? `[\n${objects.join(',\n')}\n]\n` : '[]\n'
  if (!objects.length) say('the record was filtered out')
  return `${objects[0] ?? '{}'}\n`
}

function objectText(row: Row): string {
  const columns = shapeOf(row)?.columns ?? []
  return indented(`{${columns.map(({ name, type }) => `${JSON.stringify(name)}:${valueText(row[name] ?? null, type)}`).join(',')}}`)
}

/** Unlike a file, which refuses them, the command shows NaN and infinities, as null. */
function valueText(value: Value, type: Type): string {
  return typeof value === 'number' && !Number.isFinite(value) ? 'null' : jsonText(value, type)
}

function recordOf(flags: Flags): (readonly [string, Value])[] {
  const fields = (flags.field ?? []).map((written): readonly [string, Value] => {
    const at = written.indexOf('=')
    if (at < 1) fault(`--field must be name=value, got "${written}"`)
    return [written.slice(0, at), fieldValue(written.slice(at + 1))]
  })
  return [...(flags.record === undefined ? [] : parsed(flags.record)), ...fields]
}

function parsed(text: string): [string, Value][] {
  let value: Value
  try {
    JSON.parse(text)
    value = fromJson(reread(text))
  } catch (error) {
    return fault(`--record is no valid JSON: ${(error as Error).message}`)
  }
  if (!isMap(value)) fault('--record must be a JSON object')
  return mapEntries(value as ValueMap)
}

function fieldValue(written: string): Value {
  const isLiteral = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/.test(written)
  return isLiteral ? fromJson(reread(written)) : written
}
