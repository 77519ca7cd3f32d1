import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { ModelCard } from './model-card.js'

/** What makes tables, away from the threads that serve. */
export interface Maker {
  /** Reads the card of the model in a folder, no table. @throws InletError `model_failed` */
  inspect(id: string, path: string): Promise<ModelCard>
  /**
   * Fills tables from their card's source.
   *
   * @param progress called now and then with the share that is done, 0 … 1
   */
  fill(card: ModelCard, tables: SharedTables, progress: (share: number) => void): Promise<void>
  /** Copies the tables of these names from one memory to another. */
  copy(from: SharedTables, to: SharedTables, names: readonly string[]): Promise<void>
  /** SHA-256, in hex, of `header` followed by all tables in their order. */
  hash(header: Uint8Array, tables: SharedTables): Promise<string>
}
