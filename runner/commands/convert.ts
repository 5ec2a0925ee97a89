import { Command } from 'commander'
import { flow, formatFlags } from './filter.ts'

/** `clinker convert`: records from one format to another. */
export function command(): Command {
  return formatFlags(new Command().description('Writes records in another format.')).action((file, flags) =>
    flow(file, flags, []),
  )
}
