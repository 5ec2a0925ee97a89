import { category } from './code.ts'

export const outputCodes = category('output', {
  E359: {
    title: 'format that cannot hold several values',
    explanation: 'A column of arrays reaches an output whose format has no place for them there.',
    example: 'config: { name: out, type: fixed_width, path: out.txt }   # tags is multiple',
    fix: 'Write JSON, or join the values into one text first.',
    status: 'reserved',
  },
  E362: {
    title: 'bad `join_values`',
    explanation: 'An entry names a field twice, an unknown option, or stands on a format that takes none.',
    example: 'config: { name: out, type: json, path: out.json, options: { join_values: [tags] } }',
    fix: 'Correct or remove the entry.',
  },
  E364: {
    title: 'bad `mapping`',
    explanation: 'A mapping is a list of columns, each written once, and not empty.',
    example: 'mapping: [id, amount, id]',
    fix: 'List every column once.',
  },
  E365: {
    title: 'mapping reads an unknown column',
    explanation:
      'An item of the mapping names a column that the records of this output do not have. The nearest one is shown.',
    example: 'mapping: [id, amuont]',
    fix: 'Correct the name.',
  },
  E367: {
    title: 'bad name for split files',
    explanation: 'The files of a split output are numbered, so their pattern has the number in it exactly once.',
    example: 'split: { max_records: 1000, naming: "part.csv" }',
    fix: 'Write a pattern such as `part-{seq:04}.csv`.',
  },
  W365: {
    title: 'mapped column never seen',
    explanation: 'The mapping of an output names a column that no record had.',
    example: 'mapping: [id, nickname]   # carried, and in none of the files',
    fix: 'Correct the name.',
  },
  W366: {
    title: 'mapped name displaced a column',
    explanation: 'A mapping gives a column a name that another passing column has; that one is not written.',
    example: 'mapping: [{ total: amount }]   # while a column total passes',
    fix: 'Rename one of them.',
  },
  MultiValueJoinCollision: {
    title: 'element that holds the delimiter',
    explanation:
      'An array is joined into one cell, and an element holds the text that separates the elements, so that it could not be read back. Under `continue` the record goes to the dead letters.',
    example: 'options: { join_values: [tags] }\n# a record with tags ["a;b", "c"]',
    fix: 'Give `join_values` another `delimiter`, or `on_conflict: escape` or `encode_json`.',
    exit: 4,
  },
  UnwritableName: {
    title: 'column name that cannot be written',
    explanation:
      'The format has no form for the name of a column: in JSON a name that is both a value and a container of others, a bad escape, or too many levels.',
    example: '# a CSV with these columns, written to JSON\na,a.b\n1,2',
    fix: 'Rename the column in the `mapping` of the output, or exclude it.',
    exit: 4,
  },
  UnwritableValue: {
    title: 'value that cannot be written',
    explanation: 'The format has no form for a value, such as NaN or an infinity in JSON. Column and record are named.',
    example: 'cxl: "emit x = big * big"   # beyond the largest double, written to JSON',
    fix: 'Give the column another value, or null, in a transform before the output.',
    exit: 4,
  },
  SchemaDrift: {
    title: 'record with a column the output has no place for',
    explanation:
      'The header of a streaming CSV output is fixed by its first record, a fixed-width layout by its schema. A later record brings a column that is not in it. No output is written, and no column is lost in silence.',
    example: '# orders.ndjson, read with on_unmapped: auto_widen and streamed to CSV\n{"id":1}\n{"id":2,"note":"late"}',
    fix: 'Set `options: { header: union }`, declare the column in a schema, list it in `mapping`, set `include_unmapped: false`, or write JSON.',
    exit: 4,
  },
  UnserializableMapValue: {
    title: 'map in a flat format',
    explanation:
      'A cell holds a map, or an array with a map in it, and the format has no form for that. Format and column are named.',
    example: '# orders.ndjson, written to CSV\n{"id":1,"address":{}, "tags":[{"k":1}]}',
    fix: 'Leave `include_unmapped` at true, so that nested fields are columns of their own, or turn the value into a scalar in CXL.',
    exit: 4,
  },
  UnserializableArrayValue: {
    title: 'array where the format has none',
    explanation:
      'A fixed-width column holds an array, or an array in CSV holds another one. Format and column are named.',
    example: '# matrix.ndjson, written to CSV\n{"id":1,"rows":[[1,2],[3,4]]}',
    fix: 'Join the values into one text, take one of them, or write JSON; CSV takes nested arrays with `join_values` and `on_conflict: encode_json`.',
    exit: 4,
  },
  OutputFailure: {
    title: 'file that cannot be written',
    explanation:
      'The operating system refuses an output: its folder does not exist, the disk is full, permission is missing, or standard output is closed. The message names file and reason; files of an earlier run stay as they were.',
    example: 'path: reports/out.csv   # and there is no folder `reports`',
    fix: 'Make the folder, free space, or write somewhere else.',
    exit: 4,
  },
})
