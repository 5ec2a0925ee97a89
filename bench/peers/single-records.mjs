// Ours as a program uses it: single records through pipeline().
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { csv } from 'clinker-streams'

const [input, output] = process.argv.slice(2)
const schema = [
  { name: 'id', type: 'int' },
  { name: 'name', type: 'string' },
  { name: 'city', type: 'string' },
  { name: 'count', type: 'int' },
  { name: 'amount', type: 'float' },
  { name: 'day', type: 'date' },
]
await pipeline(createReadStream(input, { highWaterMark: 1 << 18 }), csv.parse({ schema }), csv.stringify({ header: 'first' }), createWriteStream(output))
