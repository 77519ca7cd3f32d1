import { embeddingsRequest } from '../../../features/embeddings/schemas.js'
import { neighborsRequest } from '../../../features/neighbors/schemas.js'
import { positionQuery } from '../../../features/positions/schemas.js'
import { promptEmbedsRequest } from '../../../features/prompt-embeds/schemas.js'
import { detokenizeRequest, tokenizeRequest } from '../../../features/tokenize/schemas.js'
import { embeddingRequest } from '../../request/fields/embedding-request.js'

const REQUESTS = [
  ...[embeddingRequest, tokenizeRequest, detokenizeRequest, neighborsRequest],
  ...[embeddingsRequest, promptEmbedsRequest, positionQuery],
]
const FIELDS: ReadonlySet<string> = new Set(REQUESTS.flatMap(({ shape }) => Object.keys(shape)))

/**
 * The part of an error's `param` that may stand in the log: `text.1.5` → `text.1.5`, `position_embedding.x` →
 * `position_embedding`. A name that no request has is the caller's own text, of which the log holds none.
 */
export function loggedParam(param: string | null): string | undefined {
  const [field = '', ...path] = (param ?? '').split('.')
  if (!FIELDS.has(field)) return undefined
  return path.every((part) => /^\d{1,9}$/.test(part)) ? [field, ...path].join('.') : field
}
