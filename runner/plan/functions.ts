import { access } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type UserFunctions, userFunctions } from '../../lib/cxl/engine.ts'
import { ClinkerError, type Place } from '../../lib/diagnostics/index.ts'
import { checkedPath } from './paths.ts'
import { placed } from './settings.ts'

/** Where `pipeline.functions` stands, and what its path is relative to. */
export interface FunctionsContext {
  readonly base: string
  readonly place: Place | undefined
  readonly allowAbsolute: boolean
}

/**
 * The functions of the module that `pipeline.functions` names: its default export, else all it exports by name. The module is loaded,
 * and so its code runs, whenever the pipeline is planned.
 */
export async function loadFunctions(
  written: string,
  { base, place, allowAbsolute }: FunctionsContext,
): Promise<UserFunctions> {
  const subject = 'pipeline.functions'
  const refuse = (message: string, details: { help?: string; cause?: unknown } = {}): never => {
    throw new ClinkerError('E000', { message, ...details, ...placed(place) })
  }
  const file = path.resolve(base, checkedPath(written, { node: subject, place, allowAbsolute }))
  if (!(await exists(file))) {
    refuse(`${subject}: there is no file "${written}"`, {
      help: 'the path is relative to the pipeline file, or to --base-dir',
    })
  }
  let exported: Record<string, unknown>
  try {
    exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    return refuse(`${subject}: "${written}" does not load: ${error instanceof Error ? error.message : String(error)}`, {
      help: 'it must be a JavaScript module (.js with "type": "module", or .mjs)',
      cause: error,
    })
  }
  const given = Object.hasOwn(exported, 'default') ? exported.default : { ...exported }
  try {
    const functions = userFunctions(given, `${subject}: "${written}"`)
    if (functions.size > 0) return functions
  } catch (error) {
    if (!(error instanceof ClinkerError)) throw error
    return refuse(error.reason, error.help === undefined ? {} : { help: error.help })
  }
  return refuse(`${subject}: "${written}" exports no function`, {
    help: "export default { name: { signature: '(amount: decimal) -> string', run: (amount) => … } }",
  })
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file)
    return true
  } catch {
    return false
  }
}
