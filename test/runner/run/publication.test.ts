import { stat, symlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Publication } from '../../../runner/run/publication.ts'
import { folderWith } from '../folder.ts'

const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)

describe('a publication', () => {
  test('shows nothing before it is committed', async () => {
    await using folder = await folderWith({ 'a.csv': 'old a\n' })
    const publication = new Publication()
    for (const name of ['a.csv', 'b.csv']) {
      const file = await publication.open(folder.file(name), name)
      await file.add(`new ${name}\n`)
      await file.end()
    }
    expect(await folder.read('a.csv')).toBe('old a\n')
    expect(await folder.read('b.csv')).toBeNull()
    await publication.commit()
    expect(await folder.read('a.csv')).toBe('new a.csv\n')
    expect(await folder.read('b.csv')).toBe('new b.csv\n')
    expect(await folder.names()).toEqual(['a.csv', 'b.csv'])
  })

  test('leaves nothing when it is aborted', async () => {
    await using folder = await folderWith({ 'a.csv': 'old\n' })
    const publication = new Publication()
    await (await publication.open(folder.file('a.csv'), 'a.csv')).add('new\n')
    await publication.abort()
    expect(await folder.read('a.csv')).toBe('old\n')
    expect(await folder.names()).toEqual(['a.csv'])
  })

  test('writes a file again as asked, and leaves nothing when it is aborted meanwhile', async () => {
    await using folder = await folderWith()
    const publication = new Publication()
    const file = await publication.open(folder.file('a.csv'), 'a.csv')
    await file.add('head\n')
    await file.rest()
    await file.add('body\n')
    const revision = { from: 5, head: 'new\n', copy: (piece: Buffer) => [piece, Buffer.from('!')] }
    await file.rewrite(revision)
    expect(file.bytes).toBe(10)
    expect(await folder.names()).toEqual([expect.stringMatching(/^\.a\.csv\..*\.clinker$/)])
    await file.rewrite({ ...revision, from: 4, head: 'newer\n' })
    const third = file.rewrite({ ...revision, from: 0, head: '' })
    await publication.abort()
    await expect(third).rejects.toThrow('the run has ended')
    expect(await folder.names()).toEqual([])
    await expect(publication.open(folder.file('b.csv'), 'b.csv')).rejects.toThrow('the run has ended')
  })

  test('gives the first files their old content back when a later one cannot get its name', async () => {
    await using folder = await folderWith({ 'a.csv': 'old a\n' })
    const publication = new Publication()
    for (const name of ['a.csv', 'b.csv', 'c.csv']) {
      const file = await publication.open(folder.file(name), name)
      await file.add('new\n')
      await file.end()
    }
    await folder.write('c.csv/in the way', '')
    await expect(publication.commit()).rejects.toThrow(/^OutputFailure: cannot write ".*c\.csv"/)
    await publication.abort()
    expect(await folder.read('a.csv')).toBe('old a\n')
    expect(await folder.names()).toEqual(['a.csv', 'c.csv'])
  })

  test('leaves the permissions to the umask', async () => {
    await using folder = await folderWith()
    const before = process.umask(0o027)
    try {
      const publication = new Publication()
      await (await publication.open(folder.file('a.csv'), 'a.csv')).end()
      await publication.commit()
    } finally {
      process.umask(before)
    }
    expect((await stat(folder.file('a.csv'))).mode & 0o777).toBe(0o640)
  })

  test('writes the file that a link names, and keeps the link', async () => {
    await using folder = await folderWith({ 'real.csv': 'old\n' })
    await symlink('real.csv', folder.file('link.csv'))
    const publication = new Publication()
    const file = await publication.open(folder.file('link.csv'), 'link.csv')
    await file.add('new\n')
    await file.end()
    await publication.commit()
    expect(await folder.read('real.csv')).toBe('new\n')
  })

  test('removes what killed runs of this machine left, and nothing else', async () => {
    const dead = `.a.csv.${machine}-999999999-0123abcd.clinker`
    const alive = `.a.csv.${machine}-${process.pid}-0123abcd.clinker`
    const elsewhere = '.a.csv.00000000-999999999-0123abcd.clinker'
    await using folder = await folderWith({ [dead]: '', [alive]: '', [elsewhere]: '', '.a.csv.swp': '' })
    const publication = new Publication()
    await publication.open(folder.file('b.csv'), 'b.csv')
    await publication.abort()
    expect(await folder.names()).toEqual(['.a.csv.swp', elsewhere, alive].toSorted())
  })

  test('names may be as long as a file system allows', async () => {
    await using folder = await folderWith()
    const name = `${'ü'.repeat(125)}.csv`
    const publication = new Publication()
    await (await publication.open(folder.file(name), name)).end()
    await publication.commit()
    expect(await folder.names()).toEqual([name])
  })
})
