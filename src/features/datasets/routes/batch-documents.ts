import type { FastifyRequest } from 'fastify'
import { lineOf } from '../../../corpus/dataset-card.js'
import { countTargets, type Segment } from '../../../first-layer/datasets/segments.js'
import { isTrained } from '../../../first-layer/datasets/token-mask.js'
import { responseTooLarge } from '../../../first-layer/errors.js'
import { jsonAnswer, listOf } from '../../../first-layer/formats/json.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { ENCODING_NAMES } from '../../../first-layer/tokens/encodings.js'
import type { Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { whenEnded } from '../../../service/answer/request-end.js'
import { sendEncoded } from '../../../service/answer/send-encoded.js'
import { decodedText } from '../../../service/answer/text-of-ids.js'
import type { FeatureApp, Service } from '../../../service/feature.js'
import type { Models } from '../../../service/models/library/models.js'
import type { Claim } from '../../../service/process/turn.js'
import { turn } from '../../../service/process/turn.js'
import { askedTokenizer } from '../../../service/request/asked-tokenizer.js'
import { JSON_TYPE, JSON_UTF8 } from '../../../service/request/checks/head-checks.js'
import type { Datasets, OpenCorpus } from '../datasets.js'
import { openRecipe } from '../recipes.js'
import { naturalNumber, readDocumentsQuery } from '../schemas/requests.js'
import { asJson, checkIndex, placeOf } from './batches.js'

/** `GET /v1/datasets/{dataset}/batches/{batch}/documents`: the documents in each row of a batch, and where they stand. */
export function addBatchDocumentsRoute(
  app: FeatureApp,
  { models, config: limits }: Service,
  datasets: Datasets,
): void {
  const options = asJson('getDatasetBatchDocuments')
  const path = '/v1/datasets/:dataset/batches/:batch/documents'
  app.get<{ Params: { dataset: string; batch: string } }>(path, options, async (request, reply) => {
    const { claim, params } = request
    const index = naturalNumber('batch', params.batch)
    const query = readDocumentsQuery(request.query as string)
    const open = await openRecipe(datasets, params.dataset, query, claim)
    checkIndex(index, open)
    whenEnded(request, open.hold())
    const { members, recipe, isMixture } = open
    const tokenizer = query.text ? await tokenizerOf(request, models, members[0].card.encoding) : undefined
    const limit = limits.MAX_JSON_RESPONSE_BYTES
    const { row: rowAt, count } = await open.batch(index, claim)
    const documents: string[] = []
    let size = 0
    for (let row = 0; row < count; row++) {
      const { dataset, segments } = rowAt(row)
      const corpus = members[dataset]
      let start = 0
      for (const segment of segments) {
        const { document, start: first_token, length: num_tokens } = segment
        const end = start + num_tokens
        const seen = JSON.stringify({
          ...{ row, dataset: isMixture ? corpus.card.id : undefined, document },
          ...{ line: lineOf(corpus.content, document), start, end, first_token, num_tokens },
          num_target_tokens: countTargets(corpus, segment, recipe.packing === 'concat'),
          texts: tokenizer ? await textsOf(corpus, segment, tokenizer, limit, claim) : undefined,
        })
        documents.push(seen)
        size += seen.length
        if (size > limit) throw responseTooLarge(JSON_TYPE, limit, `more than ${size} bytes`)
        await claim.take(2 * seen.length)
        await turn(claim)
        start = end
      }
    }
    const answer = jsonAnswer({ ...placeOf(params.dataset, index, open), documents: listOf(documents, size) })
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}

/** The text of a segment in runs that are trained or not, each decoded behind the one before: a first token may lose its blank. */
async function textsOf(
  { documents, source, mask }: OpenCorpus,
  { document, start, length }: Segment,
  tokenizer: Tokenizer,
  limit: number,
  claim: Claim,
): Promise<object[]> {
  await claim.take(length * Int32Array.BYTES_PER_ELEMENT)
  const ids = new Int32Array(length)
  const place = documents.start(document) + start
  await waitWithin(source.read(place, ids), { claim })
  const trained = (i: number) => mask === undefined || isTrained(mask, place + i)
  const textOf = async (from: number, to: number) =>
    [...(await decodedText(tokenizer, ids.subarray(from, to), limit, claim)).text.parts()].join('')
  const texts: object[] = []
  for (let before = 0, from = 0, to = 0; from < length; before = from, from = to) {
    while (to < length && trained(to) === trained(from)) to++
    const known = before === from ? '' : await textOf(before, from)
    texts.push({ text: (await textOf(before, to)).slice(known.length), trained: trained(from) })
  }
  claim.give(ids.byteLength)
  return texts
}

/** The tokenizer of a dataset's encoding; undefined where there is none, or it is a model that is no longer there. */
export async function tokenizerOf(request: FastifyRequest, models: Models, encoding: string | null) {
  const isEncoding = ENCODING_NAMES.some((name) => name === encoding)
  if (encoding === null || !(isEncoding || models.entry(encoding))) return undefined
  return askedTokenizer(request, models, isEncoding ? { encoding } : { model: encoding })
}
