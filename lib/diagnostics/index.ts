export { closestMatch, suggestion } from './closest-match.ts'
export { codeFrame } from './code-frame.ts'
export {
  type Category,
  categories,
  type CodeEntry,
  codes,
  type Severity,
  type Status,
  statuses,
} from './codes/index.ts'
export { ClinkerError, ClinkerErrors, type ErrorDetails, type Place } from './error.ts'
export { countCharacters, utf8Length } from './measure.ts'
export { preview } from './preview.ts'
