import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../../first-layer/errors.js'
import { drive, drivenBlocks } from '../../../first-layer/running/drive.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { ENCODING_NAMES, type EncodingName } from '../../../first-layer/tokens/encodings.js'
import type { Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { responseTooLarge, sendEncoded } from '../../../service/answer/send-encoded.js'
import { textOfIds } from '../../../service/answer/text-of-ids.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import type { Models } from '../../../service/models/library/models.js'
import { askedTokenizer } from '../../../service/request/asked-tokenizer.js'
import { JSON_TYPE, JSON_UTF8 } from '../../../service/request/checks/head-checks.js'
import type { Datasets } from '../datasets.js'
import { naturalNumber } from '../schemas/requests.js'

/** Bytes that an id takes at most as JSON, its comma included. */
const ID_BYTES = 11
const OTHER_BYTES = 128
const IDS_AT_ONCE = 8192

/** `GET /v1/datasets/{dataset}/documents/{document}`: the ids of one document, and its text. */
export function addDocumentRoute(
  app: FeatureApp,
  { models, config: limits }: Service,
  datasets: Datasets,
): void {
  const options = {
    schema: { operationId: 'getDatasetDocument' },
    config: { media: { produces: [JSON_TYPE] } },
  }
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
    request.figures = { numTokens: length }
    const tokenizer = card.encoding === null ? undefined : await tokenizerOf(request, models, card.encoding)
    const text = tokenizer && (await drive(claim, textOfIds(tokenizer, ids, limit)))
    const size = idBytes + (text?.size ?? 0)
    const head = `{"document":${d},"start":${start},"num_tokens":${length},"input_ids":[`
    const body = documentJson(head, ids, text && drivenBlocks(claim, text.body))
    const answer = { size, exact: false, headers: {}, body }
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}

async function* documentJson(
  head: string,
  ids: Int32Array,
  text: AsyncIterable<Uint8Array> | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(head)
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const part = ids.subarray(at, at + IDS_AT_ONCE).join(',')
    yield Buffer.from(at === 0 ? part : `,${part}`)
  }
  if (text === undefined) return yield Buffer.from('],"text":null}')
  let isFirst = true
  for await (const block of text) {
    if (isFirst) yield Buffer.from('],')
    yield isFirst ? block.subarray(1) : block // without its opening brace
    isFirst = false
  }
}

/** The tokenizer of a dataset's encoding; undefined where that is a model that is no longer there. */
async function tokenizerOf(
  request: FastifyRequest,
  models: Models,
  encoding: string,
): Promise<Tokenizer | undefined> {
  if (ENCODING_NAMES.includes(encoding as EncodingName)) return askedTokenizer(request, models, { encoding })
  if (models.entry(encoding) === undefined) return undefined
  return askedTokenizer(request, models, { model: encoding })
}
