import type { FastifyRequest } from 'fastify'
import { exchangeableOf } from '../../first-layer/cards/seed-card.js'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { safetensors } from '../../service/answer/formats/safetensors.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp } from '../../service/feature.js'
import { noCard, preconditionFailed } from '../../service/models/errors.js'
import type { Models } from '../../service/models/library/models.js'
import { parseTags } from '../../service/request/entity-tags.js'
import type { ModelPath } from '../../service/request/fields/model-path.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import type { ModelAdminContext } from './context.js'
import type { Describe } from './describe-model.js'
import { addPutModel } from './put-model.js'
import { checkOwnMetadata } from './received/file-metadata.js'
import { fileTables } from './received/file-tables.js'
import { receiveTables } from './received/receive-tables.js'
import { tableFile } from './tags/table-file.js'
import { TableTags } from './tags/table-tags.js'
import { taggedTables } from './tags/tagged-tables.js'

/** The routes that change models, and the one that reads their tables: all need the admin key. */
export function addModelAdminRoutes(
  app: FeatureApp,
  models: Models,
  describe: Describe,
  limits: LimitVariables,
): void {
  const context = { models, describe, limits, tags: new TableTags(models.admin) }
  addPutModel(app, context)
  addGetTables(app, context)
  addPutTables(app, context)
  addChangeRoutes(app, context)
}

/** `POST /v1/models/{model}/load` and `/unload`, `DELETE /v1/models/{model}`. */
function addChangeRoutes(app: FeatureApp, { models: { admin }, describe }: ModelAdminContext): void {
  const config = { needs: 'admin' as const, media: { produces: ['application/json'] } }
  const of = (operationId: string) => ({ schema: { operationId }, config })

  app.post<ModelPath>('/v1/models/:model/load', of('loadModel'), async ({ claim, params }) =>
    describe(await waitWithin(admin.load(params.model), { claim })),
  )

  app.post<ModelPath>('/v1/models/:model/unload', of('unloadModel'), async ({ claim, params }) =>
    describe(await waitWithin(admin.unload(params.model), { claim })),
  )

  app.delete<ModelPath>(
    '/v1/models/:model',
    { schema: { operationId: 'deleteModel' }, config: { needs: 'admin' } },
    async ({ claim, params }, reply) => {
      await waitWithin(admin.remove(params.model), { claim })
      return reply.code(204).send()
    },
  )
}

/** `GET /v1/models/{model}/tables`: every table in one safetensors file. */
function addGetTables(app: FeatureApp, context: ModelAdminContext): void {
  const options = {
    schema: { operationId: 'getTables' },
    config: { needs: 'admin' as const, media: { produces: safetensors.mediaTypes } },
  }
  app.get<ModelPath>('/v1/models/:model/tables', options, async (request, reply) => {
    const { headers, params } = request
    checkHasTables(context.models.find(params.model).card)
    const unless = headers['if-none-match']
    const known = unless === undefined ? [] : parseTags(unless, 'if-none-match')
    const { held, etag } = await taggedTables(request, params.model, context)
    const { entry, version } = held
    reply.header('etag', etag).header('x-model-version', version.number)
    if (known === '*' || known.some(({ value }) => value === etag)) return reply.code(304).send()
    const file = tableFile(entry, version)
    const answer = { size: file.bytes, exact: true, headers: {}, body: file.blocks() }
    const { mediaType } = request.negotiated
    return sendEncoded(request, reply, answer, mediaType, context.limits.MAX_RESPONSE_BYTES)
  })
}

/** `PUT /v1/models/{model}/tables`: replaces all tables that the file contains, at the same moment. */
function addPutTables(app: FeatureApp, context: ModelAdminContext): void {
  const { models } = context
  const media = { consumes: safetensors.mediaTypes, produces: ['application/json'] }
  const options = { schema: { operationId: 'putTables' }, config: { needs: 'admin' as const, media } }
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

/**
 * The version of the tables that `If-Match` names; undefined where the header allows any version.
 *
 * @throws InletError `precondition_failed` where none of its ETags is the present one, `invalid_request` where it is
 * no list of ETags, `model_not_found`
 */
async function versionToMatch(
  request: FastifyRequest,
  id: string,
  context: ModelAdminContext,
): Promise<number | undefined> {
  const header = request.headers['if-match']
  if (header === undefined) return undefined
  const tags = parseTags(header, 'if-match')
  if (tags === '*') return undefined
  const { held, etag } = await taggedTables(request, id, context)
  if (tags.some(({ weak, value }) => !weak && value === etag)) return held.version.number
  throw preconditionFailed(id, header, held.version.number)
}
