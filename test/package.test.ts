import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './support/command.ts'

const root = path.join(import.meta.dirname, '..')

test('the packed files are the built code, the readme, the changelog and the license', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
  )
  const names: string[] = packed.files.map(({ path: name }: { path: string }) => name)
  const places = new Set(names.map((name) => (name.startsWith('dist/') ? name.split('/').slice(0, 2).join('/') : name)))
  expect([...places].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist/lib',
    'dist/runner',
    'dist/streams',
    'package.json',
  ])
  expect(names.filter((name) => name.startsWith('dist/') && !/\.(js|d\.ts)$/.test(name))).toEqual([])
})

test('a CommonJS program can require the package', async () => {
  await using folder = await temporaryFolder()
  await mkdir(path.join(folder.path, 'node_modules'))
  await symlink(root, path.join(folder.path, 'node_modules', 'clinker-streams'))
  await writeFile(
    path.join(folder.path, 'main.cjs'),
    `const { csv, reshape, transform } = require('clinker-streams')
     const { compile } = require('clinker-streams/cxl')
     const { run } = require('clinker-streams/run')
     console.log(typeof csv.parse, typeof reshape, typeof transform, typeof compile, typeof run)`,
  )
  const printed = execFileSync(process.execPath, ['--no-warnings', 'main.cjs'], { cwd: folder.path, encoding: 'utf8' })
  expect(printed).toBe('function function function function function\n')
})

test('importing the package installs no listener', async () => {
  const program = `
    const before = ['exit', 'SIGINT', 'SIGTERM'].map((event) => process.listenerCount(event))
    await import('clinker-streams')
    await import('clinker-streams/run')
    const after = ['exit', 'SIGINT', 'SIGTERM'].map((event) => process.listenerCount(event))
    console.log(String(before) === String(after))`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(printed).toBe('true\n')
})
