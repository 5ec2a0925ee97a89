import type { Command } from 'commander'
import { type ReshapeOptions, reshape, reshapeNode } from '../../streams/reshape.ts'
import { filterCommand } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker reshape`: the node as a shell filter. */
export function command(streams: Streams): Command {
  return filterCommand(streams, reshapeNode as never, (options) => reshape(options as unknown as ReshapeOptions), {
    examples: [
      'clinker reshape --config rules.yaml --schema plans.schema.yaml plans.csv',
      'clinker reshape --partition-by id --rules \'[{ name: up, when: "true", mutate: { set: { hue: hue.upper() } } }]\' plants.csv',
    ],
  })
}
