#!/usr/bin/env node
import type { Command } from 'commander'
import { badInput } from './cxl-text.ts'
import { runProgram } from './program.ts'

const commands: Record<
  string,
  { summary: string; load: () => Promise<{ command: () => Command | Promise<Command> }> }
> = {
  eval: { summary: 'evaluate a CXL program and print the record it makes', load: () => import('./cxl-eval.ts') },
  check: { summary: 'check a CXL program', load: () => import('./cxl-check.ts') },
  fmt: { summary: 'format a CXL program', load: () => import('./cxl-fmt.ts') },
}

process.exitCode = await runProgram('cxl', 'Works with CXL programs.', commands, process.argv.slice(2), badInput)
