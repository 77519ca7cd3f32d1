import { expect, test } from 'vitest'
import { CARD_DEFAULTS } from '../../../src/first-layer/cards/card-json.js'
import { specOf } from '../../../src/first-layer/cards/model-spec.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'

const card = seedCard('m', CARD_DEFAULTS)
const rope = { type: 'rope', head_dim: 8, rotary_dim: 8, rope_theta: 10_000, layout: 'half' }

test.each([
  ['without scaling, those of the config', 32_768, undefined, 32_768],
  ['not known to the config: not known', 0, undefined, 0],
  ['linear', 4096, { type: 'linear', factor: 2 }, 8192],
  [
    'of a config before the stretching',
    32_768,
    { factor: 4, original_max_position_embeddings: 32_768 },
    131_072,
  ],
  ['of a config after it', 131_072, { factor: 32, original_max_position_embeddings: 4096 }, 131_072],
  ['Llama 3.1', 131_072, { factor: 8, original_max_position_embeddings: 8192 }, 131_072],
])('positions that a model runs with: %s', (_, maxPositionEmbeddings, scaling, expected) => {
  const positionEmbedding = { ...rope, ...(scaling && { scaling }) }
  const spec = specOf({ ...card, maxPositionEmbeddings, positionEmbedding }, {} as Tokenizer)
  expect(spec.longestContext).toBe(expected)
})
