import { z } from 'zod'
import type { ModelSpec } from '../first-layer/embeddings/model.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import { invalidField } from '../first-layer/errors.js'
import {
  checkEmbeddingGradients,
  checkLearnable,
  type GradientCall,
  type GradientRows,
} from '../first-layer/learning/gradient-call.js'
import type { Learner } from '../first-layer/learning/learner.js'
import { beginLearner, checkpointOf, restoreInto, stepInto } from '../first-layer/learning/table-learner.js'
import { openTensors } from '../first-layer/learning/tensor-file.js'
import { parse } from '../first-layer/options/parse.js'
import { gathered } from '../first-layer/tensors/blocks.js'
import type { EmbeddingGradients, ModelLearner, OptimizerOptions, RowGradients } from './learning-api.js'

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
      return learner.gradients(readGradients(given))
    },
    step: (options = {}) => stepInto(learner, { ...options }, tables, tables, learner.step),
    checkpoint() {
      const file = checkpointOf(learner, tables, {}, false)
      return gathered(file.blocks(), new Uint8Array(file.bytes))
    },
  }
}

const floats = z
  .instanceof(Float32Array, { error: 'must be a Float32Array' })
  .transform(({ buffer, byteOffset, byteLength }): GradientRows => {
    return { bytes: new Uint8Array(buffer, byteOffset, byteLength), dtype: 'float32' }
  })

const integers = z
  .custom<readonly number[]>(
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

const ofEmbeddings = z.strictObject({
  shape: z.custom<readonly [number, number]>(
    (given) => Array.isArray(given) && given.length === 2 && given.every(isSize),
    'must be [B, T], both from 1',
  ),
  gradients: floats,
  input_ids: integers,
  position_ids: integers.optional(),
  position_offset: z.number().optional(),
  attention_mask: integers.optional(),
})

const ofRows = z.strictObject({
  token_gradients: floats.optional(),
  token_ids: integers.optional(),
  position_gradients: floats.optional(),
  position_ids: integers.optional(),
})

/** The call of a script's gradients. @throws InletError `invalid_request` that names the field */
function readGradients(given: EmbeddingGradients | RowGradients): GradientCall {
  if (!('gradients' in given)) {
    const { token_gradients, token_ids, position_gradients, position_ids } = parse(ofRows, given)
    return {
      tokens: pairOf('token', token_gradients, token_ids),
      positions: pairOf('position', position_gradients, position_ids),
    }
  }
  const { shape, gradients, ...ids } = parse(ofEmbeddings, given)
  return {
    ...{ shape, gradients, inputIds: ids.input_ids, attentionMask: ids.attention_mask },
    ...{ positionIds: ids.position_ids, positionOffset: ids.position_offset },
  }
}

function pairOf(name: string, gradients: GradientRows | undefined, ids: Int32Array | undefined) {
  if (gradients && ids) return { gradients, ids }
  if (gradients || ids)
    throw invalidField(`${name}_${gradients ? 'ids' : 'gradients'}`, 'is needed', undefined)
  return undefined
}
