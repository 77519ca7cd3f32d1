import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type DatasetCard, describeDataset, LAYOUT, type MixtureCard } from '../../../corpus/dataset-card.js'
import { documentFrame, frameFields } from '../../../corpus/document-frame.js'
import { DocumentWriter } from '../../../corpus/document-writer.js'
import { chatSettings } from '../../../corpus/ingest-chats.js'
import { ingestIds } from '../../../corpus/ingest-ids.js'
import { ingestNdjson } from '../../../corpus/ingest-ndjson.js'
import { ingestText } from '../../../corpus/ingest-text.js'
import { UPLOAD_BYTES, type Uploaded } from '../../../corpus/upload.js'
import {
  readDatasetUpload,
  UPLOAD_TYPES,
  type DatasetUpload as UploadQuery,
  type UploadType,
} from '../../../corpus/upload-options.js'
import { encodingName, padTokenIdOf } from '../../../first-layer/cards/model-card.js'
import { mixtureContentId, mixtureStages } from '../../../first-layer/datasets/mixture-batch.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { allowedSpecialSet } from '../../../first-layer/tokens/tokenize.js'
import { shown } from '../../../service/answer/error-table.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import type { Models } from '../../../service/models/library/models.js'
import type { Claim } from '../../../service/process/turn.js'
import { turn } from '../../../service/process/turn.js'
import { askedTokenizer } from '../../../service/request/asked-tokenizer.js'
import { bodyChunks, checkContentLength } from '../../../service/request/body/read-body.js'
import { slowBody } from '../../../service/request/body/slow-bodies.js'
import { JSON_TYPE } from '../../../service/request/checks/head-checks.js'
import { Reservation } from '../../../service/request/claims.js'
import type { Datasets, OpenCorpus } from '../datasets.js'
import { DatasetError, datasetNotFound, refusedOpen } from '../errors.js'
import { mixtureRequest } from '../schemas/requests.js'

/** Ids below this fit into 16 bits. */
const SHORT_IDS = 65_536

/** Of a document of one byte and its end: three ids and a start, in blocks that are gathered, written, and the next ones. */
const MOST_BYTES_PER_BYTE = 48

/** `POST /v1/datasets`: a corpus as it comes, or a mixture of corpora. */
export function addUploadRoute(app: FeatureApp, service: Service, datasets: Datasets): void {
  const media = { consumes: [JSON_TYPE, ...UPLOAD_TYPES], produces: [JSON_TYPE] }
  const options = { schema: { operationId: 'createDataset', body: mixtureRequest }, config: { media } }
  app.post('/v1/datasets', options, async (request, reply) => {
    const { card, isNew }: { card: DatasetCard; isNew: boolean } =
      request.bodyType === JSON_TYPE
        ? await makeMixture(request.body, request, datasets)
        : await receive(request, request.bodyType as UploadType, service, datasets)
    reply.code(isNew ? 201 : 200).header('location', `/v1/datasets/${card.id}`)
    return describeDataset(card, datasets.stored)
  })
}

async function receive(
  request: FastifyRequest,
  type: UploadType,
  { models, config: limits }: Service,
  datasets: Datasets,
): Promise<Uploaded> {
  const { claim } = request
  const query = readDatasetUpload(request.query as string, type)
  checkContentLength(request, limits.MAX_DATASET_BYTES)
  const made = await datasetTokenizer(request, models, query)
  const frame = documentFrame(query, made?.tokenizer)
  await claim.take(1) // if there is no room, the request is refused before its body is read
  const isIds = type === 'application/octet-stream'
  const isShort = made ? made.tokenizer.vocabSize <= SHORT_IDS : isIds && query.dtype === 'uint16'
  const upload = await datasets.upload(isShort ? 'uint16' : 'uint32')
  try {
    const room = uploadRoom(claim)
    const chunks = room.chunks(slowBody(request, bodyChunks(request, limits.MAX_DATASET_BYTES)))
    const idLimit = made?.tokenizer.vocabSize
    const allowedSpecial =
      isIds || !made ? undefined : allowedSpecialSet(made.tokenizer, query.allowed_special)
    const text = allowedSpecial && { tokenizer: made!.tokenizer, allowedSpecial }
    const chats = chatSettings(query, query.model === undefined ? undefined : models.card(query.model).chat)
    const { dtype = 'uint16', separator_id: separatorId } = query
    const { documents = 'one', text_field: textField = 'text' } = query
    const lines = { text, textField, idLimit, maxLineBytes: limits.MAX_JSON_BODY_BYTES, chats }
    const writer = new DocumentWriter(upload, frame, room.pace)
    const counts = await (isIds
      ? ingestIds(chunks, { dtype, separatorId, idLimit }, writer)
      : type === 'application/x-ndjson'
        ? ingestNdjson(chunks, lines, writer)
        : ingestText(chunks, { ...text!, documents }, writer))
    await writer.flush()
    const uploaded = await upload.finish({
      name: query.name ?? null,
      encoding: made?.encoding ?? null,
      allowed_special: text ? (query.allowed_special === 'all' ? 'all' : [...text.allowedSpecial]) : null,
      ...frameFields(frame, made?.tokenizer),
      num_characters: text ? writer.ids.characters : null,
      owner: request.caller?.name ?? null,
      pad_token_id: made?.padTokenId ?? null,
      ...(counts && { ...chats.options, chats: counts }),
    })
    request.figures = { numTokens: uploaded.card.num_tokens }
    return uploaded
  } catch (error) {
    await upload.abandon()
    throw refusedOpen(error)
  }
}

