import type { EncodedAnswer } from './formats/format.js'
import { type VectorList, vectorsJson } from './vectors-json.js'

/** The text around the embeddings. */
export interface EmbeddingsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly promptTokens: number
}

/** The text around each embedding of `/v1/embeddings`. */
export const EMBEDDING_TEXT: Pick<VectorList, 'before' | 'after'> = {
  before: (i) => `${i === 0 ? '' : ','}{"object":"embedding","index":${i},"embedding":`,
  after: '}',
}

/**
 * The answer of `/v1/embeddings`, whose embeddings are made one after the other as it is sent:
 * `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"model":"tiny","model_version":"1",
 * "usage":{"prompt_tokens":2,"total_tokens":2}}`.
 */
export function embeddingsJson(frame: EmbeddingsFrame, embeddings: VectorList): EncodedAnswer {
  const { model, modelVersion, promptTokens } = frame
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens }
  const { dtype } = embeddings
  const ofBytes = dtype === 'float' ? {} : { output_dtype: dtype }
  const after = JSON.stringify({ model, model_version: modelVersion, ...ofBytes, usage }).slice(1)
  return vectorsJson(['{"object":"list","data":[', embeddings, `],${after}`])
}
