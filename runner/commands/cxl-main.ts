import { badInput } from './cxl-text.ts'
import { type Program, runProgram, type Streams } from './program.ts'

const program: Program = {
  name: 'cxl',
  description: 'Works with CXL programs.',
  badArguments: badInput,
  commands: {
    eval: { summary: 'evaluate a program for one record', load: () => import('./cxl-eval.ts') },
    check: { summary: 'check a program', load: () => import('./cxl-check.ts') },
    fmt: { summary: 'print a program in the standard layout', load: () => import('./cxl-fmt.ts') },
    repl: { summary: 'evaluate line by line', load: () => import('./cxl-repl.ts') },
    help: { summary: 'explain a function or a topic of the language', load: () => import('./cxl-help.ts') },
  },
}

/** The `cxl` command. Gives the exit status. */
export function main(args: readonly string[], streams: Streams): Promise<number> {
  return runProgram(program, args, streams)
}
