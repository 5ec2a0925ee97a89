import { Command } from 'commander'
import { compileTransform } from '../../lib/cxl/engine.ts'
import { attempt, readProgram } from './cxl-text.ts'
import type { Streams } from './program.ts'

/** `cxl check`: compiles a program, taking every bare name for a field. */
export function command({ stderr }: Streams): Command {
  return new Command()
    .description('Checks a CXL program: syntax, names and types. Every bare name counts as a field.')
    .argument('<file>', 'the program')
    .action((file: string) => {
      const text = readProgram(file)
      const { warnings } = attempt(() => compileTransform(text, {}, { file }))
      for (const { message } of warnings) stderr.write(`warning: ${message}\n`)
      stderr.write(`ok: ${file} is valid\n`)
    })
}
