import { z } from 'zod'
import type { Answer } from '../../first-layer/answer.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import { embeddingWidth, type Pooling } from '../../first-layer/pooling/pooling.js'
import { type Claim, drive } from '../../first-layer/work/drive.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { EmbeddingIds, pooledDocuments } from '../../service/request/documents/embedding-ids.js'
import type { Given } from '../../service/request/fields/given-field.js'
import { Reservation } from '../../service/request/load/request-claim.js'
import { embeddingsTensor } from './embeddings-tensor.js'
import type { AskedInference } from './infer-request.js'
import { keptLengths, maskedDocuments } from './masked-documents.js'
import type { InferenceInputs } from './wire/inputs.js'
import { invalid } from './wire/invalid.js'
import { parametersReader } from './wire/parameters.js'

const FIELDS = { texts: 'text', ids: 'input_ids' }

/** The output of static models. */
const EMBEDDINGS = 'embeddings'

/** The parameters of static models. */
const readParameters = parametersReader(z.strictObject({ dimensions: z.int().min(1).optional() }))

/**
 * A static model's answer: one embedding for each text, or for each row of ids.
 *
 * @param hasInput called with the number of tokens when their ids are there
 * @throws InletError as `POST /v1/embeddings`
 */
export async function pooledTensors(
  model: Model,
  pooling: Pooling,
  asked: AskedInference,
  claim: Claim,
  hasInput: (tokens: number) => void,
): Promise<Answer> {
  const { id, embeddingDim } = model.spec
  const { dimensions } = readParameters(asked.options)
  const width = embeddingWidth(pooling, embeddingDim)
  if (dimensions !== undefined && dimensions > width) {
    throw invalid(
      'parameters.dimensions',
      `must be at most ${width}, the width of an embedding of ${id}`,
      dimensions,
    )
  }
  const other = asked.outputs?.find(({ name }) => name !== EMBEDDINGS)
  if (other !== undefined) {
    const message = `\`outputs\` must be among what a static model gives: ${EMBEDDINGS}. Given: ${shown(other.name)}`
    throw new InletError('unsupported_combination', message, 'outputs')
  }
  const ids = new EmbeddingIds(await documentsOf(model, pooling, asked.inputs, claim), pooling)
  const numTokens = ids.total
  hasInput(numTokens)
  return {
    model: id,
    modelVersion: model.version,
    counts: { numTokens },
    tensors: [embeddingsTensor(new Pool(model, pooling, dimensions), ids)],
    metadata: {},
  }
}

async function documentsOf(model: Model, pooling: Pooling, inputs: InferenceInputs, claim: Claim) {
  const given = await gathered(inputs.given, claim)
  const documents = await pooledDocuments(model, pooling, given, FIELDS, claim)
  if (inputs.tokenTypes !== undefined)
    throw invalid('inputs', 'must have no token types for a static model', 'token_type_ids')
  if (inputs.mask === undefined) return documents
  const kept = await drive(claim, keptLengths(inputs.mask.documents))
  return drive(claim, maskedDocuments(documents, kept))
}

/** The same documents; a text that comes as chunks is gathered, since it is cut before it is tokenized. */
async function gathered(given: Given, claim: Claim): Promise<Given> {
  if (typeof given !== 'object' || !(Symbol.asyncIterator in given)) return given
  const room = new Reservation(claim)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of given) {
    length += chunk.length
    await room.reach(length)
    chunks.push(chunk)
  }
  return [Buffer.concat(chunks, length)]
}
