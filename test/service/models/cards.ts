import { cardSchema } from '../../../src/first-layer/cards/card-json.js'
import type { ModelCard } from '../../../src/first-layer/cards/model-card.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'

/** The card of a small model: V 8, C 4, P 2 unless `fields` say otherwise. Its tables take 160 bytes. */
export function cardOf(id: string, fields: object = {}): ModelCard {
  return seedCard(
    id,
    cardSchema.parse({ embedding_dim: 4, vocab_size: 8, max_position_embeddings: 2, ...fields }),
  )
}
