import { z } from 'zod'
import { parse } from '../../options/parse.js'
import { positionSchemes } from './registry.js'
import type { PositionScheme } from './scheme.js'

type Schema = PositionScheme['schema']

const typeNames = positionSchemes.map(({ type }) => type).join(', ')

const flatObject = z
  .discriminatedUnion('type', positionSchemes.map(({ schema }) => schema) as [Schema, ...Schema[]], {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${typeNames}` : 'must be a type or an object',
  })
  .transform((value): PositionEmbeddingValue => value)

/** A parsed `position_embedding`: flat, every default filled in, snake_case as on the wire. */
export interface PositionEmbeddingValue {
  readonly type: string
  readonly [option: string]: unknown
}

/**
 * Parses the wire value: a type, or a flat object with options. `"rope"` and `{ "type": "rope" }` → `{ type:
 * 'rope', head_dim: 64, rope_theta: 10000, … }`. Issues have the paths of the flat object: `['head_dim']`,
 * `['scaling', 'factor']`, `['type']`; an unknown option is `unrecognized_keys`.
 */
export const positionEmbeddingSchema = z.preprocess(
  (value: string | { readonly type: string; readonly [option: string]: unknown }) =>
    typeof value === 'string' ? { type: value } : value,
  flatObject,
)

/** @throws InletError `invalid_request` with param `position_embedding`, `position_embedding.scaling.factor`, … */
export function readPositionEmbedding(wire: unknown): PositionEmbeddingValue {
  return parse(positionEmbeddingSchema, wire, ['position_embedding'])
}
