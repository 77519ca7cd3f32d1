import { readPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { InletError, shown } from '../errors.js'
import { readOptions } from '../options.js'
import { parseSeed } from '../random/seed.js'
import { CARD_OPTIONS } from './card-options.js'
import type { CardFields } from './seed-card.js'

/**
 * Reads a card's JSON, defaults filled in. `embedding_dim` has none.
 *
 * @throws InletError `invalid_request` for an unknown field, one that is missing, or a value out of its range
 */
export function readCard(json: unknown): CardFields {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new InletError('invalid_request', `The card must be an object. Given: ${shown(json)}`)
  }
  const { position_embedding: position, ...given } = json as Readonly<Record<string, unknown>>
  const seed = typeof given.seed === 'bigint' ? String(given.seed) : given.seed
  const fields = readOptions(CARD_OPTIONS, { ...given, ...(seed !== undefined && { seed }) })
  return {
    ...fields,
    seed: parseSeed(fields.seed)!,
    ...(position !== undefined && { position_embedding: readPositionEmbedding(position) }),
  }
}
