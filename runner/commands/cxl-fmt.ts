import { Command } from 'commander'
import { formatProgram } from '../../lib/cxl/engine.ts'
import { attempt, readProgram } from './cxl-text.ts'
import type { Streams } from './program.ts'

/** `cxl fmt`: prints a program in the standard layout. */
export function command({ stdout }: Streams): Command {
  return new Command()
    .description('Prints a CXL program in the standard layout. Comments and meaning stay as they are.')
    .argument('<file>', 'the program')
    .action((file: string) => {
      const text = readProgram(file)
      stdout.write(attempt(() => formatProgram(text)))
    })
}
