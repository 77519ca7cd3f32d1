import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { Journal } from './journal.js'

/**
 * Keeps the journals of all models that learn. The thread that learns gets one at its start (`threads/learn.ts`), which is
 * where the one on the disk is made of `DATA_DIR`.
 *
 * Without one, learning is in memory alone.
 */
export interface Journals {
  /**
   * Begins the journal of a model that begins to learn, or that goes on from a checkpoint: what was there of it is gone.
   *
   * @param checkpoint a safetensors file, as `GET …/checkpoint` gives it
   * @throws InletError where it cannot be on the disk: then the model does not learn
   */
  begin(card: ModelCard, checkpoint: Iterable<Uint8Array>): Journal
  /** The model learns no more, or is deleted: nothing of it stays. */
  remove(id: string): void
}
