import type { OptimizerAnswer } from './admin.js'
import type { LearnerFacts } from './jobs.js'

export function optimizerAnswer(id: string, { state, version }: LearnerFacts): OptimizerAnswer {
  const { optimizer, step, pending, state_bytes } = state
  return { model: id, model_version: String(version), ...optimizer, step, pending, state_bytes }
}
