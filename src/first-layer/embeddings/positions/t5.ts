import { z } from 'zod'
import { count, keyLength, MAX_POSITIONS, numHeads } from '../../options/rules.js'
import { tableSeed } from '../../options/seed.js'
import { byDistance } from './distance-matrix.js'
import { checkDrawn } from './drawn-tables.js'
import { defineScheme, refuse } from './scheme.js'

const fround = Math.fround

const options = z.strictObject({
  num_heads: numHeads(),
  num_buckets: count(1_048_576).default(32).describe('Rows of the bias table; distances share them.'),
  max_distance: count(MAX_POSITIONS)
    .default(128)
    .describe('From here on all distances share the last bucket.'),
  bidirectional: z
    .boolean()
    .default(true)
    .describe('An encoder: keys after the query have half the buckets. false: they all fall into bucket 0.'),
  key_length: keyLength(),
  seed: tableSeed(),
})
type Options = z.output<typeof options>

/** Buckets of one side: half of them if keys stand on both sides. */
const sideBuckets = (chosen: Pick<Options, 'num_buckets' | 'bidirectional'>) =>
  chosen.bidirectional ? Math.floor(chosen.num_buckets / 2) : chosen.num_buckets

/**
 * The bucket of a distance key − query: near distances have one each, far ones share logarithmically wider ones.
 * Defaults: 0 → 0, −1 → 1, 1 → 17, −300 → 15. Rounds to float32 where PyTorch's tensors do.
 */
export function t5Bucket(
  chosen: Pick<Options, 'num_buckets' | 'max_distance' | 'bidirectional'>,
): (distance: number) => number {
  const { max_distance, bidirectional } = chosen
  const buckets = sideBuckets(chosen)
  const exact = Math.floor(buckets / 2)
  const logRange = fround(Math.log(max_distance / exact))
  const shared = buckets - exact
  return (distance) => {
    const after = bidirectional && distance > 0
    const far = after ? distance : Math.max(-distance, 0)
    const side = after ? buckets : 0
    if (far < exact) return side + far
    // At max_distance the logarithms' quotient is 1 (or a last bit less): the last bucket either way.
    if (far >= max_distance) return side + buckets - 1
    const part = fround(fround(Math.log(fround(far / exact))) / logRange)
    return side + Math.min(exact + Math.trunc(fround(part * shared)), buckets - 1)
  }
}

/**
 * T5's bucketed relative positions: `relative_position_bucket` [T, K] and `position_bias` [H, T, K], the rows of
 * `nn.Embedding(num_buckets, num_heads)` by bucket, added to the attention scores of every layer (the table is
 * block 0's). Encoder, T = 2: buckets `[[0, 17], [1, 0]]`. A decoding step: T = 1, o = 19 → [1, 20].
 *
 * Raffel et al. 2019; `T5Attention._relative_position_bucket` of transformers. Nothing is added to the token
 * rows. T5 does not divide its attention scores by √D, which the attention has to leave out.
 */
export const t5 = defineScheme({
  type: 't5',
  options,
  picture: [
    'Distances share buckets: near ones have one each, far ones share. Each head learns a number for each bucket.',
    'relative_position_bucket',
    'position_bias',
  ],
  tensorDocs: {
    relative_position_bucket: ['[T, K]', 'The bucket of each distance.'],
    position_bias: ['[H, T, K]', 'Added to the attention scores.'],
  },
  check(chosen) {
    const { num_buckets, max_distance, bidirectional, num_heads } = chosen
    const least = bidirectional ? 4 : 2
    if (num_buckets < least) {
      return refuse(
        'num_buckets',
        `must be at least ${least} where bidirectional is ${bidirectional}`,
        num_buckets,
      )
    }
    const exact = Math.floor(sideBuckets(chosen) / 2)
    if (max_distance <= exact)
      return refuse('max_distance', `must be above the ${exact} distances with a bucket each`, max_distance)
    return checkDrawn('num_buckets', num_buckets, num_buckets * num_heads)
  },
  parameters: ({ num_buckets, num_heads }) => ({ relative_attention_bias: [num_buckets, num_heads] }),
  tensors(chosen, { length, offset }, { relative_attention_bias: table }) {
    const { num_heads } = chosen
    const keys = chosen.key_length ?? offset + length
    const bucketOf = t5Bucket(chosen)
    const matrix = { queries: length, keys, firstQuery: offset }
    const biasOf = (head: number) => {
      const numbers = table()
      return (distance: number) => numbers[bucketOf(distance) * num_heads + head]
    }
    return [
      byDistance('relative_position_bucket', 'int32', matrix, () => bucketOf), // [T, K]
      byDistance('position_bias', 'float32', { planes: num_heads, ...matrix }, biasOf, table.drawn), // [H, T, K]
    ]
  },
})
