import type { EncodedAnswer } from './formats/format.js'
import type { CohereType } from './schemas/cohere-embed.js'
import { type VectorForm, type VectorList, vectorsJson } from './vectors-json.js'

/** The text around each embedding of `/v2/embed`. */
export const COHERE_TEXT: Pick<VectorList, 'before' | 'after'> = {
  before: (i) => (i === 0 ? '' : ','),
  after: '',
}

/** The form that one of Cohere's types names. */
export function cohereForm(type: CohereType): VectorForm {
  return type === 'base64' ? { dtype: 'float', isBase64: true } : { dtype: type, isBase64: false }
}

/**
 * The answer of `/v2/embed`: `{"id":"7","embeddings":{"float":[[0.6,0.8]]},"meta":{"api_version":{"version":"2"},
 * "billed_units":{"input_tokens":2}},"response_type":"embeddings_by_type"}`. Each type's embeddings are made as they are
 * sent, once for each type.
 */
export function cohereEmbedJson(
  id: string,
  numTokens: number,
  lists: readonly (readonly [CohereType, VectorList])[],
): EncodedAnswer {
  const meta = { api_version: { version: '2' }, billed_units: { input_tokens: numTokens } }
  const after = JSON.stringify({ meta, response_type: 'embeddings_by_type' }).slice(1)
  const before = `{"id":${JSON.stringify(id)},"embeddings":{`
  const parts = lists.flatMap(([type, list], i) => [
    `${i === 0 ? before : ','}${JSON.stringify(type)}:[`,
    list,
    ']',
  ])
  return vectorsJson([...parts, `},${after}`])
}
