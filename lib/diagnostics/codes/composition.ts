import { category, type CodeText } from './code.ts'

export const compositionCodes = category(
  'composition',
  {
    E101: {
      title: 'body file is no composition',
      explanation:
        'The file that `use` names cannot be parsed, or has no `_compose` block that says what goes in and out.',
      example: '- { type: composition, name: clean, input: orders, use: clean.comp.yaml }   # a file without _compose',
      fix: 'Correct the body file.',
    },
    E102: {
      title: 'composition and its body do not meet',
      explanation:
        'An input in the body is neither a port nor a node of the body, an output names no node of the body, or the records handed in lack a column that the port asks for.',
      example: '_compose:\n  inputs: { rows: { schema: [{ name: id, type: int }] } }   # the caller has no column id',
      fix: 'Declare the port, correct the reference, or provide the column upstream.',
    },
    E103: {
      title: 'call that names nothing',
      explanation:
        '`use` finds no file, or the call names a port or config key that the composition does not have. The known ones are listed.',
      example:
        '- { type: composition, name: clean, use: clean.comp.yaml, inputs: { row: orders } }   # the port is rows',
      fix: 'Correct the path, the port or the key.',
    },
    E104: {
      title: 'incomplete call',
      explanation: 'A required port is not bound, or a required config value is not given.',
      example: '- { type: composition, name: clean, use: clean.comp.yaml }   # rows is required',
      fix: 'Bind the port in `inputs`, give the value in `config`.',
    },
    E106: {
      title: 'two expanded nodes with one name',
      explanation:
        'Nodes of a body are named after the call. Two calls whose names together give one full name cannot be told apart.',
      example:
        '- { type: composition, name: clean, use: clean.comp.yaml, inputs: { rows: a } }   # next to a node of the same full name',
      fix: 'Rename one of the calls.',
    },
    E107: {
      title: 'compositions that contain themselves',
      explanation:
        'Following the calls from a body file leads back to it, so expanding it would never end. The chain of files is shown.',
      example: '# clean.comp.yaml\n- { type: composition, name: again, use: clean.comp.yaml, inputs: { rows: rows } }',
      fix: 'Remove one of the calls in the chain.',
    },
    E108: {
      title: 'body reaches into its caller',
      explanation:
        'A node of the body reads a node of the calling pipeline. A body knows its ports and its own nodes only.',
      example:
        '# in a body\n- { type: transform, name: net, input: orders_of_the_caller, config: { cxl: "emit a = 1" } }',
      fix: 'Pass the records in through a port.',
    },
    E111: {
      title: 'body without nodes',
      explanation: 'The body file has an interface, but no node behind it.',
      example: '_compose: { inputs: { rows: {} }, outputs: { out: rows } }\nnodes: []',
      fix: 'Add the nodes, or remove the call.',
    },
    E112: {
      title: 'compositions nested too deeply',
      explanation: 'Calls inside calls go deeper than any useful pipeline does. The chain of calls is shown.',
      example: '# a.comp.yaml calls b.comp.yaml, which calls c.comp.yaml, and so on beyond the bound',
      fix: 'Flatten the bodies.',
    },
    E115: {
      title: 'body node with a wrong config',
      explanation:
        'A node of the body is configured wrongly. The message names the call, the file, the node and what is wrong with it.',
      example: '# in a body\n- { type: transform, name: net, input: rows, config: { cxll: "emit a = 1" } }',
      fix: 'Correct the node in the body file.',
    },
    E152: {
      title: 'edge into a composition without a port',
      explanation: 'Records enter a composition by its ports, so an edge has to say which.',
      example: '- { type: composition, name: clean, input: orders, use: clean.comp.yaml }',
      fix: 'Bind the node by `inputs: { port: node }`.',
    },
    ...windowCodes(),
    E173: {
      title: 'body reads a variable it does not take',
      explanation: 'A body sees a scoped variable of the pipeline only when its interface says so.',
      example:
        '# in a body, without scoped_vars\n- { type: transform, name: net, input: rows, config: { cxl: "emit r = $pipeline.rate" } }',
      fix: 'Add the variable to `_compose.scoped_vars`.',
    },
    E174: {
      title: 'variable of another type',
      explanation:
        'The body takes a scoped variable under another type than the pipeline declares. Both types are shown.',
      example: '_compose: { scoped_vars: { pipeline: { rate: int } } }   # declared float',
      fix: 'Use the declared type.',
    },
    W101: {
      title: 'body column hides a passing one',
      explanation: 'The body emits a column under the name of one that passes through it, and the passing one is lost.',
      example:
        '# in a body, while the caller hands in a column `note`\n- { type: transform, name: mark, input: rows, config: { cxl: "emit note = 1" } }',
      fix: 'Rename the column if that was not meant.',
    },
    W102: {
      title: 'odd signature',
      explanation:
        'A config value of the composition is required and has a default all the same, so the default never counts.',
      example: '_compose: { config: { rate: { type: float, required: true, default: 0.19 } } }',
      fix: 'Drop `required` or the default.',
    },
  },
  'reserved',
)

/** A window inside a body needs the one source its records come from; each way of not having it has a code. */
function windowCodes(): Record<string, CodeText> {
  const reasons: Record<string, string> = {
    E160: 'no source leads to it',
    E161: 'several sources lead to it',
    E162: 'its inputs go round in a circle',
    E163: 'its records come from outside the body other than by a port',
    E165: 'its records come from a merge',
    E166: 'it reads a port that the body does not have',
    E167: 'its inputs have different columns',
    E168: 'the source its records come from cannot be made out',
  }
  return Object.fromEntries(
    Object.entries(reasons).map(([code, reason]) => [
      code,
      {
        title: `window in a body: ${reason}`,
        explanation: `An analytic window inside a composition needs one clear source of records; here ${reason}. The message names the call and the node.`,
        example:
          '# in a body\n- type: transform\n  name: ranked\n  input: both   # not fed from one input port\n  config: { analytic_window: { group_by: [id] }, cxl: "emit n = $window.row_number()" }',
        fix: 'Feed the window from a single input port.',
      },
    ]),
  )
}
