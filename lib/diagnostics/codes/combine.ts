import { category } from './code.ts'

export const combineCodes = category(
  'combine',
  {
    E300: {
      title: 'too few or too many inputs',
      explanation: 'A combine joins two to eight inputs.',
      example:
        '- { type: combine, name: joined, input: { o: orders }, config: { where: "o.id == 1", cxl: "emit id = o.id" } }',
      fix: 'Add an input, or chain two combines.',
    },
    E301: {
      title: 'bad qualifier',
      explanation: 'A qualifier stands before a dot in expressions and `$` opens a namespace, so it has neither.',
      example: 'input: { order.head: orders, c: customers }',
      fix: 'Rename the qualifier.',
    },
    E303: {
      title: '`where` is not boolean',
      explanation: 'The predicate of a combine says whether two records belong together.',
      example: 'where: "o.id + c.id"',
      fix: 'Write a comparison: `o.id == c.id`.',
    },
    E304: {
      title: 'unknown field in `where`',
      explanation:
        'The predicate reads a field that no input declares, or a bare name: every field is `qualifier.field` there.',
      example: 'where: "o.customer == id"',
      fix: 'Put the qualifier in front, or declare the field.',
    },
    E305: {
      title: 'inputs that nothing connects',
      explanation:
        'There is no equality and no range between two of the inputs, so every record would meet every other.',
      example: 'where: "o.amount > 10"',
      fix: 'Add a comparison between the inputs: `o.customer == c.id`.',
    },
    E306: {
      title: '`drive` is no qualifier',
      explanation: 'The driver is one of the inputs, named by its qualifier.',
      example: 'input: { o: orders, c: customers }\nconfig: { drive: orders }',
      fix: 'Use one of the qualifiers.',
    },
    E307: {
      title: 'input of a combine names no node',
      explanation: 'Found while the inputs are bound; mostly E004 has said so before.',
      example: 'input: { o: ordres, c: customers }',
      fix: 'Correct the reference.',
    },
    E308: {
      title: 'unknown field in the body',
      explanation:
        'The body reads a field that no input declares, or a bare name that is no `let` and no column emitted before. Undeclared columns of a build side cannot be named.',
      example: 'cxl: "emit name = nam"',
      fix: 'Write `qualifier.field`, or declare the field.',
    },
    E309: {
      title: 'body emits nothing',
      explanation: 'The columns of a combine are those that its body emits.',
      example: 'config: { where: "o.customer == c.id", cxl: "let a = 1" }',
      fix: 'Add an `emit`.',
    },
    E311: {
      title: '`collect` with a body or a third input',
      explanation:
        'Collecting gives the driver’s columns and one array of matches, so it has no body, and there is one build side.',
      example: 'config: { match: collect, where: "o.customer == c.id", cxl: "emit id = o.id" }',
      fix: 'Empty the body; join two inputs.',
    },
    E313: {
      title: 'predicate that cannot run',
      explanation:
        'No way is known to find the matches of this predicate. Pipelines in YAML get E305 instead; the code is kept for plugins.',
      example: 'where: "o.name.starts_with(c.name)"',
      fix: 'Add an equality or a range.',
    },
    E319: {
      title: 'driver row without a match',
      explanation:
        'With `on_miss: error` every record of the driver has to find its partner. The first that does not stops the run; its row is named.',
      example: 'config: { on_miss: error, where: "o.customer == c.id", cxl: "emit id = o.id" }',
      fix: 'Complete the data, or choose `on_miss: null_fields` or `skip`.',
    },
    E325: {
      title: 'too many rows',
      explanation: 'The combine has written as many rows as `max_output_rows` allows, and there is one more.',
      example: 'config: { match: all, max_output_rows: 1000, where: "o.day == c.day", cxl: "emit id = o.id" }',
      fix: 'Tighten `where`, or raise the cap.',
    },
    E326: {
      title: 'decimal key off the grid',
      explanation: 'Decimals in a range are compared exactly, up to 18 places and about 1.7e20; this one lies outside.',
      example: 'where: "o.price >= r.low"   # low is 0.0000000000000000001',
      fix: 'Round the key to fewer places.',
    },
    E327: {
      title: 'range over values without an order',
      explanation: 'Both sides of a range are int, float, decimal, date or date_time, and of one kind.',
      example: 'where: "o.name < c.name"',
      fix: 'Compare numbers or dates of one kind; convert one side if need be.',
    },
    W302: {
      title: 'small join on equality alone',
      explanation: 'The inputs are small and joined by equalities only; the way the join is run does not matter.',
      example: 'where: "o.customer == c.id"',
      fix: 'Nothing to do.',
    },
    W305: {
      title: 'join without an equality',
      explanation: 'Only ranges connect the inputs, so many pairs are looked at.',
      example: 'where: "o.day >= r.from and o.day < r.to"',
      fix: 'Nothing to do; an equality besides makes it faster.',
    },
    W306: {
      title: 'driver by order of declaration',
      explanation:
        'No `drive` is given, so the first input drives: its records decide the order and the rows of the output.',
      example: 'input: { o: orders, c: customers }',
      fix: 'Say `drive: o` if that is meant.',
    },
  },
  'reserved',
)
