import { architectureNames } from '../embeddings/architectures/registry.js'
import {
  type PositionEmbeddingValue,
  readPositionEmbedding,
} from '../embeddings/positions/position-embedding.js'
import { InletError, shown } from '../errors.js'
import { count, name, type Option, type OptionValues, positive, readOptions, seed } from '../options.js'
import { parseSeed } from '../random/seed.js'
import { ENCODING_NAMES, type EncodingName } from '../tokens/encodings.js'

/** Smallest and largest value of each configurable size. */
export const SIZE_RANGES = {
  vocab_size: [1, 2 ** 31 - 1],
  embedding_dim: [1, 1_048_576],
  max_position_embeddings: [1, 2 ** 31 - 1],
  type_vocab_size: [1, 65_536],
} as const

/** Greatest standard deviation of drawn tables. */
export const MAX_INIT_STD = 1e6

/** Defaults of a card's fields; that of `embedding_dim` is for models without a card file: the environment's, and scripts'. */
export const CARD_DEFAULTS = {
  encoding: 'gpt2',
  embedding_dim: 256,
  max_position_embeddings: 1024,
  type_vocab_size: 2,
  seed: 123n,
  init_std: 1,
  architecture: 'gpt2',
} as const

/** A card as JSON, as `models/tiny/inlet.json`: `{ "vocab_size": 6, "embedding_dim": 3 }`. */
export interface CardJson {
  /** The tokenizer. Default: `gpt2`. */
  readonly encoding?: EncodingName
  /** V, rows of the token table. Default: the encoding's highest id + 1. */
  readonly vocab_size?: number
  /** C, elements of a row. Default: 256. */
  readonly embedding_dim?: number
  /** P, rows of the learned position table. Default: 1024. */
  readonly max_position_embeddings?: number
  /** Rows of the token-type table. Default: 2. */
  readonly type_vocab_size?: number
  /** `torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1. Default: 123. */
  readonly seed?: number | bigint | string
  /** Standard deviation of the tables. Default: 1, `nn.Embedding`'s own. */
  readonly init_std?: number
  /** Default: `gpt2`. */
  readonly architecture?: string
  /** A scheme's type, or an object with its options. Default: the architecture's own. */
  readonly position_embedding?: string | { readonly type: string; readonly [option: string]: unknown }
}

/** The fields of a card, named as in its JSON, with their defaults filled in. */
export interface CardFields extends Omit<OptionValues<typeof CARD_OPTIONS>, 'seed'> {
  readonly seed: bigint
  /** Default: the architecture's. */
  readonly position_embedding?: PositionEmbeddingValue | undefined
}

/**
 * Reads a card's JSON, defaults filled in. `embedding_dim` has none.
 *
 * @throws InletError `invalid_request` for an unknown field, one that is missing, or a value out of its range
 */
export function readCard(json: unknown): CardFields {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new InletError('invalid_request', `The card must be an object. Given: ${shown(json)}`)
  const { position_embedding: position, ...given } = json as Readonly<Record<string, unknown>>
  const seed = typeof given.seed === 'bigint' ? String(given.seed) : given.seed
  const fields = readOptions(CARD_OPTIONS, { ...given, ...(seed !== undefined && { seed }) })
  return {
    ...fields,
    seed: parseSeed(fields.seed)!,
    ...(position !== undefined && { position_embedding: readPositionEmbedding(position) }),
  }
}

const size = (field: keyof typeof SIZE_RANGES): Option<number> => count(SIZE_RANGES[field][1])

/** The fields of a card as JSON, except `position_embedding`, which the position schemes describe. */
export const CARD_OPTIONS = {
  encoding: name(ENCODING_NAMES).default(CARD_DEFAULTS.encoding).describe('Tokenizer.'),
  vocab_size: size('vocab_size')
    .optional()
    .describe(
      'Rows of the token table, V. Default: the encoding’s highest id + 1. Ids beyond it are refused.',
    ),
  embedding_dim: size('embedding_dim').describe('Width of a row, C, in elements.'),
  max_position_embeddings: size('max_position_embeddings')
    .default(CARD_DEFAULTS.max_position_embeddings)
    .describe('Rows of the learned position table, P.'),
  type_vocab_size: size('type_vocab_size')
    .default(CARD_DEFAULTS.type_vocab_size)
    .describe('Rows of the token-type table (BERT’s).'),
  seed: seed()
    .default(Number(CARD_DEFAULTS.seed))
    .describe('`torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1.'),
  init_std: positive(MAX_INIT_STD)
    .default(CARD_DEFAULTS.init_std)
    .describe('Standard deviation of the tables; 1 is `nn.Embedding`’s own.'),
  architecture: name(architectureNames).default(CARD_DEFAULTS.architecture),
} as const
