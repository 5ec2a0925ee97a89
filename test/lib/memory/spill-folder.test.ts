import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { MemoryBudget, SpillFolder, TextSpool } from '../../../lib/memory/index.ts'
import { SpillFile } from '../../../lib/memory/spill-file.ts'
import { caught, temporaryFolder } from './rows.ts'

const writing = vi.hoisted(() => ({ fail: undefined as string | undefined }))
vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  return {
    ...fs,
    writeSync: (...given: Parameters<typeof fs.writeSync>) => {
      if (writing.fail) throw Object.assign(new Error(`${writing.fail}: a fault, write`), { code: writing.fail })
      return fs.writeSync(...given)
    },
  }
})

describe('the folder', () => {
  test('is made with the first file, for its owner only, and removed by close()', () => {
    const { path, left } = temporaryFolder()
    const folder = new SpillFolder(path)
    expect([left(), folder.path]).toEqual([[], undefined])
    const file = new SpillFile(folder)
    const made = folder.path as string
    expect(dirname(made)).toBe(path)
    expect(statSync(made).mode & 0o777).toBe(0o700)
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    expect(dirname(file.path)).toBe(made)
    folder.close()
    folder.close()
    expect([left(), folder.path]).toEqual([[], undefined])
  })

  test('lies under the temporary directory of the system by default', () => {
    expect(new SpillFolder().parent).toBe(tmpdir())
  })

  test('carries its process in its name', () => {
    const folder = new SpillFolder(temporaryFolder().path)
    new SpillFile(folder)
    expect(folder.path).toMatch(new RegExp(`clinker-spill-[0-9a-f]{8}-${process.pid}-\\d+-\\w{6}$`))
    folder.close()
  })

  test('can be used again after close()', () => {
    const { path, left } = temporaryFolder()
    const folder = new SpillFolder(path)
    new SpillFile(folder)
    folder.close()
    new SpillFile(folder)
    expect(left()).toHaveLength(2)
    folder.close()
    expect(left()).toEqual([])
  })

  test('is removed when the process ends', () => {
    const { path, left } = temporaryFolder()
    const before = process.listenerCount('exit')
    const folder = new SpillFolder(path)
    new SpillFile(folder)
    expect(process.listenerCount('exit')).toBe(before + 1)
    const remove = process.listeners('exit').at(-1) as () => void
    remove()
    expect(left()).toEqual([])
    folder.close()
    expect(process.listenerCount('exit')).toBe(before)
  })
})

describe('what others have left', () => {
  const mine = (parent: string): string => {
    const folder = new SpillFolder(parent)
    new SpillFile(folder)
    const name = readdirSync(parent).find((entry) => entry.startsWith('clinker-spill-')) as string
    folder.close()
    return name
  }
  const deadProcess = spawnSync(process.execPath, ['-e', '']).pid

  test('is removed when its process is gone', () => {
    const { path } = temporaryFolder()
    const stale = mine(path).replace(`-${process.pid}-`, `-${deadProcess}-`)
    mkdirSync(join(path, stale))
    writeFileSync(join(path, stale, '1.spill'), 'rows')
    mine(path)
    expect(existsSync(join(path, stale))).toBe(false)
  })

  test('is removed when its number belongs to a later process', () => {
    const { path } = temporaryFolder()
    const stale = mine(path).replace(/-\d+-(\w{6})$/, '-1-$1')
    mkdirSync(join(path, stale))
    mine(path)
    expect(existsSync(join(path, stale))).toBe(!existsSync('/proc/self/stat'))
  })

  test('stays while its process lives, and when it comes from another machine or is not ours', () => {
    const { path } = temporaryFolder()
    const living = mine(path)
    const elsewhere = living.replace(/spill-[0-9a-f]{8}-\d+-/, `spill-00000000-${deadProcess}-`)
    for (const name of [living, elsewhere, 'clinker-spill-notes', 'other']) mkdirSync(join(path, name))
    mine(path)
    expect(readdirSync(path).sort()).toEqual([living, elsewhere, 'clinker-spill-notes', 'other'].sort())
  })
})

describe('limits', () => {
  test('counts what the files take and what was written', () => {
    const folder = new SpillFolder(temporaryFolder().path)
    const one = new SpillFile(folder, 16)
    const other = new SpillFile(folder, 16)
    one.append(Buffer.alloc(100))
    other.append(Buffer.alloc(50))
    expect([folder.used, folder.written, folder.files]).toEqual([166, 166, 2])
    one.remove()
    one.remove()
    expect([folder.used, folder.written, folder.files]).toEqual([58, 166, 2])
    folder.close()
    expect(folder.used).toBe(0)
  })

  test('more than the cap is E320', () => {
    const folder = new SpillFolder(temporaryFolder().path, { cap: '1K' })
    const file = new SpillFile(folder, 16)
    file.append(Buffer.alloc(1000))
    const error = caught(() => file.append(Buffer.alloc(100)))
    expect(error.format()).toBe(
      'E320: spill files would take 1116 bytes, their cap is 1024\n  raise the cap, or raise memory.limit so that less is spilled',
    )
    expect([error.code, error.exit, error.expected, error.actual]).toEqual(['E320', 4, 1024, 1116])
    folder.close()
  })

  test.each([
    ['ENOSPC', 'no space is left on the device'],
    ['EDQUOT', 'the disk quota is used up'],
    ['EFBIG', 'a file has reached the size limit of the process'],
  ])('%s is E321 and names the folder', (code, reason) => {
    const { path, left } = temporaryFolder()
    const folder = new SpillFolder(path)
    const spool = new TextSpool({ budget: new MemoryBudget('256K'), folder, node: 'output "out"' })
    spool.write('x'.repeat(150_000))
    writing.fail = code
    const error = caught(() => spool.write('x'.repeat(100_000)))
    writing.fail = undefined
    expect(error.format()).toBe(
      `E321: the spill folder ${folder.path} is full: ${reason} (${code})
  free space there, or name another folder with --spill-dir (spill_dir)`,
    )
    expect([error.code, error.exit, (error.cause as NodeJS.ErrnoException).code]).toEqual(['E321', 4, code])
    spool.release()
    folder.close()
    expect(left()).toEqual([])
  })

  test('a file size limit of the shell is E321, not the end of the process', () => {
    const { path } = temporaryFolder()
    const script = `
      const fs = require('node:fs')
      const descriptor = fs.openSync(${JSON.stringify(join(path, 'big'))}, 'wx')
      try { for (;;) fs.writeSync(descriptor, Buffer.alloc(65536)) } catch (error) { console.log(error.code) }`
    const run = spawnSync('bash', ['-c', 'ulimit -f 100; exec "$0" -e "$1"', process.execPath, script])
    expect(run.stdout.toString()).toBe('EFBIG\n')
  })

  test('a parent that is not there is E321', () => {
    const error = caught(() => new SpillFile(new SpillFolder('/nowhere/at/all')))
    expect(error.message).toBe(
      'E321: the spill folder /nowhere/at/all cannot be used: ENOENT: no such file or directory',
    )
    expect(error.exit).toBe(4)
  })
})
