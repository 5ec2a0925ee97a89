export { Blocking } from './blocking.ts'
export { markOwn, type NodeStats, type Results, recordsOf, recordsPerBatch, type ShellOptions } from './shell.ts'
export { Parsing, Streaming, Stringifying } from './streaming.ts'
