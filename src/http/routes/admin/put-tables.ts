import type { FastifyInstance } from 'fastify'
import { exchangeableOf } from '../../../first-layer/cards/parameters.js'
import { checkHasTables } from '../../../first-layer/embeddings/model.js'
import { noCard } from '../../../models/errors.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import type { ModelAdminContext } from './context.js'
import type { ModelPath } from './model-path.js'
import { checkOwnMetadata } from './received/file-metadata.js'
import { fileTables } from './received/file-tables.js'
import { receiveTables } from './received/receive-tables.js'
import { versionToMatch } from './tags/if-match.js'

/** `PUT /v1/models/{model}/tables`: replaces all tables that the file contains, at the same moment. */
export function addPutTables(app: FastifyInstance, context: ModelAdminContext): void {
  const { models } = context
  const media = { consumes: safetensors.mediaTypes, produces: ['application/json'] }
  const options = { config: { admin: true, media } }
  app.put<ModelPath>('/v1/models/:model/tables', options, async (request, reply) => {
    const id = request.params.model
    const entry = models.find(id)
    if (entry.hasNoCard) throw noCard(entry)
    const { card } = entry
    checkHasTables(card)
    const ifVersion = await versionToMatch(request, id, context)
    const { version } = await receiveTables(request, models.admin, ({ tensors, metadata }) => {
      checkOwnMetadata(metadata, card)
      const tables = fileTables(tensors, exchangeableOf(card))
      return { id, tables, ifVersion }
    })
    const number = version?.number ?? 0
    reply.header('x-model-version', number)
    return { model: id, model_version: String(number) }
  })
}
