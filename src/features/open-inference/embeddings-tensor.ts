import type { Pool } from '../../first-layer/pooling/pool.js'
import { type Blocks, PAUSE } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { EmbeddingIds } from '../../service/request/documents/embedding-ids.js'

/** Bytes of a block, unless one embedding is longer: 64 KiB. */
const BLOCK_BYTES = 1 << 16

/** The embeddings of lists of ids as a tensor: float32 [n, dimensions], made row by row as it is read. */
export function embeddingsTensor(pool: Pool, ids: EmbeddingIds): NamedTensor {
  const shape = [ids.count, pool.dimensions]
  return { name: 'embeddings', dtype: 'float32', shape, blocks: () => rows(pool, ids) }
}

function* rows(pool: Pool, ids: EmbeddingIds): Blocks {
  const { dimensions } = pool
  const most = Math.min(ids.count, Math.max(1, Math.floor(BLOCK_BYTES / (4 * dimensions))))
  const block = new Float32Array(most * dimensions)
  for (let done = 0; done < ids.count; done += most) {
    const count = Math.min(most, ids.count - done)
    for (let row = 0; row < count; row++) {
      yield PAUSE
      block.set(yield* pool.embedding(ids.at(done + row)), row * dimensions)
    }
    yield new Uint8Array(block.buffer, 0, 4 * count * dimensions)
  }
}
