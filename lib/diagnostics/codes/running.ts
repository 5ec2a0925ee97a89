import { category } from './code.ts'

export const runningCodes = category('running', {
  E310: {
    title: 'memory limit reached',
    explanation:
      'A buffer needs more than `memory.limit` and has nothing left to put on disk: mostly one group that has to be in memory as a whole. The message names the node, what it holds, the group with its key, and both figures.',
    example: 'pipeline: { name: intake, memory: { limit: 8K } }\n# reshape with partition_by: [] over a large input',
    fix: 'Raise `memory.limit`; for a giant group set `finalize: two_pass`.',
  },
  E314: {
    title: 'merge inputs that do not agree',
    explanation:
      'The inputs of a merge have the same columns in the same order and the same correlation keys. The first that differs is named with both lists. Reported anywhere else it is a fault of this program.',
    example: '- { type: merge, name: all, inputs: [orders, returns] }   # id,amount and amount,id',
    fix: 'Bring the columns into line by a transform before the merge.',
  },
  E315: {
    title: 'merge of carried and dropped columns, or too many dead letters',
    explanation:
      'Of a merge: some inputs carry undeclared columns and some do not; the inputs of either side are named. Of a run: the part of records that became dead letters has passed `dlq.max_rate`, and the run stops with exit status 3.',
    example:
      '- { type: merge, name: all, inputs: [orders, returns] }   # on_unmapped: auto_widen and drop\ndlq: { path: dead.csv, max_rate: 0.05 }',
    fix: 'Give all inputs one `on_unmapped` mode. For the rate: correct the data, or raise `max_rate`.',
  },
  E316: {
    title: 'too many dead letters of one source',
    explanation:
      'The part of a source’s records that became dead letters has passed the `max_rate` set for that source.',
    example: 'dlq: { path: dead.csv, per_source: { orders: { max_rate: 0.01 } } }',
    fix: 'Correct the data, or raise the rate of the source.',
    exit: 3,
  },
  E320: {
    title: 'spill cap reached',
    explanation: 'The files that buffers have put on disk are larger together than the cap allows.',
    example: 'clinker run pipeline.yaml --spill-cap 1G',
    fix: 'Raise the cap, or the memory limit.',
    exit: 4,
  },
  E321: {
    title: 'spill disk full',
    explanation: 'The disk that holds the spill files has no room left. The folder is named.',
    example: 'clinker run pipeline.yaml --spill-dir /small/disk',
    fix: 'Free space, or choose another folder by `--spill-dir`.',
    exit: 4,
  },
  E330: {
    title: 'spill folder in memory',
    explanation:
      'The folder for spill files lies on a file system that is kept in memory, so spilling would free none.',
    example: 'clinker run pipeline.yaml --spill-dir /dev/shm',
    fix: 'Choose a folder on a disk by `--spill-dir`.',
    status: 'reserved',
  },
  E331: {
    title: 'spill folder on a network',
    explanation:
      'The folder for spill files lies on another machine, which is slow and may go away in the middle of a run.',
    example: 'clinker run pipeline.yaml --spill-dir /mnt/share',
    fix: 'Choose a local folder by `--spill-dir`.',
    status: 'reserved',
  },
  E343: {
    title: 'whole documents with one file per source file',
    explanation:
      'With `dlq_granularity: document` a document is withdrawn as a whole, which files that are already split by document do not allow.',
    example: 'dlq_granularity: document   # with an output path holding {source_file}',
    fix: 'Choose one of the two.',
    status: 'reserved',
  },
  E344: {
    title: 'whole documents under `fail_fast`',
    explanation:
      '`dlq_granularity: document` says what becomes of a document with a bad record; under `fail_fast` the run stops before that.',
    example: 'error_handling: { strategy: fail_fast }   # with dlq_granularity: document',
    fix: 'Set `strategy: continue`, or drop `dlq_granularity`.',
    status: 'reserved',
  },
  E370: {
    title: 'whole documents with correlation keys',
    explanation: 'Dead letters go by document or by correlation key, not by both.',
    example: 'dlq_granularity: document   # on a source with correlation_key',
    fix: 'Choose one of the two.',
    status: 'reserved',
  },
  E373: {
    title: 'log directive with several predicates',
    explanation: 'A log directive for per_record may have one condition, which is one predicate; others have none.',
    example:
      'log: [{ name: orders.seen, level: info, when: per_record, every: 1, message: seen, condition: ["a > 1", "b > 2"] }]',
    fix: 'Join the predicates with `and`, write a directive for each, or choose per_record.',
  },
  E374: {
    title: 'log directive names an unknown field',
    explanation:
      'The fields of a log directive are columns of the record that comes in: one of them does not exist, or the event is told when there is no record.',
    example: 'log: [{ name: orders.seen, level: info, when: per_record, every: 1, fields: [amuont], message: seen }]',
    fix: 'Correct the name; leave the fields out for before_transform and after_transform.',
  },
  E375: {
    title: 'event declared twice',
    explanation: 'Two log directives of a pipeline declare one event with different fields.',
    example:
      'log:\n  - { name: seen, level: info, when: per_record, every: 1, message: seen, fields: [id] }\n  - { name: seen, level: info, when: on_error, message: seen, fields: [amount] }',
    fix: 'Give both the same fields, or rename one.',
  },
  FormatFailure: {
    title: 'input is not what its format demands',
    explanation:
      'A row has more or fewer cells than the header, a quote is never closed, JSON or XML is broken, an encoding is wrong. It stops the run under every strategy, and outputs stay as they were. File and line are named.',
    example: '# orders.csv\nid,amount\n1,2,3',
    fix: 'Correct the file, or the options of the source.',
    exit: 4,
  },
  EvaluationFailure: {
    title: 'expression failed at run time',
    explanation:
      'A conversion, a division by zero, an overflow or the like, in the record that is named. Under `fail_fast` it stops the run; under `continue` the record goes to the dead letters, except in reshape and cull.',
    example: 'cxl: "emit share = amount / total"   # total is 0',
    fix: 'Guard the expression: `if total != 0 then amount / total`, `try_int`, `??`.',
    exit: 3,
  },
  ValidationFailure: {
    title: 'validation failed',
    explanation:
      'A record does not pass a check with `severity: error`. Node, field and check are named; under `continue` the record goes to the dead letters.',
    example: 'validations: [{ check: not_empty, field: email }]',
    fix: 'Correct the data, or give the check `severity: warn`.',
    exit: 3,
  },
})
