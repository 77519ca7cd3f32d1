import { z } from 'zod'
import { count, MAX_POSITIONS } from '../../options/rules.js'
import { tableSeed } from '../../options/seed.js'
import { byDistance } from './distance-matrix.js'
import { checkDrawn } from './drawn-tables.js'
import { defineScheme, preparedTensor, refuse } from './scheme.js'

const options = z.strictObject({
  version: z
    .literal([1, 2])
    .default(2)
    .describe(
      '2: DeBERTa v2 and v3, distances in logarithmic buckets. 1: the first DeBERTa, distances as they are.',
    ),
  max_relative_positions: count(MAX_POSITIONS)
    .default(512)
    .describe('S of version 1 (and without buckets); in version 2 the distance that fills the last bucket.'),
  position_buckets: z
    .int()
    .min(0)
    .max(MAX_POSITIONS)
    .default(256)
    .describe('S of version 2: buckets of each side. 0: none, as in version 1. Version 1 ignores it.'),
  seed: tableSeed(),
})
type Options = z.output<typeof options>

const hasBuckets = ({ version, position_buckets }: Options) => version === 2 && position_buckets > 0

/** S: half the rows of the table. */
const tableSpan = (chosen: Options) =>
  hasBuckets(chosen) ? chosen.position_buckets : chosen.max_relative_positions

/**
 * DeBERTa's disentangled attention: `relative_position` [T, T] (query − key, bucketed in version 2),
 * `c2p_index` and `p2c_index` [T, T] = clamp(±relative_position + span, 0, 2·span−1), and
 * `relative_embeddings` [2·span, C], the rows used of `nn.Embedding(2·S, C)`.
 *
 * T = 2: relative positions `[[0, −1], [1, 0]]`; span 256: c2p `[[256, 255], [257, 256]]`.
 * Scores: c2p[i,j] = (Q·Kr)[i, c2p_index[i,j]]; p2c[i,j] = (K·Qr)[j, p2c_index[j,i]].
 *
 * He et al. 2020 and 2021; `modeling_deberta.py`, `modeling_deberta_v2.py` of transformers. An encoder: the keys are the
 * window's tokens, so position_offset changes nothing. Without LayerNorm on the embeddings (`norm_rel_ebd`) and
 * projections.
 */
export const deberta = defineScheme({
  type: 'deberta',
  options,
  picture: [
    'Content and position are kept apart: a learned vector for each distance, compared both ways. Drawn is which one each pair of tokens takes.',
    'c2p_index',
  ],
  tensorDocs: {
    relative_position: ['[T, T]', 'Query − key, in buckets under version 2.'],
    c2p_index: ['[T, T]', 'Index of content-to-position scores.'],
    p2c_index: ['[T, T]', 'Index of position-to-content scores.'],
    relative_embeddings: ['[2 · span, C]', 'The rows of the table that are used.'],
  },
  check(chosen, { embeddingDim, length }) {
    const { max_relative_positions, position_buckets } = chosen
    if (hasBuckets(chosen)) {
      if (position_buckets === 1) return refuse('position_buckets', 'must be 0 or at least 2', 1)
      const exact = Math.floor(position_buckets / 2)
      // Distances up to half of the buckets have one each; farther ones need a logarithm above 0.
      if (length - 1 > exact && max_relative_positions <= exact + 1) {
        const rule = `must be above ${exact + 1}, half of position_buckets and one more, for ${length} positions`
        return refuse('max_relative_positions', rule, max_relative_positions)
      }
    }
    const option = hasBuckets(chosen) ? 'position_buckets' : 'max_relative_positions'
    return checkDrawn(option, chosen[option], 2 * tableSpan(chosen) * embeddingDim)
  },
  parameters: (chosen, embeddingDim) => ({ rel_embeddings: [2 * tableSpan(chosen), embeddingDim] }),
  tensors(chosen, { length, embeddingDim }, { rel_embeddings: table }) {
    const size = tableSpan(chosen)
    const span = chosen.version === 1 ? Math.min(length, size) : size
    const relativeOf = hasBuckets(chosen)
      ? debertaBucket(chosen.position_buckets, chosen.max_relative_positions)
      : (distance: number) => distance
    const clamp = (index: number) => Math.min(Math.max(index, 0), 2 * span - 1)
    /** [T, T]. `entry` takes the distance query − key, the opposite of the matrix's. */
    const matrix = (name: string, entry: (distance: number) => number) =>
      byDistance(name, 'int32', { queries: length, keys: length, firstQuery: 0 }, () => (d) => entry(-d))
    const first = (size - span) * embeddingDim
    return [
      matrix('relative_position', relativeOf),
      matrix('c2p_index', (distance) => clamp(relativeOf(distance) + span)),
      matrix('p2c_index', (distance) => clamp(-relativeOf(distance) + span)),
      preparedTensor('relative_embeddings', [2 * span, embeddingDim], table, first), // [2·span, C]
    ]
  },
})

const fround = Math.fround

/**
 * DeBERTa v2's bucket of a distance query − key: distances up to half of `buckets` have one each, farther ones share
 * logarithmically wider buckets; `maxPosition − 1` falls into bucket `buckets − 1`, farther ones into higher buckets.
 * `debertaBucket(256, 512)`: 128 → 128, 600 → 270, −600 → −270.
 *
 * In float32 like `make_log_bucket_position` of transformers. Microsoft's float64 original differs, for 128 buckets and
 * maximum 513, at 128, 256 and 1024, where a logarithm is a last bit above a whole number.
 */
export function debertaBucket(buckets: number, maxPosition: number): (distance: number) => number {
  const exact = Math.floor(buckets / 2)
  const logRange = fround(Math.log(fround((maxPosition - 1) / exact)))
  return (distance) => {
    const far = Math.abs(distance)
    if (far <= exact) return distance
    const part = fround(fround(Math.log(fround(far / exact))) / logRange)
    const bucket = Math.ceil(fround(part * (exact - 1))) + exact
    return distance < 0 ? -bucket : bucket
  }
}
