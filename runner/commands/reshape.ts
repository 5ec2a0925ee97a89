import type { Command } from 'commander'
import { type ReshapeOptions, reshape, reshapeNode } from '../../streams/reshape.ts'
import { filterCommand } from './filter.ts'

/** `clinker reshape`: the node as a shell filter. */
export function command(): Command {
  return filterCommand(reshapeNode as never, (options) => reshape(options as unknown as ReshapeOptions))
}
