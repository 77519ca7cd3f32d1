import { describe, expect, it } from 'vitest'
import { t5Bucket } from '../../../../src/first-layer/embeddings/positions/t5.js'
import { type GoldenCase, goldenCases, sha256 } from '../../../goldens/golden.js'
import { type Asked, bind, floats, ints, requestOf, tensorsOf } from './compute.js'

describe('t5', () => {
  for (const golden of goldenCases('t5')) {
    const { id, params, expect: expected } = golden

    it(`has PyTorch's bucket for every distance (${id})`, () => {
      const bucketOf = t5Bucket(params)
      const [first, last] = params.distance_range
      const buckets = Int32Array.from({ length: last - first + 1 }, (_, i) => bucketOf(first + i))
      expect(sha256(buckets)).toBe(expected.bucket_sha256_i32le)
      for (const [start, bucket] of expected.bucket_run_starts) expect(bucketOf(start)).toBe(bucket)
    })

    it(`gives the matrix of buckets (${id})`, () => {
      const matrix = ints(asked(golden), 'relative_position_bucket')
      expect(sha256(matrix)).toBe(expected.matrix_sha256_i32le)
    })

    if (params.table_seed !== undefined) {
      it(`gives the bits of PyTorch's bias (${id})`, () => {
        const tensor = tensorsOf(asked(golden)).get('position_bias')
        expect([1, ...tensor!.shape]).toEqual(expected.bias_shape)
        const bias = floats(asked(golden), 'position_bias')
        expect(sha256(bias)).toBe(expected.bias_sha256_f32le)
      })
    }
  }

  it('has no bucket after the last one, although the logarithms’ quotient rounds up to 1', () => {
    for (const bidirectional of [true, false]) {
      const bucketOf = t5Bucket({ num_buckets: 32, max_distance: 2 ** 30, bidirectional })
      expect(bucketOf(1 - 2 ** 30)).toBe(bidirectional ? 15 : 31)
    }
  })

  it('puts every distance from max_distance on into the last bucket', () => {
    for (const max_distance of [9, 20, 128, 1000, 2_147_483_647]) {
      const bucketOf = t5Bucket({ num_buckets: 32, max_distance, bidirectional: true })
      expect(bucketOf(-max_distance)).toBe(15)
      expect(bucketOf(max_distance)).toBe(31)
      for (let distance = 1; distance < Math.min(max_distance, 3000); distance++) {
        expect(bucketOf(-distance)).toBeLessThanOrEqual(15)
        expect(bucketOf(distance)).toBe(bucketOf(-distance) + 16)
      }
    }
  })

  it.each([
    [{ num_buckets: 3 }, 'num_buckets', 'at least 4'],
    [{ num_buckets: 1, bidirectional: false }, 'num_buckets', 'at least 2'],
    [{ max_distance: 8 }, 'max_distance', 'above the 8'],
    [{ num_buckets: 1_048_576, num_heads: 65_536, max_distance: 2_000_000 }, 'num_buckets', '16777216'],
  ])('refuses %j by its name', (options, option, mention) => {
    const problem = bind({ type: 't5', ...options }).check(requestOf({ positionEmbedding: '', length: 4 }))
    expect(problem).toMatchObject({ code: 'invalid_request', option })
    expect(problem?.message).toContain(mention)
  })
})

function asked({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 't5',
      num_buckets: params.num_buckets,
      max_distance: params.max_distance,
      bidirectional: params.bidirectional,
      key_length: params.key_length,
      ...(params.num_heads && { num_heads: params.num_heads }),
      ...(params.table_seed && { seed: params.table_seed }),
    },
    length: params.query_length,
    offset: params.past,
  }
}
