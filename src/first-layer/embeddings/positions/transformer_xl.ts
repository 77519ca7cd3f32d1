import { z } from 'zod'
import { count, MAX_POSITIONS, MAX_WIDTH } from '../../options/rules.js'
import { tableSeed } from '../../options/seed.js'
import { defineScheme, numbers, preparedTensor, refuse } from './scheme.js'
import { doubleAngle, fillSinusoids } from './sinusoids.js'

/** A constant in the paper and in the original code. */
const BASE = 10_000

const options = z.strictObject({
  num_heads: count(MAX_WIDTH).default(8).describe('Number of attention heads H; divides embedding_dim.'),
  memory_length: z
    .int()
    .min(0)
    .max(MAX_POSITIONS)
    .optional()
    .describe('M: cached positions before the window. Absent: position_offset.'),
  clamp_length: z
    .int()
    .min(-1)
    .max(MAX_POSITIONS)
    .default(-1)
    .describe('Distances above it count as it. −1 (or 0): none.'),
  seed: tableSeed(),
})

/**
 * Transformer-XL: `relative_position_embeddings` R [M+T, C], a row of sines and then cosines for each distance
 * M+T−1 … 0, and the two biases that stand in for the query's position: `content_bias` u and
 * `position_bias_vector` v [H, C/H]. Score: (q+u)·k + rel_shift((q+v)·(R W)). T = 2: rows for 1, then 0, and
 * the row for 0 is `0 … 0 1 … 1`.
 *
 * Dai et al. 2019, §3.3; `PositionalEmbedding` of transformers. Sinusoids in double, rounded once; draws u, then v, as
 * `randn(H, C/H)`. The projection W and the shift belong to the attention.
 */
export const transformerXl = defineScheme({
  type: 'transformer_xl',
  options,
  picture: [
    'A sinusoid of the distance, from a memory of earlier tokens to the window’s own.',
    'relative_position_embeddings',
  ],
  tensorDocs: {
    relative_position_embeddings: ['[M + T, C]', 'Sinusoids of the distances M + T − 1 … 0.'],
    content_bias: ['[H, C/H]', 'The vector u.'],
    position_bias_vector: ['[H, C/H]', 'The vector v.'],
  },
  check({ num_heads }, { embeddingDim }) {
    if (embeddingDim % 2 !== 0)
      return refuse('type', `needs an even embedding_dim, not ${embeddingDim}`, 'transformer_xl')
    if (embeddingDim % num_heads !== 0)
      return refuse('num_heads', `must divide embedding_dim ${embeddingDim}`, num_heads)
    return undefined
  },
  parameters: ({ num_heads }, embeddingDim) => ({
    content_bias: [num_heads, embeddingDim / num_heads],
    position_bias_vector: [num_heads, embeddingDim / num_heads],
  }),
  tensors({ num_heads, memory_length, clamp_length }, { length, offset, embeddingDim }, tables) {
    const keys = (memory_length ?? offset) + length
    const clamp = clamp_length > 0 ? clamp_length : Infinity
    // As reciprocals, like `inv_freq` of the original code.
    const frequencies = numbers(embeddingDim / 2, (i) => 1 / BASE ** ((2 * i) / embeddingDim))
    const vector = [num_heads, embeddingDim / num_heads] // [H, C/H]
    return [
      {
        name: 'relative_position_embeddings',
        dtype: 'float32',
        shape: [keys, embeddingDim], // [M+T, C]
        fill: fillSinusoids({
          width: embeddingDim,
          layout: 'concatenated',
          angle: doubleAngle(frequencies),
          positionOf: (row) => Math.min(keys - 1 - row, clamp),
        }),
      },
      preparedTensor('content_bias', vector, tables.content_bias),
      preparedTensor('position_bias_vector', vector, tables.position_bias_vector),
    ]
  },
})
