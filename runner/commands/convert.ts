import { Command } from 'commander'
import { fileArgument, flow, formatFlags } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker convert`: records from one format to another. */
export function command(streams: Streams): Command {
  const command = new Command().description('Writes records in another format.').argument('[file]', fileArgument)
  return formatFlags(command, [
    'clinker convert orders.csv --to ndjson',
    'clinker convert --from json --to csv < orders.json',
  ]).action((file, flags) => flow(streams, file, flags, []))
}
