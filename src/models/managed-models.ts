import type { Claim } from '../load/claim.js'
import type { ModelAdmin } from './admin.js'
import type { ModelEntry, ModelVersion } from './entry.js'

/** A version of a model's tables, which stay in memory unchanged until `release`. */
export interface HeldTables {
  readonly entry: ModelEntry
  readonly version: ModelVersion
  release(): void
}

/** The models of the process, for the routes that read and change models. */
export interface ManagedModels {
  entries(): readonly ModelEntry[]
  entry(id: string): ModelEntry | undefined
  /** @throws InletError `model_not_found` */
  find(id: string): ModelEntry
  readonly admin: ModelAdmin
  /**
   * The present tables, made first where there are none.
   *
   * @param claim of the request that waits for them
   * @throws InletError `model_not_found`, what loading throws, the error that the claim is aborted with
   */
  holdTables(id: string, claim: Claim): Promise<HeldTables>
}
