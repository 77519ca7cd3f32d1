import type { Models } from '../../service/models/library/models.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import type { Describe } from './describe-model.js'
import type { TableTags } from './tags/table-tags.js'

/** The parts that the routes that change models share. */
export interface ModelAdminContext {
  readonly models: Models
  readonly describe: Describe
  readonly tags: TableTags
  readonly limits: LimitVariables
}
