import { z } from 'zod'
import { POSITION_TABLE, TOKEN_TABLE } from '../../first-layer/learning/gradient-call.js'
import { optimizerOptions, stepOptions } from '../../first-layer/learning/optimizer-options.js'
import { answeredModel, component, count, object, unionComponent } from '../../service/document/components.js'
import { mark, optimizer, progress } from '../../service/document/learning-state.js'
import { answer, GONE, inHead, LEASE_ERRORS, type Operations } from '../../service/document/operation.js'

export const tag = 'Learning'

export const parameters = {
  if_version: inHead(
    'If-Match',
    '`"MODEL_VERSION"`: on tables of another version the call is refused with 412.',
    { errors: ['precondition_failed'] },
  ),
  key: inHead(
    'Idempotency-Key',
    'A name for this call. Under the same name, the same content has its effect once until the next step and gets the first answer again.',
    { schema: { type: 'string', pattern: '^[!-~]{1,255}$' }, errors: ['idempotency_key_reused'] },
  ),
}

component('StepRequest', stepOptions)
unionComponent(
  'OptimizerRequest',
  optimizerOptions,
  'Names, defaults and meaning are those of `torch.optim`.',
)

/** `POST /v1/models/{model}/checkpoint`. */
const savedCheckpoint = object('SavedCheckpoint', { model: answeredModel.model, ...mark })

/** `PUT` and `GET /v1/models/{model}/optimizer`, `PUT /v1/models/{model}/checkpoint`. */
const optimizerAnswer = component(
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
const gradientsAnswer = object('GradientsAnswer', {
  ...answeredModel,
  rows: rows.describe('Rows with a gradient since the last step.'),
  grad_norms: norms.describe('Norms of all gradients since the last step.'),
  pending: progress.pending,
})

/** `POST /v1/models/{model}/steps`. */
const stepAnswer = object('StepAnswer', {
  ...answeredModel,
  step: count('The number of the step, from 1.'),
  rows_updated: rows.describe('Rows of which a bit has changed.'),
  update_norms: norms.describe('Norms of the new rows minus the old ones.'),
})

/** Errors of operations on a model that must have an optimizer. */
const LEARNS = ['loading', 'optimizer_not_found', 'model_failed', 'model_in_use'] as const
/** Errors of operations that begin to learn. */
const BEGINS = [LEASE_ERRORS, 'unsupported_combination', 'token_out_of_range', 'model_in_use'] as const
/** Errors of calls that have their effect once. */
const ONCE = [LEARNS, 'model_loading', 'unsupported_combination', 'insufficient_memory'] as const
const VERSION = ['X-Model-Version']

export const operations: Operations = {
  putOptimizer: {
    summary: 'Let a model learn',
    description:
      'As `torch.optim`. The tables must be float32. While the model learns it is neither evicted nor unloaded, and its tables cannot be exchanged.',
    answers: {
      200: answer(optimizerAnswer, 'The same optimizer was there already.'),
      201: answer(optimizerAnswer, 'The optimizer is made.'),
    },
    errors: [...BEGINS, 'optimizer_exists'],
  },
  getOptimizer: {
    summary: 'Describe an optimizer',
    description: 'Its options, and how far it is.',
    answers: { 200: answer(optimizerAnswer, 'The optimizer.') },
    errors: [LEARNS],
  },
  deleteOptimizer: {
    summary: 'End learning',
    description: 'Frees its states and its gradients. The tables stay as they are.',
    answers: GONE,
    errors: [LEARNS],
  },
  addGradients: {
    summary: 'Add gradients',
    description:
      'As `loss.backward()`. A safetensors file: `gradients` [B, T, C] of `input_embeddings`, F32, F16 or BF16, with `input_ids` I32 [B, T] and, where wanted, `position_ids` and `attention_mask` (0: adds nothing) I32 [B, T]. A model with more than rows and positions in its first layer takes gradients of rows instead: `token_gradients` [N, C] with `token_ids` I32 [N], `position_gradients` [M, C] with `position_ids` I32 [M]. Metadata is not looked at.',
    head: ['key', 'if_version'],
    prefix: 'gradients',
    answers: { 200: answer(gradientsAnswer, 'They are added.', VERSION) },
    errors: [...ONCE, 'body_too_large', 'not_finite', 'token_out_of_range', 'context_too_long'],
  },
  makeStep: {
    summary: 'Make a step',
    description:
      'As `optimizer.step()` and `optimizer.zero_grad()`. Requests that begin after the answer see the new tables; those that run finish on the tables that they began with.',
    head: ['key', 'if_version'],
    answers: { 200: answer(stepAnswer, 'The tables have moved.', VERSION) },
    errors: [...ONCE, 'nothing_pending'],
  },
  getCheckpoint: {
    summary: 'Read a checkpoint',
    description:
      'Tables, states under PyTorch’s names (`optimizer.wte.weight.exp_avg`), gradients where some are pending, as one safetensors file; in `__metadata__` the optimizer, `step` and `model_version`.',
    answers: {
      200: { description: 'The checkpoint of this moment.', headers: ['Content-Length', ...VERSION] },
    },
    errors: [LEARNS, 'insufficient_memory'],
  },
  putCheckpoint: {
    summary: 'Go on from a checkpoint',
    description:
      'The model gets its tables, and its optimizer: the next step gives the same bits. An optimizer that is there is replaced.',
    answers: {
      200: answer(optimizerAnswer, 'The model goes on from it.', VERSION),
      201: answer(optimizerAnswer, 'The same; it had no optimizer.', VERSION),
    },
    errors: BEGINS,
  },
  saveCheckpoint: {
    summary: 'Write a checkpoint to the disk',
    description:
      'Below `DATA_DIR`, all at once: a crash leaves this checkpoint or the one before. After a restart the model goes on from it. SIGTERM writes one too.',
    answers: { 200: answer(savedCheckpoint, 'It is on the disk.') },
    errors: [LEARNS, 'unsupported_combination', 'insufficient_storage'],
  },
}
