import type { FastifyInstance, FastifyRequest } from 'fastify'
import { seedCard } from '../../../first-layer/cards/seed-card.js'
import { waitWithin } from '../../../load/wait-within.js'
import { cardSchema } from '../../../models/cards/card-fields.js'
import type { ModelEntry } from '../../../models/entry.js'
import { modelExists } from '../../../models/errors.js'
import { safetensors } from '../../../wire/formats/safetensors.js'
import { parseContentType } from '../../body/content-type.js'
import { jsonBody } from '../../body/json-body.js'
import type { ModelAdminContext } from './context.js'
import { checkModelId, type ModelPath } from './model-path.js'
import { fileCard } from './received/file-card.js'
import { metadataFields } from './received/file-metadata.js'
import { fileTables } from './received/file-tables.js'
import { receiveTables } from './received/receive-tables.js'

const JSON_TYPE = 'application/json'

/** `PUT /v1/models/{model}`: makes a model from a card as JSON, or from its tables. */
export function addPutModel(app: FastifyInstance, { models, describe, limits }: ModelAdminContext): void {
  const media = { consumes: [JSON_TYPE, ...safetensors.mediaTypes], produces: [JSON_TYPE] }
  const options = { config: { admin: true, media } }
  app.put<ModelPath>('/v1/models/:model', options, async (request, reply) => {
    const id = request.params.model
    checkModelId(id)
    const { mediaType } = parseContentType(request.headers['content-type'] ?? '')
    const made = mediaType === JSON_TYPE ? await fromCard(request, id) : await fromFile(request, id)
    reply.code(made.made ? 201 : 200)
    return describe(made.entry)
  })

  async function fromCard(request: FastifyRequest, id: string) {
    const fields = await jsonBody(request, cardSchema, limits)
    return waitWithin(models.admin.make(seedCard(id, fields)), { claim: request.claim })
  }

  /** Refuses an id that is taken: whether the file equals that model would be known only at the file's end. */
  async function fromFile(request: FastifyRequest, id: string): Promise<{ entry: ModelEntry; made: true }> {
    if (models.entry(id) !== undefined) throw modelExists(id)
    const uploaded = await receiveTables(request, models.admin, ({ tensors, metadata }) => {
      const fields = metadataFields(metadata)
      const tables = fileTables(tensors, [])
      return { id, card: fileCard(id, fields, tables), tables }
    })
    return { entry: uploaded, made: true }
  }
}
