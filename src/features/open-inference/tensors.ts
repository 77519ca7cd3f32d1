import { z } from 'zod'
import { inferenceOptions } from '../../checkpoints/embedding-request.js'
import type { Answer } from '../../first-layer/answer.js'
import { embed } from '../../first-layer/embed.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { InletError, invalidField, quoted, shown } from '../../first-layer/errors.js'
import type { Given, GivenTexts } from '../../first-layer/given.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import type { Dtype, NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { IdLists } from '../../first-layer/windows/id-lists.js'
import type { Claim } from '../../service/process/turn.js'
import { edgeOf } from '../../service/request/claims.js'
import {
  askedDimensions,
  EmbeddingIds,
  pooledDocuments,
  pooledEmbedding,
} from '../../service/request/documents/embedding-ids.js'
import { DATATYPES } from './answer.js'
import { type AskedInference, parametersReader } from './request.js'

const readOptions = parametersReader(inferenceOptions)
const readPooled = parametersReader(z.strictObject({ dimensions: z.int().min(1).optional() }))

/**
 * The tensors that an inference request asks for, declared.
 *
 * @param told called with the tokens when their ids are there, and the milliseconds that they took
 * @throws InletError as `POST /v1/input-embeddings`; `invalid_request` for 16-bit floats as JSON
 */
export function inputTensors(
  model: Model,
  { options, inputs, outputs, isBinary }: AskedInference,
  claim: Claim,
  told: (tokens: number, milliseconds: number) => void,
): Promise<Answer> {
  /** The protocol has no form for 16-bit floats in JSON. */
  const refuses = ({ name, dtype }: Pick<NamedTensor, 'name' | 'dtype'>) => {
    const i = outputs?.findIndex((output) => output.name === name) ?? -1
    if (!HALVES.includes(dtype) || (outputs?.[i]?.isBinary ?? isBinary)) return undefined
    const field = i < 0 ? 'parameters.binary_data_output' : `outputs.${i}.parameters.binary_data`
    const how = 'via JSON is not supported. Please use the binary data format.'
    const message = `${quoted(field)} must be true: sending ${DATATYPES[dtype]} ${how}`
    throw new InletError('invalid_request', message, field)
  }
  const asked = { ...readOptions(options), outputs: outputs?.map(({ name }) => name) }
  return embed(model, inputs.given, asked, {
    format: { single: false, refuses },
    tokenTypes: inputs.tokenTypes,
    edge: edgeOf(claim, ({ totalTokens }, milliseconds) => told(totalTokens, milliseconds)),
  })
}

const HALVES: readonly Dtype[] = ['float16', 'bfloat16']

/**
 * A static model's answer: one embedding for each text, or for each row of ids.
 *
 * @param told as of {@link inputTensors}
 * @throws InletError as `POST /v1/embeddings`
 */
export async function pooledTensors(
  model: Model,
  pooling: Pooling,
  asked: AskedInference,
  claim: Claim,
  told: (tokens: number, milliseconds: number) => void,
): Promise<Answer> {
  const { id } = model.spec
  const { dimensions } = readPooled(asked.options)
  askedDimensions(model.spec, pooling, dimensions, 'parameters.dimensions')
  const other = asked.outputs?.find(({ name }) => name !== 'embeddings')
  if (other !== undefined) {
    const message = `\`outputs\` must be among what a static model gives: embeddings. Given: ${shown(other.name)}`
    throw new InletError('unsupported_combination', message, 'outputs')
  }
  if (asked.inputs.tokenTypes)
    throw invalidField('inputs', 'must have no token types for a static model', 'token_type_ids')
  const given = await gathered(asked.inputs.given, claim)
  const started = performance.now()
  const ids = new EmbeddingIds(await pooledDocuments(model, pooling, given, undefined, claim), pooling)
  const numTokens = ids.total
  told(numTokens, performance.now() - started)
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
