import { Command } from 'commander'
import { flow, formatFlags } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker convert`: records from one format to another. */
export function command(streams: Streams): Command {
  return formatFlags(new Command().description('Writes records in another format.')).action((file, flags) =>
    flow(streams, file, flags, []),
  )
}
