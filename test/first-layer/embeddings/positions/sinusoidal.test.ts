import { describe, expect, it } from 'vitest'
import { sinusoidal, sinusoidalAngle } from '../../../../src/first-layer/embeddings/positions/sinusoidal.js'
import { fillSinusoids, singleAngle } from '../../../../src/first-layer/embeddings/positions/sinusoids.js'
import { type GoldenCase, goldenCases, largestDifference, sha256 } from '../../../goldens/golden.js'
import { type Asked, bind, floats, requestOf } from './compute.js'

const cases = goldenCases('sinusoidal')

function expectRows(table: Float32Array, rows: Record<string, number[]>, width: number, tolerance: number) {
  for (const [position, row] of Object.entries(rows)) {
    const start = Number(position) * width
    const difference = largestDifference(table.subarray(start, start + row.length), row.map(Math.fround))
    expect(difference, `row ${position}`).toBeLessThanOrEqual(tolerance)
  }
}

const optionsOf = (given: Record<string, unknown>) => sinusoidal.options.parse(given)

describe('sinusoidal in float64', () => {
  for (const golden of cases.filter(({ params }) => params.precision === 'float64')) {
    const { expect: expected } = golden

    it(`gives the bits of the reference table (${golden.id})`, () => {
      const table = floats(asked(golden), 'position_embeddings')
      expect(sha256(table)).toBe(expected.sha256_f32le_of_float64_rounded)
    })
  }
})

describe('sinusoidal in float32', () => {
  const golden = cases.find(({ params }) => params.precision === 'float32_exp')!
  const { params, expect: expected } = golden
  const width: number = params.d_model

  function spotDifference(table: Float32Array): number {
    const values = expected.spots_f32.map((spot: { value: number }) => Math.fround(spot.value))
    const spots = expected.spots_f32.map(
      ({ pos, dim }: { pos: number; dim: number }) => table[pos * width + dim]!,
    )
    return largestDifference(spots, values)
  }

  it('is within 1.3e-7 of PyTorch given its frequencies', () => {
    const table = new Float32Array(params.length * width)
    fillSinusoids({
      width,
      layout: 'interleaved',
      angle: singleAngle(Float64Array.from(expected.div_term_f32, Math.fround)),
      positionOf: (row) => row,
    })(table, 0)
    expect(spotDifference(table)).toBeLessThanOrEqual(1.3e-7)
    expectRows(table, expected.row_first8_f32, width, 1.3e-7)
  })

  it('differs from PyTorch by its exp alone: 15 of 128 frequencies by a last bit', () => {
    const table = floats(asked(golden), 'position_embeddings')
    expect(spotDifference(table)).toBeLessThanOrEqual(expected.max_abs_diff_of_js_style_fround_pipeline)
    expectRows(table, expected.row_first8_f32, width, expected.max_abs_diff_of_js_style_fround_pipeline)
    const angle = sinusoidalAngle(optionsOf({ precision: 'float32', base: params.base }), width)
    const different = expected.div_term_f32.filter(
      (term: number, i: number) => angle(1, i) !== Math.fround(term),
    )
    expect(different).toHaveLength(expected.n_div_terms_where_torch_exp_differs_from_correct_rounding)
  })

  it('is up to 6e-5 away from the float64 table', () => {
    const double = floats({ ...asked(golden), positionEmbedding: 'sinusoidal' }, 'position_embeddings')
    const single = floats(asked(golden), 'position_embeddings')
    const difference = largestDifference(single, double)
    expect(difference).toBeGreaterThan(1e-5)
    expect(difference).toBeLessThan(1e-4)
  })
})

describe('sinusoidal at odd widths', () => {
  it('is refused by the paper’s form, by the name of the option to change', () => {
    const problem = bind('sinusoidal').check(requestOf({ positionEmbedding: '', length: 2, embeddingDim: 5 }))
    expect(problem).toMatchObject({ code: 'invalid_request', option: 'variant' })
    expect(problem?.message).toContain('5')
  })

  it('ends in a zero under tensor2tensor, in both layouts', () => {
    const positionEmbedding = { type: 'sinusoidal', variant: 'tensor2tensor' }
    const concatenated = floats({ positionEmbedding, length: 2, embeddingDim: 5 }, 'position_embeddings')
    const f = Math.fround
    const row1 = [Math.sin(1), Math.sin(1e-4), Math.cos(1), Math.cos(1e-4), 0]
    expect([...concatenated]).toEqual([0, 0, 1, 1, 0, ...row1.map(f)])
    const interleaved = floats(
      { positionEmbedding: { ...positionEmbedding, layout: 'interleaved' }, length: 2, embeddingDim: 5 },
      'position_embeddings',
    )
    expect([...interleaved.subarray(5)]).toEqual([row1[0], row1[2], row1[1], row1[3], 0].map((x) => f(x!)))
  })

  it('takes a width of 1 and of 2 under tensor2tensor', () => {
    const positionEmbedding = { type: 'sinusoidal', variant: 'tensor2tensor' }
    expect([...floats({ positionEmbedding, length: 2, embeddingDim: 1 }, 'position_embeddings')]).toEqual([
      0, 0,
    ])
    expect([...floats({ positionEmbedding, length: 1, embeddingDim: 2 }, 'position_embeddings')]).toEqual([
      0, 1,
    ])
  })
})

function asked({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'sinusoidal',
      base: params.base,
      variant: params.variant,
      layout: params.layout === 'concat' ? 'concatenated' : params.layout,
      precision: params.precision === 'float32_exp' ? 'float32' : params.precision,
    },
    length: params.length,
    embeddingDim: params.d_model,
  }
}
