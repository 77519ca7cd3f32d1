import { z } from 'zod'
import type { PositionEmbeddingValue } from '../../../first-layer/embeddings/positions/position-embedding.js'
import { positionSchemes } from '../../../first-layer/embeddings/positions/registry.js'
import { objectsOf } from './option-schemas.js'

const typeNames = positionSchemes.map(({ type }) => type)

const flatObject = z
  .discriminatedUnion('type', objectsOf(positionSchemes.map(({ type, options }) => [type, options])), {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${typeNames.join(', ')}` : 'must be a type or an object',
  })
  .transform((value) => value as PositionEmbeddingValue)

/**
 * Parses the wire value: a type, or a flat object with options. `"rope"` and `{ "type": "rope" }` → `{ type:
 * 'rope', head_dim: 64, rope_theta: 10000, … }`. Issues have the paths of the flat object: `['head_dim']`,
 * `['scaling', 'factor']`, `['type']`; an unknown option is `unrecognized_keys`.
 */
export const positionEmbeddingSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  flatObject,
)
