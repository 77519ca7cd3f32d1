import type { FastifyInstance } from 'fastify'
import type { ManagedModels } from '../../../models/library/models.js'
import type { LimitVariables } from '../../limit-variables.js'
import type { Describe } from '../describe-model.js'
import { addChangeRoutes } from './change.js'
import { addGetTables } from './get-tables.js'
import { addPutModel } from './put-model.js'
import { addPutTables } from './put-tables.js'
import { TableTags } from './tags/table-tags.js'

/** The routes that change models, and the one that reads their tables: all need the admin key. */
export function addModelAdminRoutes(
  app: FastifyInstance,
  models: ManagedModels,
  describe: Describe,
  limits: LimitVariables,
): void {
  const context = { models, describe, limits, tags: new TableTags(models.admin) }
  addPutModel(app, context)
  addGetTables(app, context)
  addPutTables(app, context)
  addChangeRoutes(app, context)
}
