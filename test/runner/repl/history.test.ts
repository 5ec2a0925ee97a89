import { readFile, stat, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { History, historyFile } from '../../../runner/repl/history.ts'
import { folderWith } from '../folder.ts'

describe('the history file', () => {
  test.each([
    [{ CXL_HISTORY: '/tmp/mine', HOME: '/home/ada' }, '/tmp/mine'],
    [{ CXL_HISTORY: '', HOME: '/home/ada' }, undefined],
    [{ XDG_STATE_HOME: '/state', HOME: '/home/ada' }, '/state/cxl/history'],
    [{ XDG_STATE_HOME: 'relative', HOME: '/home/ada' }, '/home/ada/.local/state/cxl/history'],
    [{ HOME: '/home/ada' }, '/home/ada/.local/state/cxl/history'],
    [{ HOME: '' }, undefined],
  ])('of %j is %s', (environment, file) => {
    expect(historyFile(environment)).toBe(file)
  })
})

describe('History', () => {
  test('keeps lines for the next session, the newest first, readable by their owner only', async () => {
    await using folder = await folderWith()
    const file = folder.file('state/cxl/history')
    const history = new History(file)
    expect(history.lines).toEqual([])
    history.add('1 + 1')
    history.add('  ')
    history.add('let x = 2')
    expect(new History(file).lines).toEqual(['let x = 2', '1 + 1'])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(folder.file('state/cxl'))).mode & 0o777).toBe(0o700)
  })

  test('keeps the last thousand lines', async () => {
    await using folder = await folderWith()
    const file = folder.file('history')
    await writeFile(file, Array.from({ length: 1500 }, (_, n) => `${n}\n`).join(''))
    const { lines } = new History(file)
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([1000, '1499', '500'])
    expect((await readFile(file, 'utf8')).startsWith('500\n501\n')).toBe(true)
  })

  test('does without a file, and without one that cannot be read or written', async () => {
    await using folder = await folderWith({ blocked: '' })
    for (const file of [undefined, folder.file('blocked/history'), folder.path]) {
      const history = new History(file)
      history.add('1')
      expect(history.lines).toEqual([])
    }
  })
})
