#!/usr/bin/env node
import type { Command } from 'commander'
import { runProgram } from './program.ts'

/** Every command, loaded when it is the one that was asked for. */
const commands: Record<
  string,
  { summary: string; load: () => Promise<{ command: () => Command | Promise<Command> }> }
> = {
  run: { summary: 'run a pipeline file', load: () => import('./run.ts') },
  explain: { summary: 'explain a diagnostic code, or list all', load: () => import('./explain.ts') },
  transform: { summary: 'compute columns of records from standard input', load: () => import('./transform.ts') },
  reshape: {
    summary: 'rewrite and add records, group by group, from standard input',
    load: () => import('./reshape.ts'),
  },
  convert: { summary: 'write records from standard input in another format', load: () => import('./convert.ts') },
}

process.exitCode = await runProgram(
  'clinker',
  'Runs record pipelines and their nodes.',
  commands,
  process.argv.slice(2),
)
