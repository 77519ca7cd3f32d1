import type { ErrorCode } from '../../errors.js'
import { ref } from '../json.js'
import { jsonAnswer, type Operation } from '../operation.js'
import { otherParameters } from '../parameters.js'
import { JSON_ERRORS, LEASE_ERRORS } from './error-lists.js'
import { FILE_ERRORS, FILES } from './model-admin.js'

function operation(
  rest: Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'description' | 'answer' | 'errors'> &
    Partial<Operation>,
): Operation {
  return { tag: 'Learning', parameters: ['model_path'], learn: true, examples: [], ...rest }
}

const OPTIMIZER = '/v1/models/{model}/optimizer'
const CHECKPOINT = '/v1/models/{model}/checkpoint'

/** Of operations on a model that must have an optimizer. */
const LEARNS: readonly ErrorCode[] = ['loading', 'model_not_found', 'optimizer_not_found', 'model_failed']
/** Of operations that begin to learn. */
const BEGINS: readonly ErrorCode[] = [
  ...LEASE_ERRORS,
  ...(['not_acceptable', 'unsupported_combination'] as const),
]
/** Of calls that have their effect once. */
const NUMBERED: readonly ErrorCode[] = [
  ...([...LEARNS, 'not_acceptable', 'model_loading', 'unsupported_combination'] as const),
  ...(['sequence_conflict', 'sequence_gap', 'insufficient_memory'] as const),
]

const optimizer = (description: string) => jsonAnswer('Optimizer', description)

const putOptimizer = operation({
  id: 'putOptimizer',
  method: 'put',
  path: OPTIMIZER,
  summary: 'Let a model learn',
  description:
    'As `torch.optim`. The tables must be float32. While the model learns it is neither evicted nor unloaded, and its tables cannot be exchanged.',
  body: { 'application/json': ref('schemas', 'OptimizerRequest') },
  answer: optimizer('The same optimizer was there already.'),
  otherAnswers: [{ ...optimizer('The optimizer is made.'), status: 201 }],
  errors: [...JSON_ERRORS, ...BEGINS, 'optimizer_exists', 'token_out_of_range'],
})

const getOptimizer = operation({
  id: 'getOptimizer',
  method: 'get',
  path: OPTIMIZER,
  summary: 'Describe an optimizer',
  description: 'Its options, and how far it is.',
  answer: optimizer('The optimizer.'),
  errors: [...LEARNS, 'not_acceptable'],
})

const deleteOptimizer = operation({
  id: 'deleteOptimizer',
  method: 'delete',
  path: OPTIMIZER,
  summary: 'End learning',
  description: 'Frees its states and its gradients. The tables stay as they are.',
  answer: { status: 204, description: 'It is gone.', headers: [], content: {} },
  errors: LEARNS,
})

const addGradients = operation({
  id: 'addGradients',
  method: 'post',
  path: '/v1/models/{model}/gradients',
  summary: 'Add gradients',
  description:
    'As `loss.backward()`. A safetensors file: `gradients` [B, T, C] of `input_embeddings`, F32, F16 or BF16, with `input_ids` I32 [B, T] and, where wanted, `position_ids` and `attention_mask` (0: adds nothing) I32 [B, T]. A model with more than rows and positions in its first layer takes gradients of rows instead: `token_gradients` [N, C] with `token_ids` I32 [N], `position_gradients` [M, C] with `position_ids` I32 [M]. Metadata is not looked at.',
  parameters: ['model_path', 'writer', 'sequence', 'part', ...otherParameters('gradients')],
  body: FILES,
  answer: jsonAnswer('GradientsAnswer', 'They are added.', ['X-Model-Version']),
  errors: [
    ...([...FILE_ERRORS, ...NUMBERED, 'body_too_large', 'not_finite'] as const),
    ...(['token_out_of_range', 'context_too_long'] as const),
  ],
})

const makeStep = operation({
  id: 'makeStep',
  method: 'post',
  path: '/v1/models/{model}/steps',
  summary: 'Make a step',
  description:
    'As `optimizer.step()` and `optimizer.zero_grad()`. Requests that begin after the answer see the new tables; those that run finish on the tables that they began with.',
  parameters: ['model_path', 'writer', 'sequence', 'if_version'],
  body: { 'application/json': ref('schemas', 'StepRequest') },
  answer: jsonAnswer('StepAnswer', 'The tables have moved.', ['X-Model-Version']),
  errors: [...JSON_ERRORS, ...NUMBERED, 'precondition_failed', 'nothing_pending', 'parts_missing'],
})

const getCheckpoint = operation({
  id: 'getCheckpoint',
  method: 'get',
  path: CHECKPOINT,
  summary: 'Read a checkpoint',
  description:
    'Tables, states under PyTorch’s names (`optimizer.wte.weight.exp_avg`), gradients where some are pending, as one safetensors file; in `__metadata__` the optimizer, `step`, `model_version`, and the writers’ numbers.',
  answer: {
    description: 'The checkpoint of this moment.',
    headers: ['Content-Length', 'X-Model-Version'],
    content: FILES,
  },
  errors: [...LEARNS, 'not_acceptable', 'insufficient_memory'],
})

const saveCheckpoint = operation({
  id: 'saveCheckpoint',
  method: 'post',
  path: CHECKPOINT,
  summary: 'Write a checkpoint to the disk',
  description:
    'Below `DATA_DIR`, all at once: a crash leaves this checkpoint or the one before. After a restart the model goes on from it. SIGTERM writes one too.',
  answer: jsonAnswer('SavedCheckpoint', 'It is on the disk.'),
  errors: [...LEARNS, 'not_acceptable', 'unsupported_combination', 'insufficient_storage'],
})

const putCheckpoint = operation({
  id: 'putCheckpoint',
  method: 'put',
  path: CHECKPOINT,
  summary: 'Go on from a checkpoint',
  description:
    'The model gets its tables, its optimizer and all its numbers: the next step gives the same bits. An optimizer that is there is replaced.',
  body: FILES,
  answer: jsonAnswer('Optimizer', 'The model goes on from it.', ['X-Model-Version']),
  otherAnswers: [
    { ...jsonAnswer('Optimizer', 'The same; it had no optimizer.', ['X-Model-Version']), status: 201 },
  ],
  errors: [...FILE_ERRORS, ...BEGINS, 'token_out_of_range'],
})

export const learningOperations: readonly Operation[] = [
  ...[putOptimizer, getOptimizer, deleteOptimizer, addGradients, makeStep],
  ...[getCheckpoint, putCheckpoint, saveCheckpoint],
]
