import type { Command } from 'commander'
import { type TransformOptions, transform, transformNode } from '../../streams/transform.ts'
import { filterCommand } from './filter.ts'
import type { Streams } from './program.ts'

/** `clinker transform`: the node as a shell filter. */
export function command(streams: Streams): Command {
  return filterCommand(
    streams,
    transformNode as never,
    (options) => transform(options as unknown as TransformOptions),
    {
      argument: { key: 'cxl', name: 'program', description: 'the CXL program, unless --cxl or --config gives it' },
      examples: [
        "clinker transform 'emit total = price.to_int() * 2' orders.csv",
        'clinker transform \'filter hue == "red"\' --from csv --to ndjson < plants.csv',
        'clinker transform --config net.yaml --schema orders.schema.yaml orders.csv',
      ],
    },
  )
}
