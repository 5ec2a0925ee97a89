import { category } from './code.ts'

export const sourceCodes = category('sources', {
  E126: {
    title: 'cell does not convert',
    explanation:
      'A cell does not read as the type its column is declared with. Nothing is trimmed, guessed or rounded. Under `fail_fast` the run stops and no output is written; under `continue` the row goes to the dead letters as it was read. The message names source, file, row, column, field and type, and shows the value.',
    example: 'schema: [{ name: id, type: int }]\n# orders.csv\nid\nseven',
    fix: 'Correct the data, or the declared type: `nullable(int)` for cells that may be empty, `format` for a date in another form.',
    exit: 4,
  },
  E157: {
    title: 'schema file cannot be read',
    explanation: 'The schema of a source is the path of a file that does not exist, or that holds no schema.',
    example: 'config: { name: orders, type: csv, path: orders.csv, schema: shapes/orders.schema.yaml }',
    fix: 'Correct the path, or the file.',
  },
  E158: {
    title: 'numeric column',
    explanation: '`numeric` is what an expression is called that gives an int or a float. A column has to say which.',
    example: 'schema: [{ name: amount, type: numeric }]',
    fix: 'Declare the column `int` or `float`.',
  },
  E200: {
    title: 'wrong type, or a rule of a node broken',
    explanation:
      'An expression has operands, arguments or a result of a type that cannot be used there, or the config of a node breaks what the node promises: an unknown column, a target that may not be written, two rules in conflict.',
    example: 'cxl: "emit total = amount + customer"   # a number and a text',
    fix: 'Convert one side (`.to_int()`, `.to_string()`), or name the right column.',
  },
  E201: {
    title: 'source without schema',
    explanation:
      'A source declares its columns and their types, so that every expression can be checked before data is read.',
    example: '- { type: source, name: orders, config: { name: orders, type: csv, path: orders.csv } }',
    fix: 'Add `schema: [{ name, type }, …]`.',
  },
  E202: {
    title: 'CXL does not parse',
    explanation:
      'The text is no program of the expression language. The mark stands below the token that does not fit.',
    example: 'cxl: "emit total = (amount + 1"',
    fix: 'Correct the text at the mark.',
  },
  E203: {
    title: 'unknown name',
    explanation:
      'An expression names a field, variable, function or module member that does not exist there. Undeclared columns that ride along cannot be named either. The nearest known name is shown.',
    example: 'cxl: "emit total = amuont * 2"',
    fix: 'Correct the name, or declare the column in the schema of the source.',
  },
  E210: {
    title: 'several kinds of path',
    explanation: 'A source finds its files in one way.',
    example: 'config: { name: orders, type: csv, path: a.csv, glob: "*.csv", schema: [] }',
    fix: 'Keep one of `path`, `glob`, `regex` and `paths`.',
  },
  E211: {
    title: 'no path',
    explanation: 'A source does not say which files it reads.',
    example: 'config: { name: orders, type: csv, schema: [{ name: id, type: int }] }',
    fix: 'Give one of `path`, `glob`, `regex` and `paths`.',
  },
  E212: {
    title: 'bad glob',
    explanation: 'The file pattern of a source cannot be parsed.',
    example: 'config: { name: orders, type: csv, glob: "data/[.csv", schema: [] }',
    fix: 'Correct the pattern: `*` stays in a folder, `**` crosses folders.',
  },
  E213: {
    title: 'bad regular expression for files',
    explanation: 'The `regex` of a source cannot be parsed.',
    example: 'config: { name: orders, type: csv, regex: "orders-(\\\\d+.csv", schema: [] }',
    fix: 'Correct the expression.',
  },
  E214: {
    title: 'bad duration in a file filter',
    explanation: 'A filter by age is a number with a unit of time.',
    example: 'files: { modified_within: "two days" }',
    fix: 'Write it as `2d`, `12h`, `30m` or `45s`.',
    status: 'reserved',
  },
  E215: {
    title: 'bad size in a file filter',
    explanation: 'A filter by size is a whole number of bytes, with `K`, `M` or `G` behind it if you like.',
    example: 'files: { min_size: 1.5MB }',
    fix: 'Write it as `1536K`.',
    status: 'reserved',
  },
  E216: {
    title: 'no such file',
    explanation: 'A file of a source does not exist, is a folder, or nothing matches its pattern.',
    example: 'config: { name: orders, type: csv, path: ordres.csv, schema: [{ name: id, type: int }] }',
    fix: 'Correct the path or pattern, or set `on_no_match` when there may be none.',
    exit: 4,
  },
  E217: {
    title: 'files of different shape',
    explanation: 'The files that one source reads do not have the same columns. Two of them are named.',
    example: 'glob: "data/*.csv"   # a.csv has id,amount and b.csv has customer',
    fix: 'Read them by two sources.',
    status: 'reserved',
  },
  E218: {
    title: '`take_first` with `take_last`',
    explanation: 'A source takes the first or the last of its files, not both.',
    example: 'files: { take_first: 3, take_last: 3 }',
    fix: 'Choose one.',
  },
  E222: {
    title: 'bad JSON pointer',
    explanation: 'The pointer to a section of a document begins with a slash.',
    example: 'envelope: { head: { json_pointer: meta/header } }',
    fix: 'Write `/meta/header`.',
    status: 'reserved',
  },
  E236: {
    title: 'column hides an input field',
    explanation:
      'A column reads another input field by `source_name`, while the input also has a field of the column’s own name that nobody reads. One of the two would be lost without a word.',
    example: 'schema: [{ name: id, type: int, source_name: order_id }]\n# orders.csv\nid,order_id\n1,7',
    fix: 'Rename the column, or read the other field by a column of its own.',
    exit: 4,
  },
  E340: {
    title: 'computed index into `$doc`',
    explanation: 'What `$doc` holds is known before the data, so its sections and fields are named as they are.',
    example: 'cxl: "emit v = $doc.head[name]"',
    fix: 'Index with a literal: `$doc.head["batch"]`.',
    status: 'reserved',
  },
  E341: {
    title: 'unknown part of `$doc`',
    explanation: '`$doc` names a section or field that no source upstream declares.',
    example: 'cxl: "emit v = $doc.head.bacth"',
    fix: 'Declare it in the `envelope` of the source, or correct the name.',
  },
  E345: {
    title: 'unknown record tag',
    explanation:
      'A line of a file with several record types begins with a tag that no record type has. File, line and tag are named.',
    example: 'records: [{ id: head, tag: H, columns: [] }]\n# orders.txt\nX,1,2',
    fix: 'Declare the record type, or correct the data.',
    exit: 4,
    status: 'reserved',
  },
  E356: {
    title: 'envelope on a flat file',
    explanation: 'A plain CSV or fixed-width file has no header or trailer records to take an envelope from.',
    example: 'config: { name: orders, type: csv, path: orders.csv, envelope: {}, schema: [] }',
    fix: 'Use a schema with several record types.',
    status: 'reserved',
  },
  E358: {
    title: 'bad `split_to_rows` or `split_values`',
    explanation: 'An entry names a field twice, a field that cannot be split, or options that do not go together.',
    example: 'options: { split_values: [name] }   # name is not multiple',
    fix: 'Correct the entry that is named.',
  },
  E360: {
    title: '`array_paths` is an old key',
    explanation: 'What becomes of arrays is said by three keys of today.',
    example: 'options: { array_paths: [lines] }',
    fix: 'Use `split_to_rows` for one record an element, `multiple: true` for an array column, `split_values` for text that holds several values.',
  },
  E361: {
    title: '`multiple` where nothing repeats',
    explanation:
      'A cell of this format holds one text, so a column of several values has to say how the text is split.',
    example:
      'config: { name: orders, type: csv, path: orders.csv, schema: [{ name: tags, type: string, multiple: true }] }',
    fix: 'Add the column to `split_values`, or drop `multiple`.',
  },
  E363: {
    title: 'bad `record_path`',
    explanation:
      'The path to the records is not written as its format wants it: dotted keys in JSON, element names with `/` in XML. The right form is shown.',
    example: 'options: { record_path: $.data.rows }',
    fix: 'Write `data.rows` for JSON, `data/rows` for XML.',
    status: 'active',
  },
  E366: {
    title: 'sort order over framed input',
    explanation: 'A source with document frames cannot promise an order across them.',
    example: 'config: { name: orders, envelope: {}, sort_order: [id] }',
    fix: 'Drop `sort_order`.',
    status: 'reserved',
  },
  E368: {
    title: 'too many bad cells',
    explanation:
      'More of the rows of a source were refused for a bad cell than `type_error_threshold` allows. Rate, limit and counts are named; nothing is written.',
    example: 'error_handling: { strategy: continue, type_error_threshold: 0.01, dlq: { path: dead.csv } }',
    fix: 'Correct the data, or raise the threshold.',
    exit: 3,
  },
  W307: {
    title: 'declared order was broken',
    explanation: 'A file is not sorted as its source says. It has been sorted before going on; file and row are named.',
    example: 'config: { name: orders, sort_order: [id], on_unsorted: warn }',
    fix: 'Correct the declaration, or the file.',
    status: 'reserved',
  },
})
