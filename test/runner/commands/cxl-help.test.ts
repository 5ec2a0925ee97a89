import { describe, expect, test } from 'vitest'
import { describeBuiltins } from '../../../lib/cxl/engine.ts'
import { main } from '../../../runner/commands/cxl-main.ts'
import { call, type Said } from './streams.ts'

const help = (...names: string[]): Promise<Said> => call(main, ['help', ...names])

describe('cxl help', () => {
  test('explains a function with its examples and what they give', async () => {
    expect(await help('reverse')).toEqual({
      exit: 0,
      stdout: [
        'string .reverse() -> string',
        '',
        'The characters in reverse order.',
        '',
        '  \'abc\'.reverse()  # "cba"',
        '',
      ].join('\n'),
      stderr: '',
    })
  })

  test('explains every overload, floats as floats and errors as such', async () => {
    const { stdout } = await help('abs')
    expect(stdout).toContain('int .abs() -> int\n')
    expect(stdout).toContain('\nfloat .abs() -> float\n')
    expect(stdout).toContain('  (-9223372036854775808).abs()  # error: integer overflow\n')
    expect((await help('round')).stdout).toContain('  2.5.round()       # 3.0\n')
  })

  test('shows the record that examples read', async () => {
    expect((await help('keys')).stdout).toBe(
      'map .keys() -> array\n\nThe keys, in insertion order.\n\n  m is {"b":2,"a":1}\n\n  m.keys()  # ["b","a"]\n',
    )
  })

  test('explains a topic', async () => {
    const { stdout } = await help('precedence')
    expect(stdout.split('\n')[0]).toBe('precedence: what binds more tightly')
    expect(stdout).toContain('  *  /  %\n  +  -\n  ==  !=')
  })

  test('lists topics and functions by the type they belong to, one line each', async () => {
    const { exit, stdout } = await help()
    expect(exit).toBe(0)
    const titles = stdout.split('\n').filter((line) => /^\S/.test(line))
    expect(titles.slice(0, 3)).toEqual(['Topics', 'Methods of string', 'Methods of array'])
    expect(titles.at(-1)).toBe('Functions')
    const lines = stdout.split('\n').filter((line) => line.startsWith('  '))
    expect(lines).toHaveLength(describeBuiltins().length + 5)
    expect(lines).toContain('  reverse       The characters in reverse order')
    for (const line of lines) expect(line.length).toBeLessThan(120)
  })

  test('has a page for every name that it lists', async () => {
    const { stdout } = await help()
    const names = [...stdout.matchAll(/^ {2}(\w+)/gm)].map((match) => match[1] as string)
    for (const name of new Set(names)) expect((await help(name)).exit, name).toBe(0)
  })

  test('answers an unknown name with the nearest one', async () => {
    expect(await help('padleft')).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'there is no function or topic "padleft"; did you mean "pad_left"?\n',
    })
    expect((await help('constructor')).stderr).toBe('there is no function or topic "constructor"\n')
  })
})
