import { describe, expect, test } from 'vitest'
import { plan, type PlanOptions } from '../../../runner/index.ts'

const nodes = `nodes:
  - { type: source, name: s, config: { type: csv, path: a.csv, schema: [{ name: id, type: int }] } }
  - { type: output, name: o, input: s, config: { type: csv, path: out.csv } }
`

/** What is said of a pipeline with this head. */
async function refused(head: string, options: PlanOptions = {}): Promise<string> {
  return plan({ text: `${head}\n${nodes}`, file: 'p.yaml' }, options).then(
    () => '',
    (error) => error.format(),
  )
}

describe('top level', () => {
  test('an unknown key', async () => {
    expect(await refused('pipeline: { name: x }\nnods: []')).toContain('E000: p.yaml: unknown key `nods`')
  })

  test('an empty file', async () => {
    await expect(plan({ text: '# nothing\n', file: 'p.yaml' })).rejects.toThrow(
      'E000: p.yaml holds no pipeline: it must be a mapping with `pipeline` and `nodes`',
    )
  })

  test('_notes are free', async () => {
    expect(await refused('pipeline: { name: x }\n_notes: { anything: [1, { of: any }] }')).toBe('')
  })

  test('a pipeline without an output', async () => {
    await expect(plan({ text: `pipeline: { name: x }\n${nodes.split('\n').slice(0, 2).join('\n')}` })).rejects.toThrow(
      'E000: the pipeline has no output',
    )
  })
})

describe('pipeline', () => {
  test('name is required', async () => {
    expect(await refused('pipeline: { batch_size: 10 }')).toContain('E000: pipeline: name is missing')
  })

  test.each([
    ['date_locale: de', 'E119: pipeline: `date_locale` is no longer a key'],
    ['log_rules: []', 'E124: pipeline: `log_rules` is no longer a key'],
    ['include_provenance: true', 'E125: pipeline: `include_provenance` is no longer a key'],
  ])('%s is refused', async (key, message) => {
    expect(await refused(`pipeline: { name: x, ${key} }`)).toContain(message)
  })

  test('sizes are whole numbers of bytes', async () => {
    expect(await refused('pipeline: { name: x, memory: { limit: 1.5G } }')).toBe(
      [
        'E000: memory.limit must be a whole number of bytes, with K, M or G behind it if need be, got "1.5G"',
        '  p.yaml:1:39',
        '  1 | pipeline: { name: x, memory: { limit: 1.5G } }',
        '    |                                       ^^^^',
        '  write 512M, 64K or 1073741824',
      ].join('\n'),
    )
  })

  test('less than 8K is no limit', async () => {
    expect(await refused('pipeline: { name: x, memory: { limit: 8191 } }')).toContain(
      'E312: memory.limit is 8191, the smallest possible is 8K',
    )
  })

  test('the flag wins over the file', async () => {
    const text = `pipeline: { name: x, memory: { limit: 64M } }\n${nodes}`
    expect((await plan({ text })).settings.limit).toBe(64 * 2 ** 20)
    expect((await plan({ text }, { memoryLimit: '16K' })).settings.limit).toBe(16 * 2 ** 10)
    await expect(plan({ text }, { memoryLimit: '4GB' })).rejects.toThrow('E000: --memory-limit must be a whole number')
  })

  test('resume_threshold lies below the spill mark', async () => {
    expect(await refused('pipeline: { name: x, memory: { resume_threshold: 0.8 } }')).toContain(
      'E324: memory.resume_threshold must lie between 0 and 0.8, got 0.8',
    )
  })
})

describe('vars', () => {
  test('a plain value is no declaration', async () => {
    expect(await refused('pipeline: { name: x, vars: { limit: 5 } }')).toContain(
      'E000: pipeline.vars.limit must be { type, default }, got 5',
    )
  })

  test('an unknown type', async () => {
    expect(await refused('pipeline: { name: x, vars: { limit: { type: money } } }')).toContain(
      'E000: pipeline.vars.limit: type must be one of string, int, float, bool, date, date_time, got "money"',
    )
  })

  test('a default of another type', async () => {
    expect(await refused('pipeline: { name: x, vars: { limit: { type: int, default: many } } }')).toContain(
      'E000: pipeline.vars.limit: default must be a value of type int, got "many"',
    )
  })
})

describe('error_handling', () => {
  const head = (text: string): string => `pipeline: { name: x }\nerror_handling: ${text}`

  test('best_effort is continue now', async () => {
    const message = await refused(head('{ strategy: best_effort }'))
    expect(message).toContain('E000: error_handling: strategy `best_effort` does not exist any more')
    expect(message).toContain('use `continue`')
  })

  test('a threshold outside of 0 to 1', async () => {
    expect(await refused(head('{ type_error_threshold: 1.5 }'))).toContain(
      'E368: error_handling: type_error_threshold must lie between 0 and 1, got 1.5',
    )
  })

  test('a rate outside of 0 to 1', async () => {
    expect(await refused(head('{ dlq: { max_rate: 2 } }'))).toContain(
      'E318: error_handling: max_rate must lie between 0 and 1, got 2',
    )
  })

  test('per_source names sources', async () => {
    expect(await refused(head('{ dlq: { per_source: { t: { path: t.csv } } } }'))).toContain(
      'E317: dlq.per_source names `t`, which is not a source',
    )
  })

  test('two dead-letter files must not be one', async () => {
    expect(await refused(head('{ dlq: { path: d.csv, per_source: { s: { path: ./d.csv } } } }'))).toContain(
      'E318: the DLQ of source "s": it writes "d.csv", and so does the DLQ',
    )
  })

  test('an output and the DLQ must not be one file', async () => {
    expect(await refused(head('{ dlq: { path: ./out.csv } }'))).toContain(
      'E322: the DLQ: it writes "out.csv", and so does output "o"',
    )
  })
})
