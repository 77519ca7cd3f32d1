import { architectureNames } from '../embeddings/architectures/registry.js'
import { readPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { InletError, quoted, shown } from '../errors.js'
import { parseSeed, SEED_RANGE } from '../random/seed.js'
import { ENCODING_NAMES } from '../tokens/encodings.js'
import type { CardJson } from './card-json.js'
import type { CardFields } from './seed-card.js'
import { CARD_DEFAULTS, MAX_INIT_STD, SIZE_RANGES } from './sizes.js'

const NAMES = [...Object.keys(CARD_DEFAULTS), 'vocab_size', 'position_embedding']

/**
 * Reads a card's JSON, defaults filled in.
 *
 * @throws InletError `invalid_request` for an unknown field, or a value out of its range
 */
export function readCard(json: CardJson): CardFields {
  const given = json as Readonly<Record<string, unknown>>
  for (const name of Object.keys(given))
    if (!NAMES.includes(name)) refuse(name, 'is no field of a card', given)
  const { encoding, architecture, init_std, ...defaults } = { ...CARD_DEFAULTS, ...json }
  if (!ENCODING_NAMES.includes(encoding))
    refuse('encoding', `must be one of ${ENCODING_NAMES.join(', ')}`, given)
  if (!architectureNames.includes(architecture)) {
    refuse('architecture', `must be one of ${architectureNames.join(', ')}`, given)
  }
  if (!(init_std > 0 && init_std <= MAX_INIT_STD)) {
    refuse('init_std', `must be above 0 and at most ${MAX_INIT_STD}`, given)
  }
  for (const [name, [least, most]] of Object.entries(SIZE_RANGES)) {
    const size = given[name]
    const isSize = Number.isInteger(size) && (size as number) >= least && (size as number) <= most
    if (size !== undefined && !isSize) refuse(name, `must be an integer from ${least} to ${most}`, given)
  }
  const seed = parseSeed(typeof defaults.seed === 'bigint' ? String(defaults.seed) : defaults.seed)
  if (seed === undefined) return refuse('seed', `must be an integer ${SEED_RANGE}`, given)
  const position = json.position_embedding
  return {
    ...{ encoding, architecture, init_std, seed },
    vocab_size: json.vocab_size,
    embedding_dim: defaults.embedding_dim,
    max_position_embeddings: defaults.max_position_embeddings,
    type_vocab_size: defaults.type_vocab_size,
    ...(position !== undefined && { position_embedding: readPositionEmbedding(position) }),
  }
}

function refuse(name: string, rule: string, given: Readonly<Record<string, unknown>>): never {
  throw new InletError('invalid_request', `${quoted(name)} ${rule}. Given: ${shown(given[name])}`, name)
}
