import { z } from 'zod'
import { inferenceOptions } from '../../checkpoints/embedding-request.js'
import type { Answer } from '../../first-layer/answer.js'
import { documentsOf, textOptions, tokenTypesOf } from '../../first-layer/documents.js'
import { planEmbedding } from '../../first-layer/embedding-plan.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { InletError, invalidField, quoted, shown } from '../../first-layer/errors.js'
import type { Given, GivenTexts } from '../../first-layer/given.js'
import { type EmbeddingRequest, inputEmbeddings } from '../../first-layer/input-embedding.js'
import { checkOutputNames, outputDtype } from '../../first-layer/outputs.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import type { IdLists } from '../../first-layer/windows/id-lists.js'
import type { Claim } from '../../service/process/turn.js'
import {
  askedDimensions,
  EmbeddingIds,
  pooledDocuments,
  pooledEmbedding,
} from '../../service/request/documents/embedding-ids.js'
import { edgeOf } from '../../service/request/load/request-claim.js'
import { DATATYPES } from './answer.js'
import { maskedDocuments } from './masked-documents.js'
import { type AskedInference, parametersReader } from './request.js'

const readOptions = parametersReader(inferenceOptions)
const readPooled = parametersReader(z.strictObject({ dimensions: z.int().min(1).optional() }))

/**
 * The tensors that an inference request asks for, declared.
 *
 * @param hasInput called with the number of tokens when their ids are there
 * @throws InletError as `POST /v1/input-embeddings`; `invalid_request` for 16-bit floats as JSON
 */
export async function inputTensors(
  model: Model,
  asked: AskedInference,
  claim: Claim,
  hasInput: (tokens: number) => void,
): Promise<Answer> {
  const fields = readOptions(asked.options)
  const outputs = asked.outputs?.map(({ name }) => name)
  if (outputs !== undefined) checkOutputNames(outputs, false)
  const plan = planEmbedding(model, { ...fields, outputs }, { single: false })
  refuseHalfAsJson(model, plan, asked)
  const { given, attention_mask: mask, token_type_ids: typeIds } = asked.inputs
  const edge = edgeOf(claim)
  const documents = await documentsOf(model, given, textOptions(model, given, fields), edge)
  const types = typeIds && (await tokenTypesOf(model, plan.architecture, given as IdLists, typeIds, edge))
  const cut = (of: Documents) => (mask ? maskedDocuments(of, mask.documents, claim) : of)
  const own = await cut(documents)
  const tokenTypes = types && (await cut(types))
  hasInput(own.totalTokens)
  await edge.hasIds?.(own, 0)
  return inputEmbeddings(model, own, { ...plan, ...(tokenTypes && { tokenTypes }) }, edge.order)
}

/** The protocol has no form for 16-bit floats in JSON. @throws InletError `invalid_request` */
function refuseHalfAsJson(model: Model, plan: EmbeddingRequest, { outputs, isBinary }: AskedInference): void {
  if (plan.dtype === 'float32') return
  const { position, position_offset, context_length = 1 } = plan
  const asked = outputs ?? [{ name: 'input_embeddings', isBinary }]
  const i = asked.findIndex(({ name, isBinary: asBytes }) => {
    if (asBytes) return false
    const request = model.positionRequest(position, context_length, position_offset)
    return outputDtype(name, plan, position, request) === plan.dtype
  })
  if (i < 0) return
  const field =
    outputs === undefined ? 'parameters.binary_data_output' : `outputs.${i}.parameters.binary_data`
  const how = 'via JSON is not supported. Please use the binary data format.'
  const message = `${quoted(field)} must be true: sending ${DATATYPES[plan.dtype]} ${how}`
  throw new InletError('invalid_request', message, field)
}

/**
 * A static model's answer: one embedding for each text, or for each row of ids.
 *
 * @param hasInput as of {@link inputTensors}
 * @throws InletError as `POST /v1/embeddings`
 */
export async function pooledTensors(
  model: Model,
  pooling: Pooling,
  asked: AskedInference,
  claim: Claim,
  hasInput: (tokens: number) => void,
): Promise<Answer> {
  const { id } = model.spec
  const { dimensions } = readPooled(asked.options)
  askedDimensions(model.spec, pooling, dimensions, 'parameters.dimensions')
  const other = asked.outputs?.find(({ name }) => name !== 'embeddings')
  if (other !== undefined) {
    const message = `\`outputs\` must be among what a static model gives: embeddings. Given: ${shown(other.name)}`
    throw new InletError('unsupported_combination', message, 'outputs')
  }
  const { attention_mask: mask, token_type_ids: types } = asked.inputs
  const given = await gathered(asked.inputs.given, claim)
  const documents = await pooledDocuments(model, pooling, given, undefined, claim)
  if (types) throw invalidField('inputs', 'must have no token types for a static model', 'token_type_ids')
  const own = mask ? await maskedDocuments(documents, mask.documents, claim) : documents
  const ids = new EmbeddingIds(own, pooling)
  const numTokens = ids.total
  hasInput(numTokens)
  const tensors = [embeddingsTensor(new Pool(model, pooling, dimensions), ids, claim)]
  return { model: id, modelVersion: model.version, counts: { numTokens }, tensors, metadata: {} }
}

/** The same documents; a text that comes as chunks is gathered, since it is cut before it is tokenized. */
async function gathered(given: Given, claim: Claim): Promise<GivenTexts | IdLists> {
  if (typeof given !== 'object' || !(Symbol.asyncIterator in given)) return given
  const chunks: Uint8Array[] = []
  for await (const chunk of given) {
    await claim.take(chunk.length)
    chunks.push(chunk)
  }
  return [Buffer.concat(chunks)]
}

/** Bytes of a block, unless one embedding is longer: 64 KiB. */
const BLOCK_BYTES = 1 << 16

/** The embeddings of lists of ids: float32 [n, dimensions], made row by row as it is read. */
function embeddingsTensor(pool: Pool, ids: EmbeddingIds, claim: Claim): NamedTensor {
  const { dimensions } = pool
  const most = Math.min(ids.count, Math.max(1, Math.floor(BLOCK_BYTES / (4 * dimensions))))
  async function* blocks(): AsyncGenerator<Uint8Array, void, void> {
    const block = new Float32Array(most * dimensions)
    for (let done = 0; done < ids.count; done += most) {
      const count = Math.min(most, ids.count - done)
      for (let row = 0; row < count; row++)
        block.set(await pooledEmbedding(pool, ids.at(done + row), claim), row * dimensions)
      yield new Uint8Array(block.buffer, 0, 4 * count * dimensions)
    }
  }
  return { name: 'embeddings', dtype: 'float32', shape: [ids.count, dimensions], blocks }
}
