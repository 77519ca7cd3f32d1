import { describe, expect, it } from 'vitest'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { type GoldenCase, goldenCases, largestDifference, sha256 } from '../../../goldens/golden.js'
import { relativeShift, transformerXlScores } from '../../../twins/transformer-xl-scores.js'
import { type Asked, bind, floats, requestOf, tensorsOf } from './compute.js'

describe('transformer_xl', () => {
  for (const golden of goldenCases('transformer_xl')) {
    const { id, expect: expected } = golden

    it(`gives the bits of R (${id})`, () => {
      const tensor = tensorsOf(asked(golden)).get('relative_position_embeddings')
      expect(tensor?.shape).toEqual(expected.R_shape)
      const table = floats(asked(golden), 'relative_position_embeddings')
      expect(sha256(table)).toBe(expected.R_f64_rounded_sha256_f32le)
      if (expected.R_f32_torch) {
        expect(largestDifference(table, expected.R_f32_torch.flat())).toBeLessThanOrEqual(1e-6)
      }
    })

    it(`shifts scores as the reference does (${id})`, () => {
      const input = expected.rel_shift_input
      expect(relativeShift(input)).toEqual(expected.rel_shift_output)
    })
  }

  it('gives u and v from which attention makes PyTorch’s scores', () => {
    const golden = goldenCases('transformer_xl').find(({ params }) => params.draw_order)!
    const { num_heads: heads, d_model: width, qlen, klen, seed } = golden.params
    const generator = new TorchGenerator(seed)
    const draw = (length: number) => {
      const out = new Float32Array(length)
      generator.normal(out)
      return out
    }
    const contentBias = floats(asked(golden), 'content_bias')
    const positionBias = floats(asked(golden), 'position_bias_vector')
    expect(contentBias).toEqual(draw(width))
    expect(positionBias).toEqual(draw(width))

    const scores = transformerXlScores({
      heads,
      head: 0,
      contentBias,
      positionBias,
      relative: floats(asked(golden), 'relative_position_embeddings'),
      queries: draw(qlen * width),
      keys: draw(klen * width),
    })
    golden.expect.score_head0_causal_valid_part.forEach((row: (number | null)[], query: number) => {
      row.forEach((score, key) => {
        if (score !== null) expect(Math.abs(scores[query]![key]! - score)).toBeLessThanOrEqual(1e-6)
      })
    })
  })

  it('clamps at a distance above 0; 0 is as −1, none', () => {
    const rows = (clamp_length: number) =>
      floats(
        { positionEmbedding: { type: 'transformer_xl', clamp_length }, length: 5 },
        'relative_position_embeddings',
      )
    expect(rows(0)).toEqual(rows(-1))
    expect(rows(1)).not.toEqual(rows(-1))
    const [first, second] = [rows(1).subarray(0, 8), rows(1).subarray(8, 16)] // distances 4 and 3
    expect(first).toEqual(second)
  })

  it('takes position_offset as the length of the memory', () => {
    const continued = floats(
      { positionEmbedding: 'transformer_xl', length: 4, offset: 4 },
      'relative_position_embeddings',
    )
    const whole = floats({ positionEmbedding: 'transformer_xl', length: 8 }, 'relative_position_embeddings')
    expect(continued).toEqual(whole)
  })

  it.each([
    [{ num_heads: 3 }, 8, 'num_heads', 'divide embedding_dim 8'],
    [{ num_heads: 1 }, 7, 'type', 'even embedding_dim'],
  ])('refuses %j at width %i', (options, embeddingDim, option, mention) => {
    const wire = { type: 'transformer_xl', ...options }
    const problem = bind(wire).check(requestOf({ positionEmbedding: '', length: 4, embeddingDim }))
    expect(problem).toMatchObject({ code: 'invalid_request', option })
    expect(problem?.message).toContain(mention)
  })
})

function asked({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'transformer_xl',
      num_heads: params.num_heads ?? 1,
      memory_length: params.mlen,
      clamp_length: params.clamp_len,
      ...(params.seed && { seed: params.seed }),
    },
    length: params.qlen,
    embeddingDim: params.d_model,
  }
}
