import { base64, base64Length } from '../../first-layer/formats/base64.js'
import { FLOAT_BYTES, listOf, nestedArrays, type Part, part } from '../../first-layer/formats/json.js'
import type { VectorDtype, VectorNumbers } from '../../first-layer/pooling/quantized.js'
import type { Blocks } from '../../first-layer/tensors/blocks.js'

/** Bytes that `size` counts for a number of 8 bits that is not written yet, its comma included. */
const BYTE_BYTES = 5

/** How an embedding's numbers are sent: as an array, or as one string of their bytes in base64, little-endian. */
export interface VectorForm {
  readonly dtype: VectorDtype
  readonly isBase64: boolean
  /** Numbers of each as it is stored. */
  readonly length: number
}

/**
 * `data` of the answer of `/v1/embeddings`, whose embeddings are made one after the other as it is sent:
 * `[{"object":"embedding","index":0,"embedding":[0.6,0.8]}]`.
 * @param vector gives embedding i, good until the next one is asked for
 */
export function embeddingList(
  form: VectorForm,
  count: number,
  vector: (i: number) => Promise<VectorNumbers>,
) {
  return Array.from({ length: count }, (_, index) => {
    const text = async function* () {
      yield* numbers(await vector(index), form.isBase64).text()
    }
    return { object: 'embedding', index, embedding: part(vectorBytes(form), text) }
  })
}

/** Bytes of one embedding, with its quotes or brackets; of numbers an estimate. */
export function vectorBytes({ dtype, isBase64, length }: VectorForm): number {
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
