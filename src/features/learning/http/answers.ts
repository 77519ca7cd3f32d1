import { z } from 'zod'
import { POSITION_TABLE, TOKEN_TABLE } from '../../../first-layer/learning/gradient-call.js'
import { LEARNABLE } from './schemas.js'

const count = () => z.int().min(0)
/** A value of each table that the optimizer moves. */
const byTable = <Value extends z.ZodType>(value: Value, what: string) =>
  z.strictObject({
    [TOKEN_TABLE]: value.optional().describe(`${what} of the token table.`),
    [POSITION_TABLE]: value.optional().describe(`${what} of the position table.`),
  })

const model = {
  model: z.string().describe('Id of the model.'),
  model_version: z.string().describe('The version of its tables.'),
}

const progress = {
  step: count().describe('Steps so far.'),
  pending: count().describe('Calls with gradients since the last step.'),
  state_bytes: count().describe('Bytes of the optimizer’s states.'),
}

/** An optimizer as it was asked for, defaults filled in. */
const options = z.looseObject({
  type: z.string().describe('Its name.'),
  tables: z.array(z.enum(LEARNABLE)).describe('The tables that move.'),
  rows: z.array(count()).optional().describe('The only rows of `wte.weight` that move.'),
})

const writers = z.record(z.string(), count()).describe('The last number of each writer.')

/** What a checkpoint on the disk holds. */
const mark = { step: progress.step, model_version: model.model_version, writers }

/** `POST /v1/models/{model}/checkpoint`. */
export const savedCheckpoint = z.strictObject({ model: model.model, ...mark })

/** What `GET /v1/models/{model}` says of learning. */
export const learningState = z.strictObject({
  optimizer: options.describe('The optimizer, defaults filled in.'),
  ...progress,
  writers,
  checkpoint: z
    .strictObject(mark)
    .nullable()
    .describe('The last checkpoint on the disk: where a restart goes on.'),
})

/** `PUT` and `GET /v1/models/{model}/optimizer`, `PUT /v1/models/{model}/checkpoint`. */
export const optimizerAnswer = z
  .looseObject({
    ...model,
    ...options.shape,
    ...progress,
  })
  .describe('The optimizer with all its options, and how far it is.')

/** `POST /v1/models/{model}/gradients`. */
export const gradientsAnswer = z.strictObject({
  ...model,
  rows: byTable(count(), 'Rows').describe('Rows with a gradient since the last step.'),
  grad_norms: byTable(z.number(), 'Norm').describe('Norms of all gradients since the last step.'),
  pending: progress.pending,
})

/** `POST /v1/models/{model}/steps`. */
export const stepAnswer = z.strictObject({
  ...model,
  step: count().describe('The number of the step, from 1.'),
  rows_updated: byTable(count(), 'Rows').describe('Rows of which a bit has changed.'),
  update_norms: byTable(z.number(), 'Norm').describe('Norms of the new rows minus the old ones.'),
})
