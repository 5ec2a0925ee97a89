import { category } from './code.ts'

export const configurationCodes = category('configuration', {
  'E-SEC-001': {
    title: 'path leaves the workspace',
    explanation:
      'A path of the pipeline holds `..`, or is absolute while absolute paths are not allowed. A pipeline from elsewhere must not read or overwrite files outside the folder it was given.',
    example:
      '- type: source\n  name: orders\n  config: { name: orders, type: csv, path: ../private/orders.csv, schema: [] }',
    fix: 'Write a path relative to the base folder. `--allow-absolute-paths` permits absolute ones.',
  },
  E000: {
    title: 'YAML that does not fit the grammar',
    explanation:
      'A key is unknown, missing or given twice, a value has the wrong kind, or a node type does not exist. The message names the key or value, where it stands and the nearest known one.',
    example: '- type: transform\n  name: net\n  imput: orders\n  config: { cxl: "emit net = gross / 1.19" }',
    fix: 'Correct the key or value that the mark points at.',
  },
  E001: {
    title: 'two nodes with one name',
    explanation: 'Every node is addressed by its name, so a name stands for one node only. Both places are shown.',
    example:
      '- { type: transform, name: net, input: orders, config: { cxl: "emit a = 1" } }\n- { type: transform, name: net, input: orders, config: { cxl: "emit b = 2" } }',
    fix: 'Rename one of the nodes.',
  },
  E002: {
    title: 'node reads itself',
    explanation: 'A node names itself as its input, so it would wait for its own records.',
    example: '- { type: transform, name: net, input: net, config: { cxl: "emit a = 1" } }',
    fix: 'Let the node read another one.',
  },
  E003: {
    title: 'inputs form a cycle',
    explanation:
      'Following the inputs from a node leads back to it. Records flow one way; the whole cycle is shown in order.',
    example:
      '- { type: transform, name: a, input: b, config: { cxl: "emit x = 1" } }\n- { type: transform, name: b, input: a, config: { cxl: "emit y = 2" } }',
    fix: 'Remove one of the edges.',
  },
  E004: {
    title: 'unknown input',
    explanation:
      'An input names a node that does not exist, a port its node does not have, or a node whose ports have to be named. The message shows the nearest name and the known ports.',
    example: '- { type: output, name: out, input: ordres, config: { name: out, type: csv, path: out.csv } }',
    fix: 'Correct the reference: `node`, or `node.port` for a route, cull or composition.',
  },
  E010: {
    title: 'dot in a node name',
    explanation: 'The dot separates a node from its port in a reference, so a name cannot hold one.',
    example: '- { type: transform, name: step.one, input: orders, config: { cxl: "emit a = 1" } }',
    fix: 'Rename the node, for example `step_one`.',
  },
  E011: {
    title: 'bad `every` of a log directive',
    explanation:
      'A log directive for per_record tells each n-th record, so it needs a whole number of at least 1; for other moments there is nothing to count.',
    example: 'log: [{ name: orders.seen, level: info, when: per_record, every: 0, message: seen }]',
    fix: 'Give a whole number from 1 on, or leave the key out where records are not counted.',
  },
  E119: {
    title: '`date_locale` is no setting',
    explanation: 'Dates are read year first or by a pattern, never by the customs of a country.',
    example: 'pipeline: { name: intake, date_locale: en_US }',
    fix: 'Remove the key; list the forms your data has in `date_formats`, or give a column its `format`.',
  },
  E124: {
    title: '`log_rules` is no setting',
    explanation: 'What is logged is chosen when the pipeline is run, not in its file.',
    example: 'pipeline: { name: intake, log_rules: logging.yaml }',
    fix: 'Remove the key and run with `--log-level`.',
  },
  E125: {
    title: '`include_provenance` is no setting',
    explanation: 'Where records came from is written by an output that is asked to, not by the pipeline as a whole.',
    example: 'pipeline: { name: intake, include_provenance: true }',
    fix: 'Remove the key and set `write_meta` on the output.',
  },
  E312: {
    title: 'memory limit too small',
    explanation: 'Below 8K no buffer can work, so such a limit is a slip of the pen.',
    example: 'pipeline: { name: intake, memory: { limit: 64 } }',
    fix: 'Raise `memory.limit` to 8K or more.',
  },
  E317: {
    title: '`dlq.per_source` names no source',
    explanation: 'The settings of dead letters by source are keyed by the names of source nodes.',
    example: 'dlq: { path: dead.csv, per_source: { ordres: { path: dead-orders.csv } } }',
    fix: 'Use the name of a source of this pipeline.',
  },
  E318: {
    title: 'bad dead-letter setting',
    explanation: 'A rate is a part of the records, from 0 to 1, and every dead-letter file is a file of its own.',
    example: 'dlq: { path: dead.csv, max_rate: 5 }',
    fix: 'Give a rate from 0 to 1 (`0.05` is five per cent), or another path.',
  },
  E322: {
    title: 'two destinations are one file',
    explanation:
      'Two outputs, or an output and the dead letters, would write to the same file, and one would overwrite the other.',
    example:
      '- { type: output, name: all, input: orders, config: { name: all, type: csv, path: out.csv } }\n- { type: output, name: big, input: large, config: { name: big, type: csv, path: ./out.csv } }',
    fix: 'Give each its own path.',
  },
  E324: {
    title: 'bad `resume_threshold`',
    explanation:
      'A paused reader goes on when memory has fallen below this part of the limit; it has to lie under the part at which buffers are spilled.',
    example: 'pipeline: { name: intake, memory: { limit: 64M, resume_threshold: 0.9 } }',
    fix: 'Choose a value above 0 and below 0.8.',
  },
  W000: {
    title: 'config that is probably not meant',
    explanation:
      'A node is configured in a way that is allowed, but does nothing, or not what it looks like. The message says what.',
    example:
      '- type: reshape\n  name: fix\n  input: plans\n  config: { partition_by: [id], rules: [{ name: idle, when: "a > 1" }] }   # a rule without an action',
    fix: 'Leave the useless part out, or write what was meant.',
  },
  W002: {
    title: 'names that differ only in case',
    explanation:
      'Two nodes have names that only upper and lower case tell apart. They are two nodes, but easily taken for each other.',
    example:
      '- { type: transform, name: Net, input: orders, config: { cxl: "emit a = 1" } }\n- { type: transform, name: net, input: orders, config: { cxl: "emit b = 2" } }',
    fix: 'Rename one of them.',
  },
})
