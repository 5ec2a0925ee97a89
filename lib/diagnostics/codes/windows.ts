import { category } from './code.ts'

export const windowCodes = category(
  'windows',
  {
    E150: {
      title: 'analytic window behind a correlation key',
      explanation:
        'A source with a correlation key may take back whole groups of records, after a window has counted them.',
      example:
        'config: { name: orders, type: csv, path: orders.csv, correlation_key: id, schema: [{ name: id, type: int }] }   # read by a window',
      fix: 'Drop the window, or the key of the source.',
    },
    E150b: {
      title: 'window reads a column its input lacks',
      explanation:
        'The groups, the order or an argument of the window names a column that the node before it does not have.',
      example: 'analytic_window: { group_by: [custmer] }',
      fix: 'Correct the name, or emit the column upstream.',
    },
    E150c: {
      title: 'window over a later source',
      explanation: 'A window over another source needs that source to have been read before.',
      example: 'analytic_window: { source: rates, group_by: [currency] }   # rates stands behind the node',
      fix: 'Move the source in front of the node.',
    },
    E150d: {
      title: 'window on a merge',
      explanation: 'A merge brings records of several sources together, and a window needs those of one.',
      example:
        '- { type: transform, name: ranked, input: merged, config: { analytic_window: { group_by: [id] }, cxl: "emit n = $window.row_number()" } }',
      fix: 'Compute the window before the merge.',
    },
    E150e: {
      title: 'window over an array',
      explanation: 'The argument of a window function is a column that holds arrays.',
      example: 'cxl: "emit total = $window.sum(amounts)"   # amounts is multiple',
      fix: 'Turn the array into a single value first.',
    },
    E15Y: {
      title: 'streaming where groups may be taken back',
      explanation:
        'A streaming aggregate gives a group away as soon as it is complete, but here whole groups of records may still be withdrawn.',
      example: 'config: { group_by: [id], strategy: streaming, cxl: "emit n = count(*)" }   # behind a correlation key',
      fix: 'Set `strategy: auto`.',
    },
    E153: {
      title: 'correlation key is no column',
      explanation: 'The correlation key of a source names a column that its schema does not declare.',
      example: 'config: { name: orders, correlation_key: order_no, schema: [{ name: id, type: int }] }',
      fix: 'Add the column to the schema, or correct the name.',
      status: 'active',
    },
    E154: {
      title: 'watermark is no column',
      explanation: 'The watermark of a source names a column that its schema does not declare.',
      example: 'config: { name: events, watermark: { column: at }, schema: [{ name: id, type: int }] }',
      fix: 'Add the column to the schema, or correct the name.',
      status: 'active',
    },
    E155: {
      title: 'watermark is no time',
      explanation:
        'A watermark tells how far time has come, so its column is a date or date_time, and every record has one.',
      example: 'watermark: { column: at }\nschema: [{ name: at, type: nullable(date_time) }]',
      fix: 'Declare the column `date` or `date_time`, not nullable.',
      status: 'active',
    },
    E156: {
      title: 'time window without a watermark',
      explanation:
        'A time window closes when time has passed it, which only the watermark of every source upstream can tell. All sources without one are named.',
      example: 'config: { group_by: [id], time_window: { tumbling: { size: 1h } }, cxl: "emit n = count(*)" }',
      fix: 'Give each of the named sources a `watermark`.',
    },
    E164: {
      title: 'main node reads an init node',
      explanation:
        'Transforms of the init phase run before the rest, to fill variables; their records go nowhere else.',
      example:
        '- { type: output, name: out, input: rates_init, config: { name: out, type: csv, path: out.csv } }   # rates_init has phase: init',
      fix: 'End the init branch, and read the variable instead.',
      status: 'active',
    },
    E171: {
      title: 'variable read before it is written',
      explanation: 'A node reads a scoped variable, but the node that writes it is not upstream of it.',
      example: 'cxl: "emit r = $record.rate"   # written by a node further down',
      fix: 'Move the reader downstream of the writer.',
      status: 'active',
    },
    E172: {
      title: 'source variable behind a junction',
      explanation:
        'Behind a merge or combine a record has several sources, so a bare `$source` variable does not say which one is meant.',
      example: 'cxl: "emit region = $source.region"   # behind a combine of orders and customers',
      fix: 'Name the input, `$source.orders.region`, or copy it into a column before the junction.',
    },
    E175: {
      title: 'init node waits for the main phase',
      explanation: 'A node of the init phase reads a variable that only the main phase writes, after it.',
      example:
        '- { type: transform, name: first, phase: init, input: rates, config: { cxl: "emit r = $pipeline.total" } }',
      fix: 'Write the variable in the init phase too.',
      status: 'active',
    },
  },
  'reserved',
)
