import { z } from 'zod'
import { keyLength, numHeads } from '../../options/rules.js'
import { byDistance } from './distance-matrix.js'
import { defineScheme, numbers, preparedTensor } from './scheme.js'

const options = z.strictObject({
  num_heads: numHeads(),
  form: z
    .enum(['causal', 'symmetric', 'key'])
    .default('causal')
    .describe('causal: −∞ where the key is after the query. symmetric: −slope·|distance|. key: slope·key.'),
  key_length: keyLength(),
})

/** The bias of a distance key − query, in double. Subtracting from 0 keeps distance 0 at +0. */
const bias = {
  causal: (slope: number, distance: number) => (distance > 0 ? -Infinity : slope * distance),
  symmetric: (slope: number, distance: number) => 0 - slope * Math.abs(distance),
  key: (slope: number, distance: number) => slope * distance,
}

/**
 * The slope of each head, in double: 2^(−8h/H), h = 1 … H, if H is a power of two; otherwise the slopes of c heads, c the
 * largest power of two below H, and then every second slope of 2c heads. Two heads: `[0.0625, 0.00390625]`.
 */
export function alibiSlopes(heads: number): Float64Array {
  const power = 2 ** Math.floor(Math.log2(heads))
  return numbers(heads, (head) =>
    head < power ? 2 ** ((-8 * (head + 1)) / power) : 2 ** ((-8 * (2 * (head - power) + 1)) / (2 * power)),
  )
}

/**
 * Attention with linear biases (BLOOM, MPT): `alibi_slopes` [H] and `position_bias` [H, T, K], added to the
 * attention scores; under `key` [H, 1, K], the form that differs by a constant per row and has the same softmax.
 * Query 2 of the causal form with slope 0.5, keys 0 … 3: `−1, −0.5, 0, −∞`.
 *
 * Press, Smith, Lewis 2021. Slope × distance in double, rounded once; BLOOM's float32 slopes are up to 5.2e-7
 * (relative, 112 heads) away. Nothing is added to the token rows.
 */
export const alibi = defineScheme({
  type: 'alibi',
  options,
  picture: [
    'A score loses a little for each token of distance, and each head loses at its own rate.',
    'position_bias',
  ],
  tensorDocs: {
    alibi_slopes: ['[H]', 'A slope for each head.'],
    position_bias: ['[H, T, K]', 'Added to the attention scores; [H, 1, K] in the key form.'],
  },
  tensors({ num_heads, form, key_length }, { length, offset }) {
    const slopes = alibiSlopes(num_heads)
    const keys = key_length ?? offset + length
    // The key form is one row per head, as seen from position 0.
    const [queries, firstQuery] = form === 'key' ? [1, 0] : [length, offset]
    const matrix = { planes: num_heads, queries, keys, firstQuery }
    const biasOf = (head: number) => (distance: number) => bias[form](slopes[head], distance)
    return [
      preparedTensor('alibi_slopes', [num_heads], () => slopes),
      byDistance('position_bias', 'float32', matrix, biasOf), // [H, T, K]
    ]
  },
})
