import { z } from 'zod'
import { POSITION_TABLE, TOKEN_TABLE } from '../../first-layer/learning/gradient-call.js'
import { answeredModel, component, count, object, text } from './components.js'

export const progress = {
  step: count('Steps so far.'),
  pending: count('Calls with gradients since the last step.'),
  state_bytes: count('Bytes of the optimizer’s states.'),
}

/** An optimizer as it was asked for, defaults filled in. */
export const optimizer = component(
  'LearningOptimizer',
  z.looseObject({
    type: text('Its name.'),
    tables: z.array(z.enum([TOKEN_TABLE, POSITION_TABLE])).describe('The tables that move.'),
    rows: z.array(z.int().min(0)).optional().describe('The only rows of `wte.weight` that move.'),
  }),
)

export const mark = { step: progress.step, model_version: answeredModel.model_version }

/** The field `learning` of `GET /v1/models/{model}`. */
export const learningState = object('ModelLearning', {
  optimizer: optimizer.describe('The optimizer, defaults filled in.'),
  ...progress,
  checkpoint: object('LearningCheckpoint', mark)
    .nullable()
    .describe('The last checkpoint on the disk: where a restart goes on.'),
})
