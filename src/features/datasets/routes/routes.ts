import { type DatasetCard, describeDataset } from '../../../corpus/dataset-card.js'
import { ID_DTYPES } from '../../../first-layer/datasets/id-dtypes.js'
import { isTrained } from '../../../first-layer/datasets/token-mask.js'
import { invalidField, responseTooLarge } from '../../../first-layer/errors.js'
import { listOf, numberSlices } from '../../../first-layer/formats/json.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { chained } from '../../../first-layer/tensors/blocks.js'
import { npyHeader } from '../../../first-layer/tensors/npy.js'
import { whenEnded } from '../../../service/answer/request-end.js'
import { sendEncoded } from '../../../service/answer/send-encoded.js'
import { textOfIds } from '../../../service/answer/text-of-ids.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import type { Claim } from '../../../service/process/turn.js'
import { JSON_TYPE, JSON_UTF8 } from '../../../service/request/checks/head-checks.js'
import { knownTags } from '../../../service/request/entity-tags.js'
import type { Datasets, OpenCorpus } from '../datasets.js'
import { type DatasetPath, datasetList, naturalNumber } from '../schemas/requests.js'
import { addBatchDocumentsRoute, tokenizerOf } from './batch-documents.js'
import { addBatchRoutes, asJson } from './batches.js'
import { type ByteRange, partOf } from './byte-range.js'
import { addUploadRoute } from './upload.js'

/** The routes of datasets: uploads, what is there, its ids, its batches. */
export function addDatasetRoutes(app: FeatureApp, service: Service, datasets: Datasets): void {
  addUploadRoute(app, service, datasets)
  addObjectRoutes(app, datasets)
  addTokensRoute(app, datasets)
  addDocumentRoute(app, service, datasets)
  addBatchRoutes(app, service, datasets)
  addBatchDocumentsRoute(app, service, datasets)
}

/** `GET /v1/datasets`, `GET` and `DELETE /v1/datasets/{dataset}`. */
function addObjectRoutes(app: FeatureApp, datasets: Datasets): void {
  const described = (card: DatasetCard) => describeDataset(card, datasets.stored)

  const { config } = asJson('listDatasets')
  const list = { schema: { operationId: 'listDatasets', querystring: datasetList }, config }
  app.get('/v1/datasets', list, async (request) => {
    const { limit, after } = request.query
    const { cards, hasMore } = await waitWithin(datasets.admin.page(limit, after), request)
    return { object: 'list', data: cards.map(described), has_more: hasMore }
  })

  app.get<DatasetPath>('/v1/datasets/:dataset', asJson('getDataset'), async ({ params, claim }) =>
    described((await datasets.find(params.dataset, claim)).card),
  )

  const remove = { schema: { operationId: 'deleteDataset' } }
  app.delete<DatasetPath>('/v1/datasets/:dataset', remove, async (request, reply) => {
    const { params, caller, claim } = request
    const owner = caller === undefined || caller.admin ? undefined : caller.name
    await datasets.find(params.dataset, claim)
    await waitWithin(datasets.admin.remove(params.dataset, owner), request)
    return reply.code(204).send()
  })
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
    const whole = { size, exact: true, body: read({ start: 0, end: size }) }
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

/** Bytes that an id takes at most as JSON, its comma included. */
const ID_BYTES = 13
const OTHER_BYTES = 128

/** `GET /v1/datasets/{dataset}/documents/{document}`: the ids of one document, and its text. */
function addDocumentRoute(app: FeatureApp, { models, config: limits }: Service, datasets: Datasets): void {
  const options = asJson('getDatasetDocument')
  const path = '/v1/datasets/:dataset/documents/:document'
  app.get<{ Params: { dataset: string; document: string } }>(path, options, async (request, reply) => {
    const { claim, params } = request
    const corpus = await datasets.findCorpus(params.dataset, claim)
    const { documents, source, card } = corpus
    const d = naturalNumber('document', params.document)
    if (d >= documents.count) {
      const rule = `must be below the number of documents, ${documents.count}`
      throw invalidField('document', rule, d)
    }
    const start = documents.start(d)
    const length = documents.length(d)
    const limit = limits.MAX_JSON_RESPONSE_BYTES
    const idBytes = length * ID_BYTES + OTHER_BYTES
    if (idBytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at most ${idBytes} bytes`)
    await claim.take(length * Int32Array.BYTES_PER_ELEMENT)
    const ids = new Int32Array(length)
    await waitWithin(source.read(start, ids), { claim })
    const mask = corpus.mask && ids.map((_, i) => (isTrained(corpus.mask!, start + i) ? 1 : 0))
    request.figures = { numTokens: length }
    const tokenizer = await tokenizerOf(request, models, card.encoding)
    const text = tokenizer && (await textOfIds(tokenizer, ids, limit, claim))
    const list = (numbers: Int32Array) => listOf(numberSlices([numbers])).text()
    const head = `{"document":${d},"start":${start},"num_tokens":${length},"input_ids":`
    const masks = mask === undefined ? [] : [[Buffer.from(',"loss_mask":')], list(mask)]
    const last = text?.body ?? [Buffer.from(',"text":null}')]
    const body = chained([[Buffer.from(head)], list(ids), ...masks, last])
    const answer = { size: idBytes + (text?.size ?? 0), exact: false, body }
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}
