import type { Plan } from '../plan/plan.ts'
import { type DescribeOptions, describe } from './describe.ts'
import { explainDot, explainMermaid } from './graph.ts'
import { explainText } from './text.ts'

export const explainFormats = ['text', 'json', 'dot', 'mermaid'] as const
export type ExplainFormat = (typeof explainFormats)[number]

/** A plan in one of the forms of `--explain`. */
export function explainPlan(plan: Plan, format: ExplainFormat, options: DescribeOptions = {}): string {
  const description = describe(plan, options)
  switch (format) {
    case 'json':
      return `${JSON.stringify(description, undefined, 2)}\n`
    case 'dot':
      return explainDot(description)
    case 'mermaid':
      return explainMermaid(description)
    default:
      return explainText(description)
  }
}
