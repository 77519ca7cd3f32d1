import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingName } from '../../../first-layer/cards/model-card.js'
import { allowedSpecialSet } from '../../../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { type DatasetCard, describeDataset } from '../../../service/corpus/dataset-card.js'
import type { IngestFacts } from '../../../service/corpus/ingest/ingest.js'
import { ingestIds } from '../../../service/corpus/ingest/ingest-ids.js'
import { ingestNdjson } from '../../../service/corpus/ingest/ingest-ndjson.js'
import { ingestText } from '../../../service/corpus/ingest/ingest-text.js'
import { DatasetUpload, UPLOAD_BYTES } from '../../../service/corpus/upload.js'
import {
  documentEndOf,
  readDatasetUpload,
  UPLOAD_TYPES,
  type DatasetUpload as UploadQuery,
  type UploadType,
} from '../../../service/corpus/upload-fields.js'
import type { FeatureApp } from '../../../service/feature.js'
import type { Models } from '../../../service/models/library/models.js'
import { askedTokenizer } from '../../../service/request/asked-tokenizer.js'
import { bodyChunks, checkContentLength } from '../../../service/request/body/read-body.js'
import { slowBody } from '../../../service/request/slow-bodies.js'
import { mixtureRequest } from '../schemas/mixture.js'
import { type DatasetContext, JSON_TYPE } from './context.js'
import { makeMixture } from './mixture.js'

/** Ids below this fit into 16 bits. */
const SHORT_IDS = 65_536

/** `POST /v1/datasets`: a corpus as it comes, or a mixture of corpora. */
export function addUploadRoute(app: FeatureApp, context: DatasetContext): void {
  const { datasets } = context
  const media = { consumes: [JSON_TYPE, ...UPLOAD_TYPES], produces: [JSON_TYPE] }
  app.post(
    '/v1/datasets',
    { schema: { operationId: 'createDataset', body: mixtureRequest }, config: { media } },
    async (request, reply) => {
      const { card, isNew } =
        request.bodyType === JSON_TYPE
          ? await makeMixture(request.body, request, context)
          : await receive(request, request.bodyType as UploadType, context)
      return answer(reply, card, isNew)
    },
  )

  function answer(reply: FastifyReply, card: DatasetCard, isNew: boolean): object {
    reply.code(isNew ? 201 : 200).header('location', `/v1/datasets/${card.id}`)
    return describeDataset(card, datasets.stored)
  }
}

async function receive(request: FastifyRequest, type: UploadType, context: DatasetContext) {
  const { datasets, models, variables } = context
  const query = readDatasetUpload(request.query as string, type)
  checkContentLength(request, variables.MAX_DATASET_BYTES)
  const made = await datasetTokenizer(request, models, query)
  const documentEnd = documentEndOf(query.document_end, made?.tokenizer)
  await request.claim.take(UPLOAD_BYTES)
  const upload = new DatasetUpload(await datasets.place(), storedType(type, query, made))
  try {
    const chunks = slowBody(request, bodyChunks(request, variables.MAX_DATASET_BYTES))
    const source = { request, type, query, made, documentEnd, maxLineBytes: variables.MAX_JSON_BODY_BYTES }
    const { numCharacters } = await ingest(chunks, source, upload)
    const uploaded = await upload.finish({
      name: query.name ?? null,
      encoding: made?.encoding ?? null,
      allowed_special: shownSpecial(query, made, type),
      document_end: documentEnd ?? null,
      num_characters: type === 'application/octet-stream' || made === undefined ? null : numCharacters,
      owner: request.caller?.name ?? null,
      pad_token_id: made?.padTokenId ?? null,
    })
    request.figures = { numTokens: uploaded.card.num_tokens }
    return uploaded
  } catch (error) {
    await upload.abandon()
    throw error
  }
}

interface Source {
  readonly request: FastifyRequest
  readonly type: UploadType
  readonly query: UploadQuery
  readonly made: DatasetTokenizer | undefined
  readonly documentEnd: number | undefined
  readonly maxLineBytes: number
}

function ingest(
  chunks: AsyncIterable<Uint8Array>,
  { request, type, query, made, documentEnd, maxLineBytes }: Source,
  upload: DatasetUpload,
): Promise<IngestFacts> {
  const { claim } = request
  const idLimit = made?.tokenizer.vocabSize
  if (type === 'application/octet-stream') {
    const { dtype = 'uint16', separator_id: separatorId } = query
    return ingestIds(chunks, { dtype, separatorId, idLimit, documentEnd }, upload, claim)
  }
  const text = made && {
    tokenizer: made.tokenizer,
    allowedSpecial: allowedSpecialSet(made.tokenizer, query.allowed_special),
  }
  if (type === 'application/x-ndjson') {
    const { text_field: textField = 'text' } = query
    const lines = { text, textField, idLimit, documentEnd, maxLineBytes }
    return ingestNdjson(chunks, lines, upload, claim)
  }
  return ingestText(chunks, { ...text!, documents: query.documents ?? 'one', documentEnd }, upload, claim)
}

/** The element type of the tokens file: 16 bits where every id of the encoding fits. */
function storedType(type: UploadType, { dtype }: UploadQuery, made: DatasetTokenizer | undefined) {
  if (made !== undefined) return made.tokenizer.vocabSize <= SHORT_IDS ? 'uint16' : 'uint32'
  return type === 'application/octet-stream' && dtype === 'uint16' ? 'uint16' : 'uint32'
}

function shownSpecial(
  { allowed_special: asked }: UploadQuery,
  made: DatasetTokenizer | undefined,
  type: UploadType,
) {
  if (made === undefined || type === 'application/octet-stream') return null
  return asked === 'all' ? 'all' : [...allowedSpecialSet(made.tokenizer, asked)]
}

/** The tokenizer that an upload names. */
interface DatasetTokenizer {
  readonly tokenizer: Tokenizer
  /** The encoding's name; of a folder's tokenizer its model's id. */
  readonly encoding: string
  readonly padTokenId: number | undefined
}

/**
 * The tokenizer of an upload; undefined where it names none: its ids are then those of no encoding.
 *
 * @throws InletError `model_not_found`, `forbidden`
 */
async function datasetTokenizer(
  request: FastifyRequest,
  models: Models,
  asked: { model?: string | undefined; encoding?: string | undefined },
): Promise<DatasetTokenizer | undefined> {
  const { model, encoding } = asked
  if (encoding !== undefined) {
    const tokenizer = await askedTokenizer(request, models, { encoding })
    return { tokenizer, encoding, padTokenId: tokenizer.endOfText }
  }
  if (model === undefined) return undefined
  const tokenizer = await askedTokenizer(request, models, { model })
  const card = models.card(model)
  const padTokenId = card.source.type === 'folder' ? card.padTokenId : tokenizer.endOfText
  return { tokenizer, encoding: encodingName(card) ?? card.id, padTokenId }
}
