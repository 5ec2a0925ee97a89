import { describe, expect, test } from 'vitest'
import { plan } from '../../../runner/index.ts'

/** What is said of a pipeline with these nodes besides a source `cups` and an output `result` that reads it. */
async function refused(nodes: string): Promise<string> {
  const text = `pipeline: { name: mugs }
nodes:
  - { type: source, name: cups, config: { type: csv, path: cups.csv, schema: [{ name: id, type: int }] } }
${nodes}
  - { type: output, name: result, input: cups, config: { type: csv, path: out.csv } }
`
  return plan({ text, file: 'p.yaml' }).then(
    () => '',
    (error) => error.format(),
  )
}

const emit = 'config: { cxl: emit a = 1 }'

describe('names', () => {
  test('two nodes of one name', async () => {
    const nodes = `  - { type: transform, name: t, input: cups, ${emit} }\n  - { type: transform, name: t, input: cups, ${emit} }`
    expect(await refused(nodes)).toBe(
      [
        'E001: transform "t": two nodes are named `t`, the other one is the transform in line 4',
        '  p.yaml:5:30',
        '  5 |   - { type: transform, name: t, input: cups, config: { cxl: emit a = 1 } }',
        '    |                              ^',
        '  rename one of them',
      ].join('\n'),
    )
  })

  test('a dot in a name', async () => {
    expect(await refused(`  - { type: transform, name: t.x, input: cups, ${emit} }`)).toContain(
      'E010: transform "t.x": the name `t.x` has a dot in it, which stands between a node and its port',
    )
  })

  test('names that differ only in case are a warning', async () => {
    const text = `pipeline: { name: mugs }
nodes:
  - { type: source, name: cups, config: { type: csv, path: cups.csv, schema: [{ name: id, type: int }] } }
  - { type: output, name: Cups, input: cups, config: { type: csv, path: out.csv } }
`
    const { warnings } = await plan({ text })
    expect(warnings.map((warning) => warning.message)).toEqual([
      'W002: output "Cups": the names `cups` and `Cups` differ only in case',
    ])
  })
})

describe('inputs', () => {
  test('an unknown one is suggested', async () => {
    expect(await refused(`  - { type: transform, name: t, input: cusp, ${emit} }`)).toBe(
      [
        'E004: transform "t": it reads `cusp`, which is not a node',
        '  p.yaml:4:40',
        '  4 |   - { type: transform, name: t, input: cusp, config: { cxl: emit a = 1 } }',
        '    |                                        ^^^^',
        '  did you mean `cups`?',
      ].join('\n'),
    )
  })

  test('a node that is at fault itself is there all the same', async () => {
    const nodes = `  - { type: transfrom, name: t, input: cups, ${emit} }\n  - { type: output, name: o, input: t, config: { type: csv, path: o.csv } }`
    const text = await refused(nodes)
    expect(text.split('\n').filter((line) => line.startsWith('E'))).toEqual([
      'E000: node "t": type must be one of source, transform, route, merge, combine, aggregate, reshape, cull, envelope, composition, output, got "transfrom"',
    ])
  })

  test('what is wrong with the inputs hides no mistake in a config', async () => {
    const nodes = `  - { type: transform, name: t, input: cusp, ${emit} }\n  - { type: transform, name: u, input: cups, config: { clx: emit a = 1 } }`
    const text = await refused(nodes)
    expect(text.split('\n').filter((line) => line.startsWith('E'))).toEqual([
      'E004: transform "t": it reads `cusp`, which is not a node',
      'E000: transform "u": unknown key `clx`',
    ])
  })

  test('an entry that is no node', async () => {
    expect(await refused('  - cups')).toBe(
      'E000: nodes[1] must be a mapping with `type` and `name`, got "cups"\n  p.yaml:4:5\n  4 |   - cups\n    |     ^^^^',
    )
  })

  test('a node that reads itself', async () => {
    expect(await refused(`  - { type: transform, name: t, input: t, ${emit} }`)).toContain(
      'E002: transform "t": it reads itself',
    )
  })

  test('a cycle is shown whole', async () => {
    const nodes = ['a', 'b', 'c'].map(
      (name, index) => `  - { type: transform, name: ${name}, input: ${'cab'[index]}, ${emit} }`,
    )
    expect(await refused(nodes.join('\n'))).toContain('E003: transform "a": the inputs form a cycle: a → c → b → a')
  })

  test('an output cannot be read', async () => {
    expect(await refused(`  - { type: transform, name: t, input: result, ${emit} }`)).toContain(
      'E004: transform "t": it reads `result`, which is an output',
    )
  })

  test('a port on a node without ports', async () => {
    expect(await refused(`  - { type: transform, name: t, input: cups.high, ${emit} }`)).toContain(
      'E004: transform "t": it reads `cups.high`, but the source `cups` has no ports',
    )
  })

  test('a route is read by its ports, which are named', async () => {
    const route = '  - { type: route, name: r, input: cups, config: { conditions: { big: id > 1 }, default: small } }'
    const unknown = await refused(`${route}\n  - { type: transform, name: t, input: r.bigg, ${emit} }`)
    expect(unknown).toContain('E004: transform "t": it reads `r.bigg`, which is no port of the route `r`')
    expect(unknown).toContain('did you mean `r.big`?')
    const bare = await refused(`${route}\n  - { type: transform, name: t, input: r, ${emit} }`)
    expect(bare).toContain('E004: transform "t": it reads `r` without a port')
    expect(bare).toContain('known ports: r.big, r.small')
  })
})

