import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { SharedTables, TableShape } from '../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from './entry.js'

/** What an upload brings. */
export interface UploadPlan {
  readonly id: string
  /** The card of the new model that the upload makes; absent: the upload exchanges tables of an existing model. */
  readonly card?: ModelCard
  readonly tables: readonly TableShape[]
  /**
   * The version that the caller expects to replace: the exchange is refused where the model has another one by
   * now.
   */
  readonly ifVersion?: number
}

/** Memory that an upload fills: tables under the upload's own names. */
export interface OpenUpload {
  readonly upload: number
  readonly tables: SharedTables
}

/**
 * The changes that can be made to the models of the process. The first thread makes them; the other threads ask
 * it to. All errors are `InletError`s for the caller.
 */
export interface ModelAdmin {
  /** Makes a model from its card, unless an equal one exists. @throws `model_exists`, `insufficient_memory` */
  make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }>
  /** Makes the tables of a model that has none. @throws `model_not_found`, `insufficient_memory`, `model_failed` */
  load(id: string): Promise<ModelEntry>
  /** Drops a model's tables; requests that use them still finish. @throws `model_not_found` */
  unload(id: string): Promise<ModelEntry>
  /** Takes a model out of the library. @throws `model_not_found`, `model_in_use` for one of the configuration */
  remove(id: string): Promise<void>
  /**
   * Sets memory aside for an upload. Nothing of the model changes before it is committed.
   *
   * @throws `model_not_found`, `model_exists`, `precondition_failed`, `shape_mismatch`, `insufficient_memory`
   */
  openUpload(plan: UploadPlan): Promise<OpenUpload>
  /**
   * Replaces the model's tables with the upload's, for every request that begins from now on.
   *
   * @param sha256 of the file that was uploaded, in hex
   * @throws `precondition_failed`, `model_not_found` where the model has changed meanwhile
   */
  commitUpload(upload: number, sha256: string): Promise<ModelEntry>
  /**
   * SHA-256, in hex, of `header` followed by all tables in their order. The caller must hold a lease on the
   * tables.
   */
  digest(tables: SharedTables, header: Uint8Array): Promise<string>
  /** Gives an upload up and frees its memory. */
  abandonUpload(upload: number): Promise<void>
}
