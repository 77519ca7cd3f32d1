import type { FastifyInstance } from 'fastify'
import { checkHasTables } from '../../../first-layer/embeddings/model.js'
import { preferred } from '../../../wire/formats/registry.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import type { ModelAdminContext } from './context.js'
import type { ModelPath } from './model-path.js'
import { parseTags } from './tags/entity-tags.js'
import { tableFile } from './tags/table-file.js'
import { taggedTables } from './tags/tagged-tables.js'

/** `GET /v1/models/{model}/tables`: every table in one safetensors file. */
export function addGetTables(app: FastifyInstance, context: ModelAdminContext): void {
  const options = { config: { admin: true, media: { produces: safetensors.mediaTypes } } }
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
    const mediaType = preferred(headers.accept, safetensors.mediaTypes)
    return sendEncoded(request, reply, answer, mediaType, context.limits.MAX_RESPONSE_BYTES)
  })
}
