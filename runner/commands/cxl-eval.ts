import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { evaluateOnce, fieldValue, parseJson } from '../../lib/cxl/engine.ts'
import { isMap } from '../../lib/record/kind.ts'
import { makeMap, mapEntries } from '../../lib/record/map.ts'
import type { Value, ValueMap } from '../../lib/record/value.ts'
import { attempt, badInput, readProgram } from './cxl-text.ts'
import { Exit, type Streams } from './program.ts'

interface Flags {
  e?: string[]
  field?: string[]
  record?: string
}

const gather = (value: string, before: string[] = []): string[] => [...before, value]

/** `cxl eval`: runs a program for one record. */
export function command({ stdin, stdout, stderr }: Streams): Command {
  return new Command()
    .description(
      'Evaluates a CXL program for one record and prints, as JSON, what it emits. The record is what the options give, else a JSON object on standard input.',
    )
    .argument('[file]', 'the program')
    .option('-e <statement>', 'a statement of the program; may repeat, one line each', gather)
    .option('--field <name=value>', 'a field of the record: a number, true, false, null, else text; may repeat', gather)
    .option('--record <json>', 'the record, as a JSON object; - reads it from standard input')
    .action(async (file: string | undefined, flags: Flags) => {
      if ((file === undefined) === (flags.e === undefined)) fault('give a program file, or statements by -e')
      const program = file === undefined ? (flags.e ?? []).join('\n') : readProgram(file)
      const record = recordOf(flags, await piped(stdin, flags))
      const result = attempt(() => evaluateOnce(program, record, file === undefined ? {} : { file }))
      if (result.dropped) stderr.write('the record was filtered out\n')
      stdout.write(`${result.text}\n`)
    })
}

function fault(message: string): never {
  throw new Exit(badInput, `error: ${message}`)
}

/** The text on standard input, where the record is to come from there and somebody has put one. */
async function piped(stdin: Streams['stdin'], { record, field }: Flags): Promise<string | undefined> {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true
  if (record !== '-' && (record !== undefined || field !== undefined || isTerminal)) return undefined
  const read = await text(stdin)
  return read.trim() === '' && record !== '-' ? undefined : read
}

function recordOf(flags: Flags, input: string | undefined): ValueMap {
  const fields = (flags.field ?? []).map((written): readonly [string, Value] => {
    const at = written.indexOf('=')
    if (at < 1) fault(`--field must be name=value, got "${written}"`)
    return [written.slice(0, at), fieldValue(written.slice(at + 1))]
  })
  const source = input === undefined ? '--record' : 'standard input'
  const json = input ?? flags.record
  return makeMap([...(json === undefined ? [] : parsed(json, source)), ...fields])
}

function parsed(json: string, source: string): [string, Value][] {
  let value: Value
  try {
    value = parseJson(json)
  } catch (error) {
    return fault(`${source} is no valid JSON: ${(error as Error).message}`)
  }
  if (!isMap(value)) fault(`${source} must be a JSON object`)
  return mapEntries(value)
}
