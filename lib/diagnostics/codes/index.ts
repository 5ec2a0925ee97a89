import type { CodeEntry } from './code.ts'
import { combineCodes } from './combine.ts'
import { compositionCodes } from './composition.ts'
import { configurationCodes } from './configuration.ts'
import { envelopeCodes } from './envelope.ts'
import { outputCodes } from './output.ts'
import { runningCodes } from './running.ts'
import { sourceCodes } from './sources.ts'
import { windowCodes } from './windows.ts'

export { type Category, categories, type CodeEntry, type Severity, type Status, statuses } from './code.ts'

/** Every diagnostic code, by code, in the order of the reference. */
export const codes: ReadonlyMap<string, CodeEntry> = new Map(
  [
    configurationCodes,
    compositionCodes,
    windowCodes,
    sourceCodes,
    combineCodes,
    runningCodes,
    envelopeCodes,
    outputCodes,
  ].flatMap((entries) => entries.map((entry) => [entry.code, entry] as const)),
)
