import { z } from 'zod'
import { POSITION_TABLE, TOKEN_TABLE } from '../../../first-layer/learning/gradient-call.js'
import { component, object } from '../../../service/document/components.js'
import { answeredModel, count } from '../../../service/document/fields.js'
import { mark, optimizer, progress } from '../../../service/document/learning-state.js'

/** `POST /v1/models/{model}/checkpoint`. */
export const savedCheckpoint = object('SavedCheckpoint', { model: answeredModel.model, ...mark })

/** `PUT` and `GET /v1/models/{model}/optimizer`, `PUT /v1/models/{model}/checkpoint`. */
export const optimizerAnswer = component(
  'Optimizer',
  z.looseObject({ ...answeredModel, ...optimizer.shape, ...progress }),
  'The optimizer with all its options, and how far it is.',
)

/** A value of each table that the optimizer moves. */
const byTable = <Value extends z.ZodType>(id: string, value: Value, what: string) =>
  object(id, {
    [TOKEN_TABLE]: value.optional().describe(`${what} of the token table.`),
    [POSITION_TABLE]: value.optional().describe(`${what} of the position table.`),
  })
const rows = byTable('RowsByTable', z.int().min(0), 'Rows')
const norms = byTable('NormsByTable', z.number(), 'Norm')

/** `POST /v1/models/{model}/gradients`. */
export const gradientsAnswer = object('GradientsAnswer', {
  ...answeredModel,
  rows: rows.describe('Rows with a gradient since the last step.'),
  grad_norms: norms.describe('Norms of all gradients since the last step.'),
  pending: progress.pending,
})

/** `POST /v1/models/{model}/steps`. */
export const stepAnswer = object('StepAnswer', {
  ...answeredModel,
  step: count('The number of the step, from 1.'),
  rows_updated: rows.describe('Rows of which a bit has changed.'),
  update_norms: norms.describe('Norms of the new rows minus the old ones.'),
})
