import { setFlagsFromString } from 'node:v8'
import { defaultLimit } from '../plan/settings.ts'

/**
 * Left alone, V8 lets garbage grow to a multiple of what lives before it collects: with 64M of records held, the process had 310 MB.
 * Whoever sets a limit below the default wants a small process, and pays a few per cent of time for it (220 MB). Benchmark: giant-spilled.
 */
export function suitHeap(limit: number): void {
  if (limit < defaultLimit) setFlagsFromString('--heap-growing-percent=80')
}
