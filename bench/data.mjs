// Generated data with a fixed seed: an int id with about 0.63 distinct values a row, two texts, an int, a float and a date.
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { once } from 'node:events'

const folder = path.join(import.meta.dirname, 'data')

/** Writes `rows` rows as CSV, unless an earlier run has; resolves to the file's path. `group`: all rows get one id. */
export async function generated(rows, { group = false } = {}) {
  await mkdir(folder, { recursive: true })
  const file = path.join(folder, `${group ? 'one-group' : 'rows'}-${rows}.csv`)
  if (existsSync(file)) return file
  const random = seeded(42)
  const out = createWriteStream(`${file}.part`)
  let text = 'id,name,city,count,amount,day\n'
  for (let row = 0; row < rows; row++) {
    const id = group ? 7 : Math.floor(random() * rows)
    const name = `${words[Math.floor(random() * words.length)]} ${words[Math.floor(random() * words.length)]}`
    const city = cities[Math.floor(random() * cities.length)]
    const count = Math.floor(random() * 1000)
    const amount = Math.floor(random() * 1_000_000) / 100
    const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(random() * 2000))).toISOString().slice(0, 10)
    text += `${id},${name},${city},${count},${amount},${day}\n`
    if (text.length > 1 << 18) {
      if (!out.write(text)) await once(out, 'drain')
      text = ''
    }
  }
  out.end(text)
  await once(out, 'finish')
  const { rename } = await import('node:fs/promises')
  await rename(`${file}.part`, file)
  return file
}

/** Mulberry32: small, and the same numbers everywhere. */
export function seeded(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const words = 'amber basalt cedar delta ember fjord grove heath iris juniper karst larch mesa north opal pine quartz reed slate tundra'.split(' ')
const cities = ['Brest', 'Malmö', 'Porto', 'Tartu', 'Gdańsk', 'Cork', 'Ghent', 'Split', 'Bergen', '"Kotor, old town"', 'Utrecht', 'Vigo']
