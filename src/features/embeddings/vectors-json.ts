import type { VectorDtype, VectorNumbers } from '../../first-layer/pooling/quantized.js'
import type { Blocks, Steps } from '../../first-layer/steps.js'
import { base64Length, writeBase64 } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { texts, writeNumbers } from '../../service/answer/number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
const BYTE_BYTES = 5
/** Numbers written at a time: whole groups of three bytes. */
const PART = 3 << 10
const BLOCK_BYTES = 1 << 16

const COMMA = 0x2c

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
  vector(i: number): Steps<VectorNumbers>
}

interface EmbeddingsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly promptTokens: number
}

const OPENING = '{"object":"list","data":['
const before = (i: number) => `${i === 0 ? '' : ','}{"object":"embedding","index":${i},"embedding":`

/**
 * The answer of `/v1/embeddings`, whose embeddings are made one after the other as it is sent:
 * `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"model":"tiny","model_version":"1",
 * "usage":{"prompt_tokens":2,"total_tokens":2}}`.
 */
export function embeddingsJson(frame: EmbeddingsFrame, list: VectorList): EncodedAnswer {
  const { model, modelVersion, promptTokens } = frame
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  const ofBytes = list.dtype === 'float' ? {} : { output_dtype: list.dtype }
  const facts = JSON.stringify({ model, model_version: modelVersion, ...ofBytes, usage })
  const closing = Buffer.from(`],${facts.slice(1)}`)
  const size = OPENING.length + vectorsBytes(list) + closing.length
  return { size, exact: list.isBase64, headers: {}, body: body(list, closing) }
}

/** Bytes of a list; of numbers an estimate. */
export function vectorsBytes({ count, dtype, isBase64, length }: Omit<VectorList, 'vector'>): number {
  const isFloat = dtype === 'float'
  const numbers = isBase64
    ? base64Length((isFloat ? 4 : 1) * length)
    : (isFloat ? FLOAT_BYTES : BYTE_BYTES) * length
  let bytes = count * (numbers + '[]}'.length)
  for (let i = 0; i < count; i++) bytes += before(i).length
  return bytes
}

function* body(list: VectorList, closing: Buffer): Blocks {
  const text = texts.take()
  const [open, close] = list.isBase64 ? ['"', '"}'] : ['[', ']}']
  let end = text.write(OPENING) // the end of the unsent text
  try {
    for (let i = 0; i < list.count; i++) {
      const row = yield* list.vector(i)
      end += text.write(before(i) + open, end, 'latin1')
      for (let from = 0; from < row.length; from += PART) {
        if (from > 0 && !list.isBase64) text[end++] = COMMA
        end = writePart(text, end, row.subarray(from, from + PART), list.isBase64)
        if (end < BLOCK_BYTES) continue
        yield text.subarray(0, end)
        end = 0
      }
      end += text.write(close, end, 'latin1')
    }
    end += closing.copy(text, end)
    yield text.subarray(0, end)
  } finally {
    texts.give(text)
  }
}

/** Writes numbers to `text` from `at` on; returns where they end. */
function writePart(text: Buffer, at: number, part: VectorNumbers, isBase64: boolean): number {
  const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength)
  if (isBase64) return writeBase64(text, at, bytes)
  if (!(part instanceof Float32Array)) return at + text.write(part.join(), at, 'latin1')
  return writeNumbers(text, at, bytes, 'float32', part.length)
}
