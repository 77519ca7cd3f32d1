import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.js'
import type { ModelAdmin } from '../../models/admin.js'
import type { ModelEntry, ModelVersion } from '../../models/entry.js'
import { addChangeRoutes } from './admin/change.js'
import { addGetTables } from './admin/get-tables.js'
import { addPutModel } from './admin/put-model.js'
import { addPutTables } from './admin/put-tables.js'
import { TableTags } from './admin/table-tags.js'

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

/** Beyond what each of these routes has its own parameters for. */
export interface ModelAdminContext {
  readonly models: ManagedModels
  readonly describe: Describe
  readonly tags: TableTags
  readonly config: Config
}

/** The routes that change models, and the one that reads their tables: all need the admin key. */
export function addModelAdminRoutes(
  app: FastifyInstance,
  models: ManagedModels,
  describe: Describe,
  config: Config,
): void {
  const context = { models, describe, config, tags: new TableTags(models.admin) }
  addPutModel(app, context)
  addGetTables(app, context)
  addPutTables(app, context)
  addChangeRoutes(app, context)
}