describe('keys of a node', () => {
  test('an unknown type', async () => {
    expect(await refused(`  - { type: transfrom, name: t, input: cups, ${emit} }`)).toBe(
      [
        'E000: node "t": type must be one of source, transform, route, merge, combine, aggregate, reshape, cull, envelope, composition, output, got "transfrom"',
        '  p.yaml:4:13',
        '  4 |   - { type: transfrom, name: t, input: cups, config: { cxl: emit a = 1 } }',
        '    |             ^^^^^^^^^',
        '  did you mean `transform`?',
      ].join('\n'),
    )
  })

  test('a source has no input', async () => {
    const nodes =
      '  - { type: source, name: s, input: cups, config: { type: csv, path: a.csv, schema: [{ name: a, type: int }] } }'
    expect(await refused(nodes)).toContain('E000: source "s": unknown key `input`')
  })

  test('a type that is not built yet is said so', async () => {
    expect(await refused('  - { type: merge, name: m, inputs: [cups, cups] }')).toContain(
      'E000: merge "m": a node of type merge is not built yet',
    )
  })

  test('faults of all nodes are reported together, in the order of the file', async () => {
    const nodes =
      '  - { type: transform, name: t, input: cups, config: { cxl: emit a = aaa } }\n  - { type: transform, name: u, input: cups, config: { cxl: emit b = bbb } }'
    expect((await refused(nodes)).match(/^E\d+: .*$/gm)).toEqual([
      'E203: transform "t": cxl: unknown name \'aaa\', which is not a column of "cups"',
      'E203: transform "u": cxl: unknown name \'bbb\', which is not a column of "cups"',
    ])
  })
})

test('nodes stand behind those they read, else in the order of the file', async () => {
  const text = `pipeline: { name: mugs }
nodes:
  - { type: output, name: o, input: t, config: { type: csv, path: out.csv } }
  - { type: transform, name: t, input: s, ${emit} }
  - { type: transform, name: u, input: s, ${emit} }
  - { type: source, name: s, config: { type: csv, path: cups.csv, schema: [{ name: id, type: int }] } }
`
  expect((await plan({ text })).nodes.map((node) => node.name)).toEqual(['s', 't', 'o', 'u'])
})
