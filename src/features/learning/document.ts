import type { ErrorCode } from '../../service/answer/error-table.js'
import {
  FILES,
  GONE,
  jsonAnswer,
  jsonBody,
  LEASE_ERRORS,
  type Operation,
} from '../../service/document/operation.js'
import { otherParameters } from '../../service/document/parameters.js'

/** Of operations on a model that must have an optimizer. */
const LEARNS: readonly ErrorCode[] = ['loading', 'optimizer_not_found', 'model_failed']
/** Of operations that begin to learn. */
const BEGINS: readonly ErrorCode[] = [...LEASE_ERRORS, 'unsupported_combination', 'token_out_of_range']
/** Of calls that have their effect once. */
const NUMBERED: readonly ErrorCode[] = [
  ...([...LEARNS, 'model_loading', 'unsupported_combination'] as const),
  ...(['sequence_conflict', 'sequence_gap', 'insufficient_memory'] as const),
]

const optimizer = (description: string) => jsonAnswer('Optimizer', description)
const restored = (description: string) => jsonAnswer('Optimizer', description, ['X-Model-Version'])

const operations: readonly Omit<Operation, 'tag'>[] = [
  {
    id: 'putOptimizer',
    route: 'put /v1/models/{model}/optimizer',
    summary: 'Let a model learn',
    description:
      'As `torch.optim`. The tables must be float32. While the model learns it is neither evicted nor unloaded, and its tables cannot be exchanged.',
    body: jsonBody('OptimizerRequest'),
    answers: [
      optimizer('The same optimizer was there already.'),
      { ...optimizer('The optimizer is made.'), status: 201 },
    ],
    errors: [...BEGINS, 'optimizer_exists'],
  },
  {
    id: 'getOptimizer',
    route: 'get /v1/models/{model}/optimizer',
    summary: 'Describe an optimizer',
    description: 'Its options, and how far it is.',
    answers: [optimizer('The optimizer.')],
    errors: LEARNS,
  },
  {
    id: 'deleteOptimizer',
    route: 'delete /v1/models/{model}/optimizer',
    summary: 'End learning',
    description: 'Frees its states and its gradients. The tables stay as they are.',
    answers: [GONE],
    errors: LEARNS,
  },
  {
    id: 'addGradients',
    route: 'post /v1/models/{model}/gradients',
    summary: 'Add gradients',
    description:
      'As `loss.backward()`. A safetensors file: `gradients` [B, T, C] of `input_embeddings`, F32, F16 or BF16, with `input_ids` I32 [B, T] and, where wanted, `position_ids` and `attention_mask` (0: adds nothing) I32 [B, T]. A model with more than rows and positions in its first layer takes gradients of rows instead: `token_gradients` [N, C] with `token_ids` I32 [N], `position_gradients` [M, C] with `position_ids` I32 [M]. Metadata is not looked at.',
    parameters: ['writer', 'sequence', 'part', ...otherParameters('gradients')],
    body: FILES,
    answers: [jsonAnswer('GradientsAnswer', 'They are added.', ['X-Model-Version'])],
    errors: [...NUMBERED, 'body_too_large', 'not_finite', 'token_out_of_range', 'context_too_long'],
  },
  {
    id: 'makeStep',
    route: 'post /v1/models/{model}/steps',
    summary: 'Make a step',
    description:
      'As `optimizer.step()` and `optimizer.zero_grad()`. Requests that begin after the answer see the new tables; those that run finish on the tables that they began with.',
    parameters: ['writer', 'sequence', 'if_version'],
    body: jsonBody('StepRequest'),
    answers: [jsonAnswer('StepAnswer', 'The tables have moved.', ['X-Model-Version'])],
    errors: [...NUMBERED, 'precondition_failed', 'nothing_pending', 'parts_missing'],
  },
  {
    id: 'getCheckpoint',
    route: 'get /v1/models/{model}/checkpoint',
    summary: 'Read a checkpoint',
    description:
      'Tables, states under PyTorch’s names (`optimizer.wte.weight.exp_avg`), gradients where some are pending, as one safetensors file; in `__metadata__` the optimizer, `step`, `model_version`, and the writers’ numbers.',
    answers: [
      {
        description: 'The checkpoint of this moment.',
        headers: ['Content-Length', 'X-Model-Version'],
        content: FILES,
      },
    ],
    errors: [...LEARNS, 'insufficient_memory'],
  },
  {
    id: 'putCheckpoint',
    route: 'put /v1/models/{model}/checkpoint',
    summary: 'Go on from a checkpoint',
    description:
      'The model gets its tables, its optimizer and all its numbers: the next step gives the same bits. An optimizer that is there is replaced.',
    body: FILES,
    answers: [
      restored('The model goes on from it.'),
      { ...restored('The same; it had no optimizer.'), status: 201 },
    ],
    errors: BEGINS,
  },
  {
    id: 'saveCheckpoint',
    route: 'post /v1/models/{model}/checkpoint',
    summary: 'Write a checkpoint to the disk',
    description:
      'Below `DATA_DIR`, all at once: a crash leaves this checkpoint or the one before. After a restart the model goes on from it. SIGTERM writes one too.',
    answers: [jsonAnswer('SavedCheckpoint', 'It is on the disk.')],
    errors: [...LEARNS, 'unsupported_combination', 'insufficient_storage'],
  },
]

export const learningOperations: readonly Operation[] = operations.map((each) => ({
  tag: 'Learning',
  access: 'learn',
  ...each,
}))
