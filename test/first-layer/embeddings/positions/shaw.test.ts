import { describe, expect, it } from 'vitest'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { type GoldenCase, goldenCases, sha256 } from '../../../goldens/golden.js'
import { type Asked, bind, floats, ints, requestOf, tensorsOf } from './compute.js'

describe('shaw', () => {
  for (const golden of goldenCases('shaw')) {
    const { id, params, expect: expected } = golden
    const { d_head: headDim, max_relative_position: k } = params

    it(`clips the distances (${id})`, () => {
      expect([...ints(asked(golden), 'relative_position_index')]).toEqual(expected.index.flat())
    })

    it(`gives the bits of PyTorch's lookup in the keys' table (${id})`, () => {
      expect(tensorsOf(asked(golden)).get('relative_key_embeddings')?.shape).toEqual(expected.lookup_shape)
      const keys = floats(asked(golden), 'relative_key_embeddings')
      expect(sha256(keys)).toBe(expected.lookup_sha256_f32le)
    })

    it(`draws the values' table right after the keys' (${id})`, () => {
      const generator = new TorchGenerator(params.table_seed)
      const table = new Float32Array((2 * k + 1) * headDim)
      generator.normal(table)
      expect(sha256(table)).toBe(expected.table_sha256_f32le)
      generator.normal(table)
      const index = ints(asked(golden), 'relative_position_index')
      const values = floats(asked(golden), 'relative_value_embeddings')
      for (const [at, row] of index.entries()) {
        const expectedRow = table.subarray(row * headDim, (row + 1) * headDim)
        expect(values.subarray(at * headDim, (at + 1) * headDim)).toEqual(expectedRow)
      }
    })
  }

  it('refuses tables beyond the bound by the option that makes them large', () => {
    const wire = { type: 'shaw', max_relative_position: 1_000_000_000 }
    const problem = bind(wire).check(requestOf({ positionEmbedding: '', length: 4 }))
    expect(problem).toMatchObject({ code: 'invalid_request', option: 'max_relative_position' })
    expect(problem?.message).toContain('16777216')
  })
})

function asked({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'shaw',
      max_relative_position: params.max_relative_position,
      head_dim: params.d_head,
      seed: params.table_seed,
    },
    length: params.length,
  }
}
