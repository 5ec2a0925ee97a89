import fc from 'fast-check'
import { long } from './long.ts'

// `npm run test:long` runs the same tests with large counts.
fc.configureGlobal({ numRuns: long ? 600 : 60 })
