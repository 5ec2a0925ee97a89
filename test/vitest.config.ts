import path from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests that change nothing outside themselves share one process each worker: loading the code again for every file takes longer. */
const sharing = [
  'test/lib/{cxl,schema,diagnostics}/**/*.test.ts',
  'test/runner/**/*.test.ts',
  'test/streams/csv/option.*.test.ts',
]

const common = {
  root: path.join(import.meta.dirname, '..'),
  setupFiles: ['test/support/setup.ts'],
  testTimeout: 60_000,
}

export default defineConfig({
  test: {
    projects: [
      { test: { ...common, name: 'sharing', include: sharing, isolate: false } },
      { test: { ...common, name: 'apart', include: ['test/**/*.test.ts'], exclude: [...sharing, 'node_modules/**'] } },
    ],
  },
})
