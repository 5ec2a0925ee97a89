import { PassThrough, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../runner/commands/cxl-main.ts'
import { folderWith } from '../folder.ts'
import { call, type Said } from './streams.ts'

/** Feeds lines to `cxl repl` as a pipe does. */
const repl = (lines: readonly string[], ...args: string[]): Promise<Said> => {
  return call(main, ['repl', ...args], `${lines.join('\n')}\n`)
}

const answers = async (...lines: string[]): Promise<string[]> => {
  const { exit, stdout, stderr } = await repl(lines)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

describe('lines', () => {
  test('an expression is answered with its value and type', async () => {
    expect(
      await answers('1 + 2', '2.0', '"a".upper()', 'null', 'true', '#2024-2-3#.add_days(1)', '"1.50".to_decimal()'),
    ).toEqual([
      '3 : Int',
      '2.0 : Float',
      '"A" : String',
      'null : Null',
      'true : Bool',
      '"2024-02-04" : Nullable(Date)',
      '"1.50" : Decimal',
    ])
    expect(await answers('"inf".to_float()', '-"inf".to_float()', '"a,b".split(",")')).toEqual([
      'inf : Float',
      '-inf : Float',
      '[',
      '  "a",',
      '  "b"',
      '] : Array',
    ])
  })

  test('lets and emits stay in force', async () => {
    expect(await answers('let x = 2', 'emit y = x * 3.0', 'x + y', 'let x = x + 1', 'x', 'emit x = 9', 'x')).toEqual([
      'x = 2 : Int',
      'y = 6.0 : Float',
      '8.0 : Float',
      'x = 3 : Int',
      '3 : Int',
      'x = 9 : Int',
      '3 : Int',
    ])
  })

  test('several statements may share a line, comments and empty lines are no fault', async () => {
    expect(await answers('let a = 1 let b = a + 1  # two', '', '# nothing', 'b')).toEqual([
      'a = 1 : Int',
      'b = 2 : Int',
      '2 : Int',
    ])
  })

  test('a line whose brackets are open goes on', async () => {
    expect(await answers('(1 +', '2)', 'match 3 {', '  1 => "one"', '  _ => "more"', '}', '"("')).toEqual([
      '3 : Int',
      '"more" : String',
      '"(" : String',
    ])
  })

  test('other statements are evaluated once', async () => {
    expect(
      await answers(
        'filter 1 == 2',
        'filter true',
        'trace warn "hm"',
        'emit each e in "a,b".split(",") { emit e = e }',
        'distinct',
      ),
    ).toEqual([
      'the record is dropped',
      'the record passes',
      'warn: hm',
      '{',
      '  "e": "a"',
      '}',
      '{',
      '  "e": "b"',
      '}',
    ])
    expect(
      await answers('emit each e in "a".split(",").filter(it => false) { emit e = e }', '1.debug("here")'),
    ).toEqual(['no records', 'trace: here: 1', '1 : Any'])
  })

  test('an error shows its place in what was entered, and the session goes on', async () => {
    const { exit, stdout, stderr } = await repl([
      'let x = 1',
      '  let y = (x /',
      '     0)',
      'let q = 1 let z = nope',
      'x + q',
      'z',
    ])
    expect(exit).toBe(0)
    expect(stdout).toBe('x = 1 : Int\nq = 1 : Int\n2 : Int\n')
    expect(stderr).toBe(
      [
        "error[eval]: field 'y': division by zero",
        ' --> <inline>:1:12',
        '  |',
        '1 |   let y = (x /',
        '  |            ^^^',
        "error[resolve]: unknown name 'nope'",
        ' --> <inline>:1:19',
        '  |',
        '1 | let q = 1 let z = nope',
        '  |                   ^^^^',
        "  = help: a text stands in quotes: 'nope'",
        "error[resolve]: unknown name 'z'",
        ' --> <inline>:1:1',
        '  |',
        '1 | z',
        '  | ^',
        "  = help: did you mean 'x'?",
        '',
      ].join('\n'),
    )
  })

  test('brackets that are open at the end are told', async () => {
    const { exit, stderr } = await repl(['(1 +'])
    expect(exit).toBe(0)
    expect(stderr).toBe(
      [
        'error[parse]: expected an expression, found the end',
        ' --> <inline>:1:5',
        '  |',
        '1 | (1 +',
        '  |     ^',
        "  = help: '+' needs a value on its right",
        '',
      ].join('\n'),
    )
  })
})

describe('records', () => {
  const orders = 'id,amount\na,3\nb,4\nc,x\nd,5\n'

  test('come from a file, one after the other; what stays is evaluated for each', async () => {
    await using folder = await folderWith({ 'orders.csv': orders })
    const lines = ['emit n = amount.to_int()', ':next', ':next', ':next', ':next', ':record', 'n']
    const { exit, stdout, stderr } = await repl(lines, folder.file('orders.csv'))
    expect(exit).toBe(0)
    expect(stdout).toBe('n = 3 : Int\nn = 4 : Int\nn = 5 : Int\n{\n  "id": "d",\n  "amount": "5"\n}\n5 : Int\n')
    expect(stderr).toBe(
      [
        "error[eval]: row 3: field 'n': cannot convert 'x' to Int",
        ' --> <inline>:1:10',
        '  |',
        '1 | emit n = amount.to_int()',
        '  |          ^^^^^^^^^^^^^^^',
        'that was the last record',
        '',
      ].join('\n'),
    )
  })

  test('the next one is shown when there is nothing to evaluate for it', async () => {
    await using folder = await folderWith({ 'orders.csv': orders })
    expect((await repl([':next'], folder.file('orders.csv'))).stdout).toBe('{\n  "id": "b",\n  "amount": "4"\n}\n')
  })

  test('come from NDJSON, with the types their values have', async () => {
    await using folder = await folderWith({ 'a.ndjson': '{"n":2.0,"xs":[1]}\n', 'b.jsonl': '{"n":9007199254740993}' })
    const lines = ['n', 'xs[0]', `:load ${folder.file('b.jsonl')}`, 'n', '$source.row']
    const { stdout, stderr } = await repl(lines, folder.file('a.ndjson'))
    expect({ stdout, stderr }).toEqual({ stdout: '2.0 : Any\n1 : Any\n9007199254740993 : Any\n1 : Int\n', stderr: '' })
  })

  test('a field keeps its value after an emit of its name, a let hides it', async () => {
    await using folder = await folderWith({ 'orders.csv': orders })
    const lines = ['emit id = "z"', 'id', 'let id = "y"', 'id']
    expect((await repl(lines, folder.file('orders.csv'))).stdout).toBe(
      'id = "z" : String\n"a" : String\nid = "y" : String\n"y" : String\n',
    )
  })

  test('a file that cannot be read ends the command with 2, and is told when loaded later', async () => {
    await using folder = await folderWith({ 'empty.csv': 'id\n' })
    const missing = folder.file('nope.csv')
    expect(await repl([], missing)).toEqual({
      exit: 2,
      stdout: '',
      stderr: `cannot read "${missing}": no such file or directory (ENOENT)\n`,
    })
    const { exit, stderr } = await repl([`:load ${missing}`, ':load', ':next', `:load ${folder.file('empty.csv')}`])
    expect(exit).toBe(0)
    expect(stderr).toBe(
      [
        `cannot read "${missing}": no such file or directory (ENOENT)`,
        'give a file: :load orders.csv',
        'there is no file; :load FILE takes one',
        `"${folder.file('empty.csv')}" holds no records`,
        '',
      ].join('\n'),
    )
  })
})

describe('commands', () => {
  test(':type does not evaluate', async () => {
    expect(await answers(':type 1 / 0', ':type if true then 1')).toEqual(['Int', 'Nullable(Int)'])
  })

  test(':record without one, :reset, :quit', async () => {
    expect(await answers(':record', 'let x = 1', ':reset', 'let y = 2', ':quit', 'y')).toEqual([
      'there is no record; :load FILE takes one',
      'x = 1 : Int',
      'y = 2 : Int',
    ])
    expect((await repl(['let x = 1', ':reset', 'x'])).stderr).toContain("unknown name 'x'")
  })

  test(':help', async () => {
    expect((await answers(':help reverse'))[0]).toBe('string .reverse() -> string')
    const list = await answers(':help')
    expect(list).toContain('  :next         take the next record of the file, and evaluate all lets and emits for it')
    expect(list).toContain('Topics')
    expect((await repl([':help rverse'])).stderr).toBe(
      'there is no function or topic "rverse"; did you mean "reverse"?\n',
    )
  })

  test('an unknown one is answered with the nearest', async () => {
    const { exit, stderr } = await repl([':tpye 1', ':frobnicate', ':type'])
    expect(exit).toBe(0)
    expect(stderr).toBe(
      'there is no :tpye; did you mean :type?\nthere is no :frobnicate; :help tells what there is\ngive an expression: :type 1 + 2.5\n',
    )
  })
})

describe('on a terminal', () => {
  afterEach(() => vi.unstubAllEnvs())

  /** A session whose keys are pressed one after the other; gives all that appears. */
  async function typed(keys: readonly string[]): Promise<{ exit: number; screen: string }> {
    let screen = ''
    const output = (): Writable =>
      Object.assign(
        new Writable({
          write(chunk: Buffer, _encoding, callback) {
            screen += chunk.toString()
            callback()
          },
        }),
        { isTTY: true, columns: 80 },
      )
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const ended = main(['repl'], { stdin, stdout: output(), stderr: output() })
    await setTimeout(100)
    for (const key of keys) {
      stdin.write(key)
      await setTimeout(20)
    }
    return { exit: await ended, screen: plain(screen) }
  }

  /** Without the sequences that move the cursor. */
  function plain(screen: string): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal gets.
    return screen.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '')
  }

  test('there is a prompt, another one for open brackets, and Ctrl-D leaves with 0', async () => {
    vi.stubEnv('CXL_HISTORY', '')
    const { exit, screen } = await typed(['(1 +\r', '2)\r', '\u0004'])
    expect(exit).toBe(0)
    expect(screen).toContain('cxl> ')
    expect(screen).toContain('...> ')
    expect(screen).toContain('3 : Int\n')
  })

  test('Ctrl-C clears the line and what is open', async () => {
    vi.stubEnv('CXL_HISTORY', '')
    const { exit, screen } = await typed(['(1 +\r', 'nonsense', '\u0003', '40 + 2\r', '\u0004'])
    expect(exit).toBe(0)
    expect(screen).toContain('^C\n')
    expect(screen).toContain('42 : Int\n')
    expect(screen).not.toContain('error')
  })

  test('lines come back in the next session', async () => {
    await using folder = await folderWith()
    vi.stubEnv('CXL_HISTORY', folder.file('history'))
    await typed(['20 + 1\r', ':quit\r'])
    expect(await folder.read('history')).toBe('20 + 1\n:quit\n')
    const { screen } = await typed(['\u001b[A', '\u001b[A', '\r', '\u0004'])
    expect(screen).toContain('21 : Int\n')
  })
})
