import type { FastifyRequest } from 'fastify'
import type { Answer } from '../../../first-layer/answer.js'
import { encodingName } from '../../../first-layer/cards/model-card.js'
import { datasetAnswer, planDatasetTensors } from '../../../first-layer/datasets/dataset-answer.js'
import { checkDatasetOutputs, needsModel } from '../../../first-layer/datasets/dataset-outputs.js'
import { mixtureBatches } from '../../../first-layer/datasets/mixture-batch.js'
import { idOf } from '../../../first-layer/datasets/recipe.js'
import { MAX_INDEX_EPOCH } from '../../../first-layer/datasets/recipe-options.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import { MAX_EPOCH } from '../../../first-layer/random/permutation.js'
import { InletError } from '../../../service/answer/error-table.js'
import { whenEnded } from '../../../service/answer/request-end.js'
import { limitOf, sendEncoded, tensorHeaders } from '../../../service/answer/send-encoded.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import type { Models } from '../../../service/models/library/models.js'
import { turn } from '../../../service/process/turn.js'
import { JSON_TYPE } from '../../../service/request/checks/head-checks.js'
import { leased } from '../../../service/request/claims.js'
import { knownTags } from '../../../service/request/entity-tags.js'
import type { Datasets } from '../datasets.js'
import { DatasetError } from '../errors.js'
import { globalTargets, type OpenRecipe, openRecipe } from '../recipes.js'
import {
  type DatasetPath,
  type DatasetRecipeQuery,
  naturalNumber,
  readRecipeQuery,
} from '../schemas/requests.js'
import { partOf } from './byte-range.js'
import { planOf } from './recipe-plan.js'

/** Options of a route that answers JSON. */
export const asJson = (operationId: string) => ({
  schema: { operationId },
  config: { media: { produces: [JSON_TYPE] } },
})

/** `GET /v1/datasets/{dataset}/batches`, the plan, and `GET /v1/datasets/{dataset}/batches/{batch}`. */
export function addBatchRoutes(
  app: FeatureApp,
  { models, config: limits }: Service,
  datasets: Datasets,
): void {
  const plan = asJson('getDatasetPlan')
  app.get<DatasetPath>('/v1/datasets/:dataset/batches', plan, async (request) => {
    const query = readRecipeQuery(request.query as string)
    const { dataset: id } = request.params
    return planOf(id, await openRecipe(datasets, id, query, request.claim))
  })

  const batch = {
    schema: { operationId: 'getDatasetBatch' },
    config: { media: { produces: 'tensors' as const } },
  }
  const path = '/v1/datasets/:dataset/batches/:batch'
  app.get<{ Params: { dataset: string; batch: string } }>(path, batch, async (request, reply) => {
    const { claim, params, negotiated } = request
    const index = naturalNumber('batch', params.batch)
    const query = readRecipeQuery(request.query as string)
    const { format } = negotiated
    const open = await openRecipe(datasets, params.dataset, query, claim)
    checkIndex(index, open)
    checkDatasetOutputs(query.outputs, format.single, open.isMixture)
    const model = needsModel(query.outputs) ? await rowsModel(request, models, query, open) : undefined
    const tensors = planDatasetTensors(query, open, format, model)

    const etag = etagOf(open, query, index, negotiated.mediaType, model)
    reply.header('etag', etag)
    reply.header('cache-control', model === undefined ? 'private, max-age=31536000, immutable' : 'no-cache')
    reply.headers(headersOf(request, open, index))
    const targets = open.isMasked ? await globalTargets(open, index, claim) : undefined
    if (targets !== undefined) reply.header('x-num-target-tokens', targets)
    if (knownTags(request)(etag)) return reply.code(304).send()

    whenEnded(request, open.hold())
    const planned = await open.batch(index, claim)
    await claim.take(planned.bytes)
    const rows = await planned.read(() => turn(claim))
    const [numWindows, numTokens] = [rows.count, rows.count * rows.contextLength]
    request.figures = { format: format.name, numTokens, numWindows }
    const facts = {
      ...placeOf(params.dataset, index, open),
      ...(targets !== undefined && { num_target_tokens: targets }),
    }
    const answer: Answer = { facts, ...datasetAnswer(rows, tensors, model) }
    const encoded = {
      ...format.encode(answer, query.encoding_format),
      headers: tensorHeaders(format, answer),
    }
    const limit = limitOf(format, limits)
    const part = partOf(request, reply, encoded, etag)
    return sendEncoded(request, reply, part, negotiated.mediaType, limit, answer.tensors)
  })
}

/** The fields that tell which batch an answer is of. */
export function placeOf(dataset: string, index: number, { id, recipe, numBatches }: OpenRecipe) {
  const place = { dataset, recipe_id: id, epoch: recipe.epoch, batch_index: index }
  return { ...place, ...(numBatches !== undefined && { num_batches: numBatches }) }
}

/** @throws InletError `batch_out_of_range`, before anything of the batch is read */
export function checkIndex(index: number, { numBatches, recipe }: OpenRecipe): void {
  const bound = numBatches ?? mixtureBatches(recipe)
  if (index < bound) return
  const message = `\`batch\` must be below the number of batches, ${bound}. Given: ${index}`
  throw new InletError('batch_out_of_range', message, 'batch')
}

/** The model whose rows are asked for. @throws InletError `encoding_mismatch` */
async function rowsModel(
  request: FastifyRequest,
  models: Models,
  { model: id }: DatasetRecipeQuery,
  { members }: OpenRecipe,
): Promise<Model> {
  const { encoding } = members[0].card
  const model = await leased(request, models, id)
  const card = models.card(id)
  const own = encodingName(card) ?? card.id
  if (encoding === null || encoding === own) return model
  const message = `\`model\` must have the dataset’s encoding, ${encoding}. Given: ${card.id}, whose encoding is ${own}`
  throw new DatasetError('encoding_mismatch', message, 'model')
}

/** A strong tag: of all that decides the answer's bytes. */
function etagOf(
  { id, recipe: { epoch, rank, num_batches } }: OpenRecipe,
  query: DatasetRecipeQuery,
  index: number,
  mediaType: string,
  model: Model | undefined,
): string {
  const { outputs, ids_dtype, encoding_format, position_offset, world_size } = query
  const { dtype, position_embedding, architecture } = query
  const range = { epoch, rank, num_batches }
  const of = [id, range, world_size, index, mediaType, outputs, ids_dtype, encoding_format, position_offset]
  const rows = model && [model.spec.id, model.version, dtype, position_embedding, architecture]
  return `"${idOf([of, rows])}"`
}

function headersOf(
  request: FastifyRequest,
  { id, recipe: { shuffle, epoch, num_batches }, numBatches }: OpenRecipe,
  index: number,
): Readonly<Record<string, string | number>> {
  const own = { 'x-recipe-id': id, 'x-epoch': epoch, 'x-batch-index': index }
  const headers = numBatches === undefined ? own : { ...own, 'x-num-batches': numBatches }
  const next = index + num_batches
  const isLast = numBatches !== undefined && next >= numBatches
  if (isLast && epoch >= (shuffle === 'true' ? MAX_EPOCH : MAX_INDEX_EPOCH)) return headers
  const { dataset } = request.params as { dataset: string }
  const query = new URLSearchParams(request.query as string)
  if (isLast) query.set('epoch', String(epoch + 1))
  const path = `/v1/datasets/${dataset}/batches/${isLast ? 0 : next}`
  return { ...headers, link: `<${path}?${query}>; rel="next"` }
}
