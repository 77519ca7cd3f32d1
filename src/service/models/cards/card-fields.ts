import { z } from 'zod'
import { CARD_DEFAULTS, CARD_OPTIONS } from '../../../first-layer/cards/card-json.js'
import { architectureSchema } from '../../request/fields/architecture.js'
import { shapeOf } from '../../request/fields/option-schemas.js'
import { positionEmbeddingSchema } from '../../request/fields/position-embedding.js'
import { seedField } from '../../request/fields/seed-field.js'

/** The fields of a card as JSON; they describe a model whose tables a seed draws. */
export const cardFields = {
  ...shapeOf(CARD_OPTIONS),
  seed: seedField.prefault(Number(CARD_DEFAULTS.seed)).describe(CARD_OPTIONS.seed.description),
  architecture: architectureSchema
    .default(CARD_DEFAULTS.architecture)
    .describe('What is done to the token rows, and the position scheme where none is given.'),
  position_embedding: positionEmbeddingSchema
    .optional()
    .describe('Position scheme. Default: the architecture’s.'),
} as const

/** A card as JSON: `{ "embedding_dim": 3, "vocab_size": 6 }`. Strict. */
export const cardSchema = z.strictObject(cardFields)
