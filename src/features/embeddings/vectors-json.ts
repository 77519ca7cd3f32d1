import { base64, base64Length } from '../../first-layer/formats/base64.js'
import type { Encoded } from '../../first-layer/formats/formats.js'
import { jsonAnswer, listOf, type Part, part } from '../../first-layer/formats/json-parts.js'
import { FLOAT_BYTES, nestedArrays } from '../../first-layer/formats/number-text.js'
import type { VectorDtype, VectorNumbers } from '../../first-layer/pooling/quantized.js'
import type { Blocks } from '../../first-layer/tensors/blocks.js'

/** Bytes that `size` counts for a number of 8 bits that is not written yet, its comma included. */
const BYTE_BYTES = 5

/** How an embedding's numbers are sent: as an array, or as one string of their bytes in base64, little-endian. */
export interface VectorForm {
  readonly dtype: VectorDtype
  readonly isBase64: boolean
}

/** Embeddings that stand in an answer one after the other. They are made as it is sent. */
export interface VectorList extends VectorForm {
  readonly count: number
  /** Numbers of each as it is stored. */
  readonly length: number
  /** Embedding i, good until the next one is asked for. */
  vector(i: number): Promise<VectorNumbers>
}

interface EmbeddingsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly promptTokens: number
}

/**
 * The answer of `/v1/embeddings`, whose embeddings are made one after the other as it is sent:
 * `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"model":"tiny","model_version":"1",
 * "usage":{"prompt_tokens":2,"total_tokens":2}}`.
 */
export function embeddingsJson(frame: EmbeddingsFrame, list: VectorList): Encoded {
  const { model, modelVersion, promptTokens } = frame
  const embedding = (index: number) =>
    part(vectorBytes(list), async function* () {
      yield* numbers(await list.vector(index), list.isBase64).text()
    })
  const data = Array.from({ length: list.count }, (_, index) => {
    return { object: 'embedding', index, embedding: embedding(index) }
  })
  const value = {
    ...{ object: 'list', data, model, model_version: modelVersion },
    output_dtype: list.dtype === 'float' ? undefined : list.dtype,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  }
  return jsonAnswer(value, list.isBase64)
}

/** Bytes of one embedding, with its quotes or brackets; of numbers an estimate. */
export function vectorBytes({ dtype, isBase64, length }: VectorForm & { readonly length: number }): number {
  const isFloat = dtype === 'float'
  if (isBase64) return base64Length((isFloat ? 4 : 1) * length) + 2
  return (isFloat ? FLOAT_BYTES : BYTE_BYTES) * length + 2
}

function numbers(row: VectorNumbers, isBase64: boolean): Part {
  const blocks = (): Blocks => [new Uint8Array(row.buffer, row.byteOffset, row.byteLength)]
  if (isBase64) return base64({ blocks }, row.byteLength)
  if (!(row instanceof Float32Array)) return listOf([row.join()])
  return nestedArrays({ name: '', dtype: 'float32', shape: [row.length], blocks })
}
