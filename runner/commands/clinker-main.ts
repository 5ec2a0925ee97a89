import { type Program, runProgram, type Streams } from './program.ts'

const program: Program = {
  name: 'clinker',
  description: 'Runs record pipelines and their nodes.',
  badArguments: 1,
  commands: {
    run: { summary: 'run a pipeline file', load: () => import('./run.ts') },
    explain: { summary: 'explain a diagnostic code, or list all', load: () => import('./explain.ts') },
    transform: { summary: 'compute columns of records', load: () => import('./transform.ts') },
    reshape: { summary: 'rewrite and add records, group by group', load: () => import('./reshape.ts') },
    convert: { summary: 'write records in another format', load: () => import('./convert.ts') },
  },
}

/** The `clinker` command. Gives the exit status. */
export function main(args: readonly string[], streams: Streams): Promise<number> {
  return runProgram(program, args, streams)
}
