/** Whether this is `npm run test:long`: the same suite, with more random cases, more kills and larger inputs. */
export const long: boolean = process.env['LONG'] === '1'

/** A count for the quick run, and one for the long run. */
export function count(quick: number, many: number): number {
  return long ? many : quick
}
