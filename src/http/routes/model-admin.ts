import type { FastifyInstance } from 'fastify'
import type { ManagedModels } from '../../models/library/models.js'
import type { Limits } from '../limits.js'
import { addChangeRoutes } from './admin/change.js'
import type { Describe } from './admin/context.js'
import { addGetTables } from './admin/get-tables.js'
import { addPutModel } from './admin/put-model.js'
import { addPutTables } from './admin/put-tables.js'
import { TableTags } from './admin/table-tags.js'

/** The routes that change models, and the one that reads their tables: all need the admin key. */
export function addModelAdminRoutes(
  app: FastifyInstance,
  models: ManagedModels,
  describe: Describe,
  limits: Limits,
): void {
  const context = { models, describe, limits, tags: new TableTags(models.admin) }
  addPutModel(app, context)
  addGetTables(app, context)
  addPutTables(app, context)
  addChangeRoutes(app, context)
}
