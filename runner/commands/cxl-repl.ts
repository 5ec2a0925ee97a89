import { Command } from 'commander'
import { badInput } from './cxl-text.ts'
import { Exit, type Streams } from './program.ts'
import { runRepl } from '../repl/repl.ts'

/** `cxl repl`: programs line by line. */
export function command(streams: Streams): Command {
  return new Command()
    .description('Evaluates CXL line by line, for a record of a file or for none.')
    .argument('[file]', 'a CSV, NDJSON or JSON file whose first record the lines see')
    .addHelpText(
      'after',
      '\nLines are kept in a history file: $CXL_HISTORY, or cxl/history in the state folder of the user.',
    )
    .action(async (file: string | undefined) => {
      const fault = await runRepl(streams, file)
      if (fault !== undefined) throw new Exit(badInput, fault)
    })
}
