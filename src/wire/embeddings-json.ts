import type { Blocks, Steps } from '../first-layer/steps.js'
import { base64Length, writeBase64 } from './base64.js'
import type { EncodedAnswer, EncodingFormat } from './formats/format.js'
import { numberText } from './number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
/** Numbers written at a time: whole groups of three bytes. */
const PART = 3 << 10
/** Bytes of text beyond which it is sent. */
const BLOCK_BYTES = 1 << 16

const COMMA = 0x2c
const BEFORE = '{"object":"list","data":['

/** The text around the embeddings, and their form. */
export interface EmbeddingsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly promptTokens: number
  /** How many embeddings, and how many numbers each has. */
  readonly count: number
  readonly dimensions: number
  readonly encodingFormat: EncodingFormat
}

/**
 * The answer of `/v1/embeddings`, whose embeddings are made one after the other as it is sent:
 * `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"model":"tiny","model_version":"1",
 * "usage":{"prompt_tokens":2,"total_tokens":2}}`.
 *
 * @param embedding makes embedding i, float32 [dimensions], good until the next one is asked for
 */
export function embeddingsJson(
  frame: EmbeddingsFrame,
  embedding: (i: number) => Steps<Float32Array>,
): EncodedAnswer {
  const { model, modelVersion, promptTokens, encodingFormat } = frame
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  const after = `],${JSON.stringify({ model, model_version: modelVersion, usage }).slice(1)}`
  return {
    size: BEFORE.length + embeddingsBytes(frame) + Buffer.byteLength(after),
    exact: encodingFormat === 'base64',
    headers: {},
    body: body(frame, embedding, after),
  }
}

/** Bytes of all elements of `data`; of floats an estimate. */
export function embeddingsBytes({
  count,
  dimensions,
  encodingFormat,
}: Pick<EmbeddingsFrame, 'count' | 'dimensions' | 'encodingFormat'>): number {
  const numbers = encodingFormat === 'base64' ? base64Length(4 * dimensions) : FLOAT_BYTES * dimensions
  let bytes = count * numbers
  for (let i = 0; i < count; i++) bytes += opening(i, encodingFormat).length + closing(encodingFormat).length
  return bytes
}

function opening(i: number, encodingFormat: EncodingFormat): string {
  const bracket = encodingFormat === 'base64' ? '"' : '['
  return `${i === 0 ? '' : ','}{"object":"embedding","index":${i},"embedding":${bracket}`
}

function closing(encodingFormat: EncodingFormat): string {
  return encodingFormat === 'base64' ? '"}' : ']}'
}

function* body(
  { count, encodingFormat }: EmbeddingsFrame,
  embedding: (i: number) => Steps<Float32Array>,
  after: string,
): Blocks {
  const numbers = numberText()
  const bytes = numbers.take(1)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    let at = text.write(BEFORE, 'latin1')
    for (let i = 0; i < count; i++) {
      const row = yield* embedding(i)
      at += text.write(opening(i, encodingFormat), at, 'latin1')
      for (let from = 0; from < row.length; from += PART) {
        const part = row.subarray(from, from + PART)
        const partBytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
        if (encodingFormat === 'base64') at = writeBase64(bytes, at, partBytes)
        else {
          if (from > 0) text[at++] = COMMA
          at = numbers.write(bytes, at, partBytes, 'float32', part.length)
        }
        if (at < BLOCK_BYTES) continue
        yield text.subarray(0, at)
        at = 0
      }
      at += text.write(closing(encodingFormat), at, 'latin1')
    }
    yield text.subarray(0, at)
    yield Buffer.from(after)
  } finally {
    numbers.give(bytes)
  }
}
