// The peer: csv-parse with objects, a Transform, csv-stringify.
import { createReadStream, createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { stringify } from 'csv-stringify'

const [input, output] = process.argv.slice(2)
const typed = new Transform({
  objectMode: true,
  transform(record, _encoding, done) {
    record.id = Number(record.id)
    record.count = Number(record.count)
    record.amount = Number(record.amount)
    done(null, record)
  },
})
await pipeline(createReadStream(input), parse({ columns: true }), typed, stringify({ header: true }), createWriteStream(output))
