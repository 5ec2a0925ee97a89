import { ClinkerError, type Place } from '../../lib/diagnostics/index.ts'
import { placed } from './settings.ts'

/** Refuses what the specification has and this version does not. */
export function notBuilt(node: string, what: string, place: Place | undefined): ClinkerError {
  return new ClinkerError('E000', {
    message: `${what} is not built yet`,
    node,
    help: 'this version runs sources and outputs of type csv and json, transform and reshape',
    ...placed(place),
  })
}
