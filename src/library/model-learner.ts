import type { ModelSpec } from '../first-layer/embeddings/model.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import {
  checkEmbeddingGradients,
  checkLearnable,
  embeddingGradients,
  rowGradients,
} from '../first-layer/learning/gradient-call.js'
import type { Learner } from '../first-layer/learning/learner.js'
import { beginLearner, checkpointOf, restoreInto, stepInto } from '../first-layer/learning/table-learner.js'
import { openTensors } from '../first-layer/learning/tensor-file.js'
import { parse } from '../first-layer/options/parse.js'
import { gathered } from '../first-layer/tensors/blocks.js'
import type { ModelLearner, OptimizerOptions } from './learning-api.js'

/** A learner whose tables are those of the model. */
export function learn(spec: ModelSpec, tables: SharedTables, optimizer: OptimizerOptions): ModelLearner {
  checkLearnable(spec)
  return learnerOf(spec, tables, beginLearner({ ...optimizer }, tables))
}

/** A learner that resumes from a checkpoint; the model gets its tables. */
export function resume(spec: ModelSpec, tables: SharedTables, file: Uint8Array): ModelLearner {
  checkLearnable(spec)
  return learnerOf(spec, tables, restoreInto(openTensors(file), tables, tables))
}

function learnerOf(spec: ModelSpec, tables: SharedTables, learner: Learner): ModelLearner {
  return {
    get steps() {
      return learner.step
    },
    get stateBytes() {
      return learner.stateBytes
    },
    gradients(given) {
      if ('gradients' in given) checkEmbeddingGradients(spec)
      return learner.gradients(parse('gradients' in given ? embeddingGradients : rowGradients, given))
    },
    step: (options = {}) => stepInto(learner, { ...options }, tables, tables, learner.step),
    checkpoint: () => gathered(checkpointOf(learner, tables, {}, false)),
  }
}
