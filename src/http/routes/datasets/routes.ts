import type { FastifyInstance } from 'fastify'
import { addBatchRoutes } from './batches.js'
import type { DatasetContext } from './context.js'
import { addDocumentRoute } from './document.js'
import { addObjectRoutes } from './objects.js'
import { addTokensRoute } from './tokens.js'
import { addUploadRoute } from './upload.js'

/** The routes of datasets: uploads, what is there, its ids, its batches. */
export function addDatasetRoutes(app: FastifyInstance, context: DatasetContext): void {
  addUploadRoute(app, context)
  addObjectRoutes(app, context)
  addTokensRoute(app, context)
  addDocumentRoute(app, context)
  addBatchRoutes(app, context)
}
