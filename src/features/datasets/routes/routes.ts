import type { FastifyRequest } from 'fastify'
import { ID_DTYPES } from '../../../first-layer/datasets/id-dtypes.js'
import type { Claim } from '../../../first-layer/running/drive.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { npyHeader } from '../../../first-layer/tensors/npy.js'
import { type ByteRange, partOf } from '../../../service/answer/byte-range.js'
import { InletError } from '../../../service/answer/error-table.js'
import { sendEncoded } from '../../../service/answer/send-encoded.js'
import { type DatasetCard, describeDataset } from '../../../service/corpus/dataset-card.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import { JSON_TYPE } from '../../../service/request/checks/head-checks.js'
import { knownTags } from '../../../service/request/entity-tags.js'
import { whenEnded } from '../../../service/request/request-end.js'
import type { Datasets, OpenCorpus } from '../datasets.js'
import { datasetNotFound } from '../errors.js'
import { type DatasetPath, datasetList } from '../schemas/requests.js'
import { addBatchRoutes } from './batches.js'
import { addDocumentRoute } from './document.js'
import { addUploadRoute } from './upload.js'

/** The routes of datasets: uploads, what is there, its ids, its batches. */
export function addDatasetRoutes(app: FeatureApp, service: Service, datasets: Datasets): void {
  addUploadRoute(app, service, datasets)
  addObjectRoutes(app, datasets)
  addTokensRoute(app, datasets)
  addDocumentRoute(app, service, datasets)
  addBatchRoutes(app, service, datasets)
}

/** `GET /v1/datasets`, `GET` and `DELETE /v1/datasets/{dataset}`. */
function addObjectRoutes(app: FeatureApp, datasets: Datasets): void {
  const config = { media: { produces: [JSON_TYPE] } }
  const described = (card: DatasetCard) => describeDataset(card, datasets.stored)

  const list = { schema: { operationId: 'listDatasets', querystring: datasetList }, config }
  app.get('/v1/datasets', list, async (request) => {
    const { limit, after } = request.query
    const cards = await waitWithin(datasets.list(), request)
    const from = after === undefined ? 0 : cards.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) throw datasetNotFound(after, '', 'after')
    const page = cards.slice(from, from + limit)
    return { object: 'list', data: page.map(described), has_more: from + limit < cards.length }
  })

  const one = { schema: { operationId: 'getDataset' }, config }
  app.get<DatasetPath>('/v1/datasets/:dataset', one, async ({ params, claim }) =>
    described((await datasets.find(params.dataset, claim)).card),
  )

  const remove = { schema: { operationId: 'deleteDataset' } }
  app.delete<DatasetPath>('/v1/datasets/:dataset', remove, async (request, reply) => {
    const { dataset: id } = request.params
    const { card } = await datasets.find(id, request.claim)
    checkMayDelete(request, card)
    await waitWithin(datasets.admin.remove(id), request)
    return reply.code(204).send()
  })
}

/** @throws InletError `forbidden` for a dataset that another caller has uploaded */
function checkMayDelete({ caller }: FastifyRequest, { owner }: DatasetCard): void {
  if (caller === undefined || caller.isAdmin || caller.name === owner) return
  const message = '`Authorization` must bring an admin key, or the key that uploaded the dataset.'
  throw new InletError('forbidden', message, 'authorization')
}

const RAW = 'application/octet-stream'
const NPY = 'application/x-npy'

const BLOCK_BYTES = 1 << 20

/** `GET /v1/datasets/{dataset}/tokens`: the file of all ids, or a range of it. */
function addTokensRoute(app: FeatureApp, datasets: Datasets): void {
  const options = { schema: { operationId: 'getDatasetTokens' }, config: { media: { produces: [RAW, NPY] } } }
  app.get<DatasetPath>('/v1/datasets/:dataset/tokens', options, async (request, reply) => {
    const corpus = await datasets.findCorpus(request.params.dataset, request.claim)
    const { mediaType } = request.negotiated
    const { card } = corpus
    const head = mediaType === NPY ? npyHeader(card.dtype, [card.num_tokens]) : Buffer.alloc(0)
    const etag = `"${card.sha256}${mediaType === NPY ? '-npy' : ''}"`
    reply.header('etag', etag).header('x-tensor-dtype', card.dtype)
    reply.header('cache-control', 'private, max-age=31536000, immutable')
    if (knownTags(request)(etag)) return reply.code(304).send()
    const size = head.length + card.num_tokens * ID_DTYPES[card.dtype].bytes
    whenEnded(request, corpus.source.hold())
    const read = (range: ByteRange) => fileBlocks(corpus, head, range, request.claim)
    const whole = { size, exact: true, headers: {}, body: read({ start: 0, end: size }) }
    const answer = partOf(request, reply, whole, etag, read)
    return sendEncoded(request, reply, answer, mediaType, Number.POSITIVE_INFINITY)
  })
}

/** The bytes of a range of the head and the tokens file behind it. */
async function* fileBlocks(
  { source }: OpenCorpus,
  head: Buffer,
  { start, end }: ByteRange,
  claim: Claim,
): AsyncGenerator<Uint8Array, void, void> {
  if (start < head.length) yield head.subarray(start, end)
  await claim.take(BLOCK_BYTES)
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let next: number
  for (let at = Math.max(start, head.length); at < end; at = next) {
    next = Math.min(end, at + BLOCK_BYTES)
    const part = block.subarray(0, next - at)
    await source.readBytes(at - head.length, part)
    yield part
  }
}
