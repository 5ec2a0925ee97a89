export { type ExplainFormat, explainFormats, explainPlan } from './explain/index.ts'
export { type PipelineInput, type Plan, plan, type PlanOptions } from './plan/plan.ts'
export {
  type NodeRunStats,
  type Progress,
  run,
  type RunOptions,
  type RunResult,
  type RunStats,
  type WrittenFile,
} from './run/run.ts'
