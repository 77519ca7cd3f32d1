import { LearningOperations } from './learning.js'
import type { Tensors } from './tensors.js'
import type { CallOptions } from './transport.js'
import type { InputEmbeddingsFields } from './types.js'

/** The fields of an epoch: those of one batch, but for its index. */
export type BatchesFields = Omit<InputEmbeddingsFields, 'batch_index' | 'batch_size'> & {
  readonly batch_size: number
}

/**
 * Calls one service: `new Inlet('http://localhost:8000', { key })`. A path before the service's own may follow in the
 * address.
 */
export class Inlet extends LearningOperations {
  /**
   * The batches of an epoch, as PyTorch's DataLoader gives them. One call: the tensors of the whole epoch lie in memory.
   */
  async *batches(fields: BatchesFields, options: CallOptions = {}): AsyncGenerator<Tensors, void, void> {
    yield* (await this.inputEmbeddings(fields, options)).batches(fields.batch_size)
  }
}
