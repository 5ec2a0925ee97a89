import type { Command } from 'commander'
import { type TransformOptions, transform, transformNode } from '../../streams/transform.ts'
import { filterCommand } from './filter.ts'

/** `clinker transform`: the node as a shell filter. */
export function command(): Command {
  return filterCommand(transformNode as never, (options) => transform(options as unknown as TransformOptions))
}
