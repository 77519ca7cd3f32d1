import { architectureNames } from '../embeddings/architectures/registry.js'
import { count, name, type Option, positive, seed } from '../options.js'
import { ENCODING_NAMES } from '../tokens/encodings.js'
import { CARD_DEFAULTS, MAX_INIT_STD, SIZE_RANGES } from './sizes.js'

const size = (field: keyof typeof SIZE_RANGES): Option<number> => count(SIZE_RANGES[field][1])

/** The fields of a card as JSON, but for `position_embedding`, which the position schemes describe. */
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
