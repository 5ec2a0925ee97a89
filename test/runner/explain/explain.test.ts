import { describe, expect, test } from 'vitest'
import { codes } from '../../../lib/diagnostics/index.ts'
import { codeList, codePage } from '../../../runner/explain/codes.ts'
import { explainPlan, plan } from '../../../runner/index.ts'

const text = `pipeline: { name: locks, memory: { limit: 64M } }
nodes:
  - { type: source, name: keys, config: { type: csv, path: nope.csv, schema: [{ name: id, type: int }, { name: room, type: string }] } }
  - { type: transform, name: a, input: keys, config: { cxl: "emit label = room.upper()" } }
  - { type: transform, name: b, input: a, config: { cxl: "filter id > 1" } }
  - { type: reshape, name: fix, input: b, config: { partition_by: [room], rules: [{ name: up, when: id > 1, mutate: { set: { id: '0' } } }] } }
  - { type: output, name: result, input: fix, config: { type: csv, path: out.csv, if_exists: error } }
`

describe('a plan', () => {
  test('as text: outputs, nodes, spill, rows, expressions, memory, graph, in this order', async () => {
    expect(explainPlan(await plan({ text }), 'text', { spillDir: '/var/spill' })).toBe(`Outputs
  result: out.csv (if_exists: error)

Nodes
  keys (source)
    columns: id int, room string, and undeclared ones
    buffer: streaming
    ordering: files by name, rows as they stand
  a (transform)
    inputs: keys
    columns: id int, room string, label string, and undeclared ones
    buffer: streaming
    fused: a → b
    ordering: kept
  b (transform)
    inputs: a
    columns: id int, room string, label string, and undeclared ones
    buffer: streaming
    fused: a → b
    ordering: kept
  fix (reshape)
    inputs: b
    columns: id int, room string, label string, and undeclared ones
    buffer: materialized
    ordering: destroyed: groups leave in the order their first record arrived
    spill priority: 15
  result (output)
    inputs: fix
    columns: id int, room string, label string, and undeclared ones
    buffer: streaming
    ordering: kept

Estimated spill volume
  fix: not known

Spill compression
  fix: none

Row estimates
  keys: not known
  a: not known
  b: not known
  fix: not known
  result: not known

CXL
  a.cxl: label: string
    emit label = room.upper()
  b.cxl: no columns
    filter id > 1
  fix.rules.0.when: bool
    id > 1
  fix.rules.0.mutate.set.id: int
    0

Memory
  limit: 64M

Graph
  keys
    └─ a
      └─ b
        └─ fix
          └─ result

Spill
  folder: /var/spill
  cap: none
`)
  })

  test('as JSON', async () => {
    const described = JSON.parse(explainPlan(await plan({ text }), 'json'))
    expect(described).toMatchObject({
      schema_version: 1,
      pipeline: 'locks',
      edges: [
        { from: 'keys', to: 'a' },
        { from: 'a', to: 'b' },
        { from: 'b', to: 'fix' },
        { from: 'fix', to: 'result' },
      ],
      storage: { memory_limit: 64 * 2 ** 20, spill_cap: null },
    })
    expect(described.nodes[3]).toMatchObject({
      name: 'fix',
      type: 'reshape',
      inputs: ['b'],
      buffer: 'materialized',
      spill_priority: 15,
    })
  })

  test('as a Graphviz graph', async () => {
    expect(explainPlan(await plan({ text }), 'dot')).toContain('"keys" -> "a"')
  })

  test('as a Mermaid chart', async () => {
    expect(explainPlan(await plan({ text }), 'mermaid')).toBe(`flowchart LR
  n0["keys (source)"]
  n1["a (transform)"]
  n2["b (transform)"]
  n3["fix (reshape)"]
  n4["result (output)"]
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n3 --> n4
`)
  })
})

describe('codes', () => {
  test('every code has a page with all there is to say', () => {
    for (const entry of codes.values()) {
      const page = codePage(entry)
      for (const part of [entry.code, entry.title, entry.severity, entry.category, entry.explanation, entry.fix]) {
        expect(page).toContain(part)
      }
    }
  })

  test('the list has a line for each', () => {
    expect(codeList([...codes.values()]).split('\n')).toHaveLength(codes.size + 1)
  })
})
