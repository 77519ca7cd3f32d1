import type { ModelEntry } from '../../../models/entry.js'
import type { ManagedModels } from '../../../models/library/models.js'
import type { Limits } from '../../limits.js'
import type { TableTags } from './table-tags.js'

/** Makes the body that `GET /v1/models/{model}` answers. */
export type Describe = (entry: ModelEntry) => Promise<object>

/** The parts that the routes that change models share. */
export interface ModelAdminContext {
  readonly models: ManagedModels
  readonly describe: Describe
  readonly tags: TableTags
  readonly limits: Limits
}
