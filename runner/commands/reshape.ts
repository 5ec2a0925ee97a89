import type { Command } from 'commander'
import { type ReshapeOptions, reshape, reshapeNode } from '../../streams/reshape.ts'
import { filterCommand } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker reshape`: the node as a shell filter. */
export function command(streams: Streams): Command {
  return filterCommand(streams, reshapeNode as never, (options) => reshape(options as unknown as ReshapeOptions))
}
