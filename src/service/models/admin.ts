import type { ModelCard } from '../../first-layer/cards/model-card.js'
import type { SharedTables, TableShape } from '../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from './entry.js'

/** The tables that an upload announces. */
export interface UploadPlan {
  readonly id: string
  /** The card of the new model; absent if the upload exchanges tables of an existing one. */
  readonly card?: ModelCard
  readonly tables: readonly TableShape[]
  /** The version that the caller expects to replace: the exchange is refused if the model has another one. */
  readonly ifVersion?: number
}

/** Memory that an upload fills: tables under the upload's own names. */
export interface OpenUpload {
  readonly upload: number
  readonly tables: SharedTables
}

/**
 * The changes of the process's models. The first thread's keeper makes them (`keeper/keeper.ts`); the other threads call
 * it by messages (`threads/remote-admin.ts`). All errors are `InletError`s for the caller.
 */
export interface ModelAdmin {
  /** Makes a model from its card, unless an equal one exists. @throws `model_exists`, `insufficient_memory` */
  make(card: ModelCard): Promise<{ entry: ModelEntry; made: boolean }>
  /** Makes the tables of a model that has none. @throws `model_not_found`, `insufficient_memory`, `model_failed` */
  load(id: string): Promise<ModelEntry>
  /** Frees a model's tables when the requests that use them have ended. @throws `model_not_found` */
  unload(id: string): Promise<ModelEntry>
  /** Deletes a model. @throws `model_not_found`, `model_in_use` for one of the configuration */
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
   * @throws `precondition_failed`, `model_not_found` if the model was deleted meanwhile
   */
  commitUpload(upload: number, sha256: string): Promise<ModelEntry>
  /** SHA-256, in hex, of `header` followed by all tables in order. The caller must hold a lease on the tables. */
  digest(tables: SharedTables, header: Uint8Array): Promise<string>
  /** Frees an upload's memory. */
  abandonUpload(upload: number): Promise<void>
}
