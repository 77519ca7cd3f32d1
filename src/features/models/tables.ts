import type { FastifyRequest } from 'fastify'
import { encodingName, type ModelCard } from '../../first-layer/cards/model-card.js'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { bytesOf, bytesOfAll } from '../../first-layer/embeddings/table-memory.js'
import { safetensors } from '../../first-layer/formats/formats.js'
import { POOLING_TABLES } from '../../first-layer/pooling/pooling.js'
import { waitWithin } from '../../first-layer/running/wait.js'
import { inBlocks } from '../../first-layer/tensors/blocks.js'
import { writeHeader } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import type { ModelEntry, ModelVersion } from '../../models/entry.js'
import { whenEnded } from '../../service/answer/request-end.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp, Service } from '../../service/feature.js'
import { noCard, preconditionFailed } from '../../service/models/errors.js'
import type { Lease } from '../../service/models/library/models.js'
import { JSON_TYPE } from '../../service/request/checks/head-checks.js'
import { knownTags, parseTags } from '../../service/request/entity-tags.js'
import type { ModelPath } from '../../service/request/fields/model-path.js'
import { checkOwnMetadata, fileTables, receiveTables } from './received.js'

const PATH = '/v1/models/:model/tables'

/** `GET` and `PUT /v1/models/{model}/tables`: every table in one safetensors file; all that a file has, replaced at once. */
export function addTablesRoutes(app: FeatureApp, { models, config: limits }: Service): void {
  const tags = new WeakMap<ModelVersion, Promise<string>>()

  const get = {
    schema: { operationId: 'getTables' },
    config: { needs: 'admin' as const, media: { produces: safetensors.mediaTypes } },
  }
  app.get<ModelPath>(PATH, get, async (request, reply) => {
    const id = request.params.model
    checkHasTables(models.find(id).card)
    const isKnown = knownTags(request)
    const { held, etag } = await taggedTables(request, id)
    const { entry, version } = held
    reply.header('etag', etag).header('x-model-version', version.number)
    if (isKnown(etag)) return reply.code(304).send()
    const answer = tableFile(entry, version)
    const { mediaType } = request.negotiated
    return sendEncoded(request, reply, answer, mediaType, limits.MAX_RESPONSE_BYTES)
  })

  const put = {
    schema: { operationId: 'putTables' },
    config: { needs: 'admin' as const, media: { consumes: safetensors.mediaTypes, produces: [JSON_TYPE] } },
  }
  app.put<ModelPath>(PATH, put, async (request, reply) => {
    const id = request.params.model
    const entry = models.find(id)
    if (entry.hasNoCard) throw noCard(entry)
    const { card } = entry
    checkHasTables(card)
    const ifVersion = await versionToMatch(request, id)
    const { version } = await receiveTables(request, models.admin, ({ tensors, metadata }) => {
      checkOwnMetadata(metadata, card)
      return { id, tables: fileTables(tensors), ifVersion }
    })
    const number = version?.number ?? 0
    reply.header('x-model-version', number)
    return { model: id, model_version: String(number) }
  })

  /**
   * The version of the tables that `If-Match` names; undefined where the header allows any version.
   *
   * @throws InletError `precondition_failed` where none of its ETags is the present one, `invalid_request` where it is
   * no list of ETags, `model_not_found`
   */
  async function versionToMatch(request: FastifyRequest, id: string): Promise<number | undefined> {
    const header = request.headers['if-match']
    if (header === undefined) return undefined
    const asked = parseTags(header, 'if-match')
    if (asked === '*') return undefined
    const { held, etag } = await taggedTables(request, id)
    if (asked.some(({ weak, value }) => !weak && value === etag)) return held.version.number
    throw preconditionFailed(id, header, held.version.number)
  }

  /**
   * The present tables of a model, held until the request has ended, with their ETag.
   *
   * @throws InletError `model_not_found`, what loading throws, and the error that the claim is aborted with
   */
  async function taggedTables(request: FastifyRequest, id: string) {
    const held = await models.lease(id, request.claim)
    whenEnded(request, () => held.release())
    return { held, etag: await waitWithin(tagOf(held), request) }
  }

  /** `"VERSION-SHA256"`, with the hash of the file that `GET` sends: computed once for each version. */
  function tagOf({ entry, version }: Pick<Lease, 'entry' | 'version'>): Promise<string> {
    const known = tags.get(version)
    if (known !== undefined) return known
    const hashed = models.admin.digest(version.tables, tableFile(entry, version).header)
    const tag = hashed.then((sha256) => `"${version.number}-${sha256}"`)
    tags.set(version, tag)
    tag.catch(() => tags.delete(version)) // the next request tries again
    return tag
  }
}

/**
 * The tables of a version as one safetensors file, without those of a static model's pooling. A `PUT` of this file under
 * another id makes a model with the same rows.
 */
function tableFile({ card }: ModelEntry, { tables }: ModelVersion) {
  const places = tables.places.filter(({ name }) => !POOLING_TABLES.includes(name))
  const header = writeHeader(cardMetadata(card), places)
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    yield header
    for (const place of places) yield* inBlocks(bytesOf(tables, place))
  }
  return { header, size: header.length + bytesOfAll(places), exact: true, body: body() }
}

/** The fields of a card that the tables' shapes do not give, as strings. */
function cardMetadata(card: ModelCard): Record<string, string> {
  const encoding = encodingName(card)
  return {
    ...(encoding !== undefined && { encoding }),
    architecture: card.architecture,
    position_embedding: JSON.stringify(card.positionEmbedding),
  }
}
