import { z } from 'zod'
import { architectureNames } from '../embeddings/architectures/registry.js'
import { positionEmbeddingSchema } from '../embeddings/positions/position-option.js'
import { parse } from '../options/parse.js'
import { count, name } from '../options/rules.js'
import { seedField } from '../options/seed.js'
import { ENCODING_NAMES } from '../tokens/encodings.js'

/** Smallest and largest value of each configurable size. */
export const SIZE_RANGES = {
  vocab_size: [1, 2 ** 31 - 1],
  embedding_dim: [1, 1_048_576],
  max_position_embeddings: [1, 2 ** 31 - 1],
  type_vocab_size: [1, 65_536],
} as const

/** Whether a shape is that of a table, [rows, width], within these ranges. */
export function isTableShape(shape: readonly number[], rows: keyof typeof SIZE_RANGES): boolean {
  const ranges = [SIZE_RANGES[rows], SIZE_RANGES.embedding_dim]
  return (
    shape.length === 2 && ranges.every(([least, most], axis) => shape[axis] >= least && shape[axis] <= most)
  )
}

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

const size = (field: keyof typeof SIZE_RANGES) => count(SIZE_RANGES[field][1])

export const architectureOption = name(architectureNames)

/** The fields of a card as JSON; they describe a model whose tables a seed draws. */
export const cardFields = {
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
  seed: seedField
    .prefault(Number(CARD_DEFAULTS.seed))
    .describe('`torch.manual_seed` before the tables are drawn, −2^63 … 2^64 − 1.'),
  init_std: z
    .number()
    .gt(0)
    .max(MAX_INIT_STD)
    .default(CARD_DEFAULTS.init_std)
    .describe('Standard deviation of the tables; 1 is `nn.Embedding`’s own.'),
  architecture: architectureOption
    .default(CARD_DEFAULTS.architecture)
    .describe('What is done to the token rows, and the position scheme where none is given.'),
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the architecture’s.'),
} as const

/** A card as JSON, as `models/tiny/inlet.json`: `{ "embedding_dim": 3, "vocab_size": 6 }`. Strict. */
export const cardSchema = z.strictObject(cardFields)

/** The fields of a card, named as in its JSON, with their defaults filled in. */
export type CardFields = z.output<typeof cardSchema>

/**
 * Reads a card's JSON, defaults filled in. `embedding_dim` has none.
 *
 * @throws InletError `invalid_request` for an unknown field, one that is missing, or a value out of its range
 */
export function readCard(json: unknown): CardFields {
  return parse(cardSchema, json)
}
