import { z } from 'zod'
import type { ModelSpec } from '../first-layer/embeddings/model.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import {
  checkEmbeddingGradients,
  checkLearnable,
  type GradientRows,
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
    checkpoint() {
      const file = checkpointOf(learner, tables, {}, false)
      return gathered(file.blocks(), new Uint8Array(file.bytes))
    },
  }
}

const floats = z
  .custom<Float32Array>((given) => given instanceof Float32Array, 'must be a Float32Array')
  .transform(({ buffer, byteOffset, byteLength }): GradientRows => {
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), dtype: 'float32' }
  })

/** Ids, positions or a mask. */
const integers = z
  .custom<Int32Array | readonly number[]>(
    (given) => given instanceof Int32Array || Array.isArray(given),
    'must be an Int32Array or an array of integers',
  )
  .superRefine((given, context) => {
    const wrong = given.findIndex((number) => number !== (number | 0))
    if (wrong >= 0)
      context.addIssue({ code: 'custom', path: [wrong], message: 'must be an integer of 32 bits' })
  })
  .transform((given) => Int32Array.from(given))

const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1

export const embeddingGradients = z.strictObject({
  shape: z
    .custom<readonly [batch: number, length: number]>(
      (given) => Array.isArray(given) && given.length === 2 && given.every(isSize),
      'must be [B, T], both from 1',
    )
    .describe('B and T.'),
  gradients: floats.describe('[B, T, C]'),
  input_ids: integers.describe('[B, T]'),
  position_ids: integers
    .optional()
    .describe(
      '[B, T]. Absent: `position_offset` and on in each row, whose sum over B is PyTorch’s of a broadcast.',
    ),
  position_offset: z.number().optional().describe('Default: 0.'),
  attention_mask: integers.optional().describe('[B, T]: a place with 0 adds nothing.'),
})

export const rowGradients = z.strictObject({
  token_gradients: floats.optional().describe('[N, C]'),
  token_ids: integers.optional().describe('[N]'),
  position_gradients: floats.optional().describe('[M, C]'),
  position_ids: integers.optional().describe('[M]'),
})
