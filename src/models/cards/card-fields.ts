import { z } from 'zod'
import { CARD_DEFAULTS, MAX_INIT_STD, SIZE_RANGES } from '../../first-layer/cards/sizes.js'
import { ENCODING_NAMES } from '../../first-layer/tokens/encodings.js'
import { architectureSchema } from '../../wire/schemas/architecture.js'
import { positionEmbeddingSchema } from '../../wire/schemas/position-embedding.js'
import { seedField } from '../../wire/schemas/seed-field.js'

const size = (name: keyof typeof SIZE_RANGES) => z.int().min(SIZE_RANGES[name][0]).max(SIZE_RANGES[name][1])

/** The fields of a card as JSON; they describe a model whose tables a seed draws. */
export const cardFields = {
  encoding: z
    .enum(ENCODING_NAMES, { error: `must be one of ${ENCODING_NAMES.join(', ')}` })
    .default(CARD_DEFAULTS.encoding)
    .describe('Tokenizer.'),
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
  seed: seedField
    .prefault(Number(CARD_DEFAULTS.seed))
    .describe('`torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1.'),
  init_std: z
    .number()
    .positive()
    .max(MAX_INIT_STD)
    .default(CARD_DEFAULTS.init_std)
    .describe('Standard deviation of the tables; 1 is `nn.Embedding`’s own.'),
  architecture: architectureSchema.default(CARD_DEFAULTS.architecture),
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the architecture’s.'),
} as const

/** A card as JSON: `{ "embedding_dim": 3, "vocab_size": 6 }`. Strict. */
export const cardSchema = z.strictObject(cardFields)
