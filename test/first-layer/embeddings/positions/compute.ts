import {
  bindPositionEmbedding,
  type PositionEmbedding,
} from '../../../../src/first-layer/embeddings/positions/position-embedding.js'
import { positionEmbeddingSchema } from '../../../../src/first-layer/embeddings/positions/position-option.js'
import type {
  ComputedTensor,
  PositionRequest,
  PositionTensor,
} from '../../../../src/first-layer/embeddings/positions/scheme.js'
import { elementCount } from '../../../../src/first-layer/tensors/named-tensor.js'

/**
 * The request for a golden case: the wire value of `position_embedding`, `context_length`,
 * `position_offset`, and the model's `embedding_dim` (8 where the case leaves it open).
 *
 * HTTP can say every case of the goldens. What it cannot return is checked on the modules: values before their
 * rounding to float32 (`*_f64`), frequencies given from outside (`div_term_f32`), buckets of distances without a
 * window (`distance_range`), YaRN's ramp, and what attention makes of the tensors (`apply`, `rel_shift`,
 * scores). A golden's `positions` are one request each: `context_length` 1 at that `position_offset`.
 */
export interface Asked {
  readonly positionEmbedding: unknown
  readonly length: number
  readonly offset?: number
  readonly embeddingDim?: number
}

export function requestOf({ length, offset = 0, embeddingDim = 8 }: Asked): PositionRequest {
  return { length, offset, embeddingDim, maxPositionEmbeddings: 1024 }
}

export function bind(wire: unknown): PositionEmbedding {
  return bindPositionEmbedding(positionEmbeddingSchema.parse(wire))
}

/** Every tensor of a request by name, as the service would come to it: parse, bind, check, declare. */
export function tensorsOf(asked: Asked): Map<string, PositionTensor> {
  const embedding = bind(asked.positionEmbedding)
  const problem = embedding.check(requestOf(asked))
  if (problem) throw new Error(problem.message)
  return new Map(embedding.tensors(requestOf(asked)).map((tensor) => [tensor.name, tensor]))
}

export function computed(tensor: PositionTensor | undefined): ComputedTensor {
  if (tensor === undefined || tensor.table) throw new Error('not a computed tensor')
  return tensor
}

/** The elements from `start` on, by default the whole tensor. */
export function elements(
  tensor: PositionTensor | undefined,
  start = 0,
  length = elementCount(tensor?.shape ?? []) - start,
): Float32Array | Int32Array {
  const { dtype, fill } = computed(tensor)
  // NaN and −999 mark elements that `fill` did not write.
  const out =
    dtype === 'int32' ? new Int32Array(length).fill(-999) : new Float32Array(length).fill(Number.NaN)
  fill(out, start)
  return out
}

/** One whole float tensor. */
export function floats(asked: Asked, name: string): Float32Array {
  return elements(tensorsOf(asked).get(name)) as Float32Array
}

/** One whole int32 tensor. */
export function ints(asked: Asked, name: string): Int32Array {
  return elements(tensorsOf(asked).get(name)) as Int32Array
}
