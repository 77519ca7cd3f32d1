import {
  bindPositionEmbedding,
  type PositionEmbedding,
} from '../../../../src/first-layer/embeddings/positions/position-embedding.js'
import type {
  ComputedTensor,
  PositionRequest,
  PositionTensor,
} from '../../../../src/first-layer/embeddings/positions/scheme.js'
import { elementCount } from '../../../../src/first-layer/tensors/named-tensor.js'
import { positionEmbeddingSchema } from '../../../../src/service/request/fields/position-embedding.js'
import type { Asked } from '../../../goldens/position-requests.js'

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