/** The room of an upload: it grows as bytes come, and for a long line; one that stays away holds none from others. */
function uploadRoom(claim: Claim) {
  const room = new Reservation(claim)
  let common = 0
  return {
    async *chunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
      for await (const chunk of body) {
        common = Math.min(common + MOST_BYTES_PER_BYTE * chunk.length, UPLOAD_BYTES)
        await room.reach(common)
        yield chunk
      }
    },
    pace(held: number): Promise<void> | undefined {
      if (held === 0) room.settle(common)
      return room.reach(common + held)?.then(() => turn(claim)) ?? turn(claim)
    },
  }
}

/**
 * The tokenizer of an upload, and the name of its encoding, or of the folder's model; undefined where the upload names none:
 * its ids are then those of no encoding.
 *
 * @throws InletError `model_not_found`, `forbidden`
 */
async function datasetTokenizer(
  request: FastifyRequest,
  models: Models,
  { model, encoding }: Pick<UploadQuery, 'model' | 'encoding'>,
) {
  if (model === undefined && encoding === undefined) return undefined
  const asked = encoding === undefined ? { model: model! } : { encoding }
  const tokenizer = await askedTokenizer(request, models, asked)
  if (encoding !== undefined) return { tokenizer, encoding, padTokenId: tokenizer.endOfText }
  const card = models.card(model)
  const padTokenId = padTokenIdOf(card, tokenizer) ?? tokenizer.endOfText
  return { tokenizer, encoding: encodingName(card) ?? card.id, padTokenId }
}

/** Makes a mixture of the datasets that the body names. @throws InletError `dataset_not_found`, `encoding_mismatch` */
export async function makeMixture(
  { mixture, stages, name }: z.output<typeof mixtureRequest>,
  request: FastifyRequest,
  datasets: Datasets,
): Promise<{ readonly card: MixtureCard; readonly isNew: boolean }> {
  const checked = mixtureStages(mixture, stages)
  const member = ({ dataset }: { readonly dataset: string }, at: number) =>
    datasets.findCorpus(dataset, request.claim).catch((error) => {
      if (error?.code !== 'dataset_not_found') throw error
      throw datasetNotFound(dataset, ' of ids, not of a mixture', `mixture.${at}.dataset`)
    })
  const members = await Promise.all(mixture.map(member))
  checkEncodings(members)
  const ids = mixture.map(({ dataset }) => dataset)
  const [{ weights }] = checked as [(typeof checked)[number]]
  const made = datasets.admin.putMixture({
    id: `mx_${mixtureContentId(ids, checked)}`,
    name: name ?? null,
    encoding: members[0].card.encoding,
    mixture: ids.map((dataset, j) => ({ dataset, weight: weights[j] })),
    stages: stages ?? null,
    created: Math.floor(Date.now() / 1000),
    ...{ layout: LAYOUT, owner: request.caller?.name ?? null },
  })
  return waitWithin(made, request)
}

function checkEncodings(members: readonly OpenCorpus[]): void {
  const [{ card: first }] = members as [OpenCorpus]
  const other = members.findIndex(({ card }) => card.encoding !== first.encoding)
  if (other < 0) return
  const param = `mixture.${other}.dataset`
  const message = `\`${param}\` must have the encoding of the first dataset, ${first.encoding}. Given: ${shown(members[other].card.encoding)}`
  throw new DatasetError('encoding_mismatch', message, param)
}
