import { describe, expect, it } from 'vitest'
import { alibiSlopes } from '../../../../src/first-layer/embeddings/positions/alibi.js'
import { type GoldenCase, goldenCases, largestDifference, sha256 } from '../../../goldens/golden.js'
import { type Asked, floats, tensorsOf } from './compute.js'

const number = (value: number | string) => (value === '-inf' ? -Infinity : Math.fround(Number(value)))

describe('alibi', () => {
  for (const golden of goldenCases('alibi')) {
    const { id, params, expect: expected } = golden
    const { num_heads: heads, length } = params

    it(`has the slopes of the reference (${id})`, () => {
      expect(largestDifference(alibiSlopes(heads), expected.slopes_f64)).toBeLessThanOrEqual(1e-12)
      const slopes = floats(asked(golden, 'causal'), 'alibi_slopes')
      expect(largestDifference(slopes, expected.slopes_f64.map(Math.fround))).toBe(0)
    })

    it(`gives the bits of the key and the symmetric form (${id})`, () => {
      const key = tensorsOf(asked(golden, 'key')).get('position_bias')
      expect(key?.shape).toEqual(expected.key_form_shape)
      expect(sha256(floats(asked(golden, 'key'), 'position_bias'))).toBe(expected.key_form_f32_sha256)
      const symmetric = floats(asked(golden, 'symmetric'), 'position_bias')
      expect(sha256(symmetric)).toBe(expected.symmetric_f32_sha256)
    })

    it(`gives the causal form of the first and the last head (${id})`, () => {
      const tensor = tensorsOf(asked(golden, 'causal')).get('position_bias')
      expect([1, ...tensor!.shape]).toEqual(expected.causal_form_shape)
      const bias = floats(asked(golden, 'causal'), 'position_bias')
      const plane = length * length
      if (expected.causal_head0) {
        const first = expected.causal_head0.flat().map(number)
        expect([...bias.subarray(0, plane)]).toEqual(first)
        const last = expected.causal_last_head.flat().map(number)
        expect([...bias.subarray((heads - 1) * plane)]).toEqual(last)
      }
    })
  }

  it('never gives a negative zero', () => {
    for (const form of ['causal', 'symmetric', 'key']) {
      const positionEmbedding = { type: 'alibi', num_heads: 3, form }
      const bias = floats({ positionEmbedding, length: 5, offset: 2 }, 'position_bias')
      expect(bias.some((value) => Object.is(value, -0))).toBe(false)
    }
  })

  it('takes more or fewer keys than the queries’ end', () => {
    const positionEmbedding = { type: 'alibi', num_heads: 1, key_length: 4 }
    const bias = floats({ positionEmbedding, length: 2, offset: 1 }, 'position_bias')
    const slope = 2 ** -8
    expect([...bias]).toEqual([-slope, 0, -Infinity, -Infinity, -2 * slope, -slope, 0, -Infinity])
  })
})

function asked({ params }: GoldenCase, form: string): Asked {
  return {
    positionEmbedding: { type: 'alibi', num_heads: params.num_heads, form },
    length: params.length,
  }
}
