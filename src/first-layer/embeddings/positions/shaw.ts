import { z } from 'zod'
import { count, headDim, keyLength, MAX_POSITIONS } from '../../options/rules.js'
import { tableSeed } from '../../options/seed.js'
import { byDistance, copy, fillByDistance } from './distance-matrix.js'
import { checkDrawn } from './drawn-tables.js'
import type { Prepared } from './scheme.js'
import { type ComputedTensor, defineScheme } from './scheme.js'

const options = z.strictObject({
  max_relative_position: count(MAX_POSITIONS)
    .default(16)
    .describe('k: distances beyond ±k share the outermost rows; a table has 2k+1.'),
  head_dim: headDim(),
  key_length: keyLength(),
  seed: tableSeed(),
})

/**
 * Relative position representations: `relative_position_index` [T, K] = clip(key − query, −k, k) + k, and its
 * rows in two tables `nn.Embedding(2k+1, D)`: `relative_key_embeddings` and `relative_value_embeddings`
 * [T, K, D]. k = 2, T = 4: the first row of the index is `2 3 4 4`.
 *
 * Shaw, Uszkoreit, Vaswani 2018, eq. 3–5. Drawn from one stream, keys' table first. All heads share the tables; nothing
 * is added to the token rows.
 */
export const shaw = defineScheme({
  type: 'shaw',
  options,
  picture: [
    'A learned vector for each distance, the same for all distances beyond a bound. Drawn is which one each pair of tokens takes.',
    'relative_position_index',
  ],
  tensorDocs: {
    relative_position_index: ['[T, K]', 'The row of the two tables for each distance.'],
    relative_key_embeddings: ['[T, K, D]', 'Rows of the keys’ table.'],
    relative_value_embeddings: ['[T, K, D]', 'Rows of the values’ table.'],
  },
  check({ max_relative_position: k, head_dim }) {
    return checkDrawn('max_relative_position', k, 2 * (2 * k + 1) * head_dim)
  },
  parameters: ({ max_relative_position: k, head_dim }) => ({
    relative_keys: [2 * k + 1, head_dim],
    relative_values: [2 * k + 1, head_dim],
  }),
  tensors({ max_relative_position: k, head_dim, key_length }, { length, offset }, tables) {
    const keys = key_length ?? offset + length
    const matrix = { queries: length, keys, firstQuery: offset }
    const indexOf = (distance: number) => Math.min(Math.max(distance, -k), k) + k

    const lookup = (name: string, table: Prepared<Float32Array>): ComputedTensor => ({
      name,
      dtype: 'float32',
      shape: [length, keys, head_dim], // [T, K, D]
      drawn: table.drawn,
      fill: fillByDistance({
        ...matrix,
        width: head_dim,
        write(out, at, distance, entries) {
          const rows = table()
          for (let i = 0; i < entries; i++) {
            copy(rows, indexOf(distance + i) * head_dim, out, at + i * head_dim, head_dim)
          }
        },
      }),
    })

    return [
      byDistance('relative_position_index', 'int32', matrix, () => indexOf), // [T, K]
      lookup('relative_key_embeddings', tables.relative_keys),
      lookup('relative_value_embeddings', tables.relative_values),
    ]
  },
})
