import type { Config } from '../../../config.js'
import type { ModelAdmin } from '../../../models/admin.js'
import type { ModelEntry, ModelVersion } from '../../../models/entry.js'
import type { TableTags } from './table-tags.js'

/** A version of a model's tables that stays as it is until it is released. */
export interface HeldTables {
  readonly entry: ModelEntry
  readonly version: ModelVersion
  release(): void
}

/** The models of the process, as the routes that change them need them. */
export interface ManagedModels {
  entries(): readonly ModelEntry[]
  entry(id: string): ModelEntry | undefined
  readonly admin: ModelAdmin
  /** The present tables, made first where there are none. @throws InletError `model_not_found`, what loading throws */
  holdTables(id: string): Promise<HeldTables>
}

/** What the service says of a model, as `GET /v1/models/{model}` answers. */
export type Describe = (entry: ModelEntry) => Promise<object>

/** What each of these routes works with. */
export interface ModelAdminContext {
  readonly models: ManagedModels
  readonly describe: Describe
  readonly tags: TableTags
  readonly config: Config
}
