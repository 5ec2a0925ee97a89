/**
 * What people write who come from SQL, JavaScript or Python, and how it is said here. Only messages read these tables: none of it is
 * a word of the language, and a field may have any of these names.
 */

type Cures = Readonly<Record<string, string>>

/** Signs that are no tokens. */
export const foreignSigns: Cures = {
  '===': "use '=='",
  '!==': "use '!='",
  '&&': "use 'and'",
  '||': "use 'or' between conditions, '+' or concat(…) to join texts",
  '!': "use 'not'",
  '<>': "use '!='",
  '=<': "use '<='",
  '+=': "write 'let name = name + …'",
  '-=': "write 'let name = name - …'",
  '*=': "write 'let name = name * …'",
  '/=': "write 'let name = name / …'",
  '?.': "use '.': what is read of null is null",
  '?': "write 'if … then … else …'",
  ';': 'leave it out: the end of the line ends a statement',
  '&': "use '+' or concat(…) to join texts, 'and' between conditions",
  '|': "use 'or'",
  '@': 'a field is written by its name alone',
  '^': 'there are no powers; multiply',
  '`': "write a text as 'text' and join with '+' or concat(…)",
  '“': 'write texts between straight quotes: "…" or \'…\'',
  '‘': 'write texts between straight quotes: "…" or \'…\'',
  '//': "a comment begins with '#'",
  '/*': "a comment begins with '#', on every line",
}

/** Words that stand between two values. */
export const foreignOperators: Cures = {
  is: "write 'x.is_null()' or 'not x.is_null()' for null, 'x == y' for all else",
  like: 'use .starts_with(…), .ends_with(…), .contains(…) or .matches(…)',
  in: "write 'x == 1 or x == 2', or 'list.any(it => it == x)' for an array",
  between: "write 'x >= low and x <= high'",
  mod: "use '%'",
  div: "use '/', which leaves out the fraction between ints",
}

/** Words that open a statement or an expression. */
export const foreignKeywords: Cures = {
  select: "write 'emit name = …' for each column; all other columns stay anyway",
  from: 'a program sees one record at a time; its fields are written by their names',
  where: "use 'filter'",
  case: "write 'match { condition => value, _ => other }', or 'if … then … else …'",
  const: "use 'let'",
  var: "use 'let'",
  set: "use 'let name = …' or 'emit name = …'",
  return: "use 'emit name = …'",
  def: "write 'fn name(a) = …' in a module",
  function: "write 'fn name(a) = …' in a module",
  for: "write 'emit each x in list { … }', or list.map(it => …)",
  while: "write 'emit each x in list { … }', or list.map(it => …)",
  elif: "write 'else if'",
  elsif: "write 'else if'",
  elseif: "write 'else if'",
  end: "leave it out: 'if … then … else …' needs no end",
  typeof: 'use .type_of()',
  new: "call a conversion, such as text.to_date(), or 'now'",
}

/** What is written by two words, the second one reserved. */
export const foreignClauses: Cures = {
  group: 'a program sees one record at a time; grouping is the work of a node (partition_by, group_by)',
  order: 'a program sees one record at a time; sorting is the work of a node (order_by, sort_by)',
}

/** Names of values. */
export const foreignNames: Cures = {
  TRUE: "did you mean 'true'?",
  True: "did you mean 'true'?",
  FALSE: "did you mean 'false'?",
  False: "did you mean 'false'?",
  NULL: "did you mean 'null'?",
  Null: "did you mean 'null'?",
  None: "did you mean 'null'?",
  nil: "did you mean 'null'?",
  undefined: "did you mean 'null'?",
  Math: 'call the method of a number: x.max(y), x.round(), x.abs()',
  Date: "call text.to_date() or text.to_datetime(), or use 'now'",
}

/** Methods, by the name of the one meant. */
export const foreignMethods: Cures = {
  toUpperCase: 'upper',
  toUpper: 'upper',
  ucase: 'upper',
  toLowerCase: 'lower',
  toLower: 'lower',
  lcase: 'lower',
  includes: 'contains',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
  padStart: 'pad_left',
  padEnd: 'pad_right',
  lpad: 'pad_left',
  rpad: 'pad_right',
  trimStart: 'trim_start',
  trimLeft: 'trim_start',
  ltrim: 'trim_start',
  lstrip: 'trim_start',
  trimEnd: 'trim_end',
  trimRight: 'trim_end',
  rtrim: 'trim_end',
  rstrip: 'trim_end',
  strip: 'trim',
  charAt: 'substring',
  slice: 'substring',
  substr: 'substring',
  mid: 'substring',
  replaceAll: 'replace',
  match: 'capture',
  test: 'find',
  some: 'any',
  exists: 'any',
  flatMap: 'flat_map',
  size: 'length',
  count: 'length',
  len: 'length',
  toString: 'to_string',
  str: 'to_string',
  String: 'to_string',
  int: 'to_int',
  parseInt: 'to_int',
  float: 'to_float',
  parseFloat: 'to_float',
  Number: 'to_float',
  toFixed: 'round',
  getFullYear: 'year',
  getMonth: 'month',
  getDate: 'day',
  strftime: 'format_date',
  to_char: 'format_date',
  strptime: 'to_date',
  isNull: 'is_null',
  isnull: 'is_null',
  typeof: 'type_of',
}

/** Functions that are operators here. */
export const foreignFunctions: Cures = {
  coalesce: "write 'a ?? b'",
  ifnull: "write 'a ?? b'",
  nvl: "write 'a ?? b'",
  isnull: "write 'x.is_null()'",
  exists: "write 'not x.is_null()'",
  iif: "write 'if … then … else …'",
  IF: "write 'if … then … else …'",
}

/** The cure a table has for a name; a name such as `constructor` has none. */
export function cureIn(table: Cures, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
