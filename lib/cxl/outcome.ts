/** What became of a record: it went through, a `filter` dropped it, or a `distinct` did. */
export const passed = 0
export const filtered = 1
export const repeated = 2
export type Outcome = typeof passed | typeof filtered | typeof repeated
