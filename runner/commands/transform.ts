import type { Command } from 'commander'
import { type TransformOptions, transform, transformNode } from '../../streams/transform.ts'
import { filterCommand } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker transform`: the node as a shell filter. */
export function command(streams: Streams): Command {
  return filterCommand(streams, transformNode as never, (options) => transform(options as unknown as TransformOptions))
}
