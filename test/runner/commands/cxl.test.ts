import { describe, expect, test } from 'vitest'
import { main } from '../../../runner/commands/cxl-main.ts'
import { folderWith } from '../folder.ts'
import { call, type Said } from './streams.ts'

const cxl = (args: string[], input = ''): Promise<Said> => call(main, args, input)

describe('eval', () => {
  test('prints what the program emits', async () => {
    expect(await cxl(['eval', '-e', 'let y = x * 2', '-e', 'emit r = y / 3', '--field', 'x=4.5'])).toEqual({
      exit: 0,
      stdout: '{\n  "r": 3.0\n}\n',
      stderr: '',
    })
  })

  test('a record keeps the digits of its numbers, fields come on top', async () => {
    const { stdout } = await cxl([
      'eval',
      '-e',
      'emit a = a\nemit b = b',
      '--record',
      '{"a":9223372036854775807,"b":1}',
      '--field',
      'b=x',
    ])
    expect(stdout).toBe('{\n  "a": 9223372036854775807,\n  "b": "x"\n}\n')
  })

  test('a record comes from standard input when no option gives one', async () => {
    expect((await cxl(['eval', '-e', 'emit a = x + 1'], '{"x":1}\n')).stdout).toBe('{\n  "a": 2\n}\n')
    const both = ['eval', '-e', 'emit a = x + y', '--record', '-', '--field', 'y=2']
    expect((await cxl(both, '{"x":1}')).stdout).toBe('{\n  "a": 3\n}\n')
    expect(await cxl(['eval', '-e', 'emit a = 1'], '[1]')).toEqual({
      exit: 2,
      stdout: '',
      stderr: 'error: standard input must be a JSON object\n',
    })
  })

  test('a record that is filtered out is said so', async () => {
    expect(await cxl(['eval', '-e', 'filter false\nemit r = 1'])).toEqual({
      exit: 0,
      stdout: '{}\n',
      stderr: 'the record was filtered out\n',
    })
  })

  test('errors show phase, place and help', async () => {
    const { exit, stderr } = await cxl(['eval', '-e', 'emit r = amuont', '--field', 'amount=1'])
    expect(exit).toBe(1)
    expect(stderr).toContain('error[resolve]:')
    expect(stderr).toContain("did you mean 'amount'")
    expect((await cxl(['eval', '-e', 'emit r = 1 / 0'])).stderr).toContain(
      "error[eval]: row 1: field 'r': division by zero",
    )
  })

  test.each([
    [['eval']],
    [['eval', 'a.cxl', '-e', 'emit r = 1']],
    [['eval', '-e', 'emit r = 1', '--record', '{']],
    [['eval', 'nope.cxl']],
    [['evil']],
  ])('%j ends with 2', async (args) => {
    expect((await cxl(args)).exit).toBe(2)
  })
})

describe('check and fmt', () => {
  test('check takes every bare name for a field', async () => {
    await using folder = await folderWith({ 'ok.cxl': 'emit r = anything + 1\n', 'bad.cxl': 'emit r = (\n' })
    const file = folder.file('ok.cxl')
    expect(await cxl(['check', file])).toEqual({ exit: 0, stdout: '', stderr: `ok: ${file} is valid\n` })
    expect(await cxl(['check', folder.file('bad.cxl')])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('error[parse]:'),
    })
  })

  test('fmt prints the program in the standard layout, and twice is as once', async () => {
    await using folder = await folderWith({ 'a.cxl': '# why\nemit   r=a+1\n' })
    const { stdout } = await cxl(['fmt', folder.file('a.cxl')])
    expect(stdout).toBe('# why\nemit r = a + 1\n')
    await folder.write('b.cxl', stdout)
    expect((await cxl(['fmt', folder.file('b.cxl')])).stdout).toBe(stdout)
  })
})
