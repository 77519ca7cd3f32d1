import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  attentionFactorOf,
  ropeFrequencies,
  yarnRamp,
} from '../../../../src/first-layer/embeddings/positions/rope-frequencies.js'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { type GoldenCase, goldenCases, largestDifference, sha256 } from '../../../goldens/golden.js'
import { rotate } from '../../../twins/rotate.js'
import { type Asked, bind, floats, requestOf } from './compute.js'

const cases = goldenCases('rope')

describe('rope', () => {
  for (const golden of cases) {
    const { id, params, expect: expected } = golden

    it(`has PyTorch's inv_freq (${id})`, () => {
      const actual = floats(asked(golden, 0), 'inv_freq')
      expect(largestDifference(actual, expected.inv_freq_f32.map(Math.fround))).toBe(0)
    })

    it(`is within 1.5e-7 of PyTorch's cos and sin in float32 (${id})`, () => {
      for (const { pos, freq_index, cos_f32, sin_f32 } of expected.spots) {
        const cos = floats(asked(golden, pos), 'cos')[freq_index]!
        const sin = floats(asked(golden, pos), 'sin')[freq_index]!
        expect(Math.abs(cos - Math.fround(cos_f32))).toBeLessThanOrEqual(1.5e-7)
        expect(Math.abs(sin - Math.fround(sin_f32))).toBeLessThanOrEqual(1.5e-7)
      }
    })

    it(`is the reference rounded once in float64 (${id})`, () => {
      const scaling = params.scaling && { beta_fast: 32, beta_slow: 1, truncate: true, ...params.scaling }
      const inverseAt = ropeFrequencies({
        rotaryDim: params.rotary_dim,
        theta: params.base,
        precision: 'float64',
        scaling,
        sequenceLength: 1,
      })
      const attentionFactor = attentionFactorOf(scaling)
      expect(attentionFactor).toBeCloseTo(expected.attention_factor, 14)
      for (const { pos, freq_index, cos_f64, sin_f64 } of expected.spots) {
        const radians = pos * inverseAt(freq_index)
        expect(Math.abs(Math.cos(radians) * attentionFactor - cos_f64)).toBeLessThanOrEqual(1e-11)
        expect(Math.abs(Math.sin(radians) * attentionFactor - sin_f64)).toBeLessThanOrEqual(1e-11)
        const cos = floats(asked(golden, pos, 'float64'), 'cos')[freq_index]!
        expect(Math.abs(cos - cos_f64)).toBeLessThanOrEqual(7e-8)
      }
    })
  }

  for (const golden of cases.filter(({ params }) => params.apply)) {
    it(`rotates queries to PyTorch's values (${golden.id})`, () => {
      const { shape_BTHD: shape, seed, position_start: offset } = golden.params.apply
      const [batch, length, heads, headDim] = shape
      const x = new Float32Array(batch * length * heads * headDim)
      new TorchGenerator(seed).normal(x)
      expect(sha256(x)).toBe(golden.expect.apply_input_sha256_f32le)
      const where = { ...asked(golden, offset), length }
      const rotated = rotate(x, shape, golden.params.layout, floats(where, 'cos'), floats(where, 'sin'))

      if (golden.expect.apply_output) {
        const output = golden.expect.apply_output.flat(3)
        expect(largestDifference(rotated, output)).toBeLessThanOrEqual(1e-6)
      }
      for (const { index, values_dim0_to_7, values_last4 } of golden.expect.apply_spots ?? []) {
        const at = ((index[0] * length + index[1]) * heads + index[2]) * headDim
        expect(largestDifference(rotated.subarray(at, at + 8), values_dim0_to_7)).toBeLessThanOrEqual(1e-6)
        const last = rotated.subarray(at + headDim - 4, at + headDim)
        expect(largestDifference(last, values_last4)).toBeLessThanOrEqual(1e-6)
      }
    })
  }

  it('blends between the frequencies of the reference (YaRN)', () => {
    for (const { params, expect: expected } of cases.filter(
      ({ params }) => params.scaling?.type === 'yarn',
    )) {
      const scaling = { beta_fast: 32, beta_slow: 1, truncate: true, ...params.scaling }
      const ramp = yarnRamp(params.rotary_dim, params.base, scaling)
      expect(ramp[0]).toBeCloseTo(expected.yarn_low_high[0], 12)
      expect(ramp[1]).toBeCloseTo(expected.yarn_low_high[1], 12)
    }
  })

  it('takes the request’s own end as the length of dynamic scaling', () => {
    const scaling = { type: 'dynamic', factor: 2, max_position_embeddings: 16 }
    const wire = { type: 'rope', scaling }
    const implied = floats({ positionEmbedding: wire, length: 8, offset: 24 }, 'inv_freq')
    const explicit = { type: 'rope', scaling: { ...scaling, seq_len: 32 } }
    expect(implied).toEqual(floats({ positionEmbedding: explicit, length: 1 }, 'inv_freq'))
    const short = floats({ positionEmbedding: wire, length: 16 }, 'inv_freq')
    expect(short).toEqual(floats({ positionEmbedding: 'rope', length: 16 }, 'inv_freq'))
    expect(short).not.toEqual(implied)
  })

  it('turns no pair faster than a radian per position, whatever the options', () => {
    const factor = fc.double({ min: 1, max: 1e6, noNaN: true })
    const length = fc.integer({ min: 1, max: 2_147_483_647 })
    const turns = fc.double({ min: 1e-3, max: 1e9, noNaN: true })
    const scaling = fc.oneof(
      fc.constant(undefined),
      fc.record({ type: fc.constant('linear'), factor }),
      fc.record({ type: fc.constant('dynamic'), factor, max_position_embeddings: length, seq_len: length }),
      fc
        .record({
          type: fc.constant('yarn'),
          factor,
          original_max_position_embeddings: length,
          beta_slow: turns,
          truncate: fc.boolean(),
        })
        .map((yarn) => ({ ...yarn, beta_fast: yarn.beta_slow })),
      fc
        .record({ type: fc.constant('llama3'), factor, original_max_position_embeddings: length, low: turns })
        .map(({ low, ...llama3 }) => ({ ...llama3, low_freq_factor: low / 2, high_freq_factor: low })),
    )
    const options = fc.record({
      rotary_dim: fc.integer({ min: 2, max: 64 }).map((half) => 2 * half),
      rope_theta: fc.double({ min: 1.000001, max: 1e30, noNaN: true }),
      precision: fc.constantFrom('float32', 'float64'),
      scaling,
    })
    fc.assert(
      fc.property(options, fc.nat(2 ** 31 - 1), (chosen, offset) => {
        const positionEmbedding = { type: 'rope', head_dim: 128, ...chosen }
        const inverse = floats({ positionEmbedding, length: 1, offset }, 'inv_freq')
        expect([...inverse].every((frequency) => frequency >= 0 && frequency <= 1)).toBe(true)
        const cos = floats({ positionEmbedding, length: 1, offset }, 'cos')
        expect([...cos].every(Number.isFinite)).toBe(true)
      }),
      // Shrinking this many doubles would not end.
      { endOnFailure: true },
    )
  })

  it('switches at once if YaRN’s ramp has no width', () => {
    const scaling = {
      type: 'yarn',
      factor: 2,
      original_max_position_embeddings: 4096,
      beta_fast: 8,
      beta_slow: 8,
      truncate: false,
    }
    const stretched = floats({ positionEmbedding: { type: 'rope', scaling }, length: 1 }, 'inv_freq')
    const plain = floats({ positionEmbedding: 'rope', length: 1 }, 'inv_freq')
    const ratios = [...plain].map((frequency, i) => frequency / stretched[i]!)
    expect(new Set(ratios)).toEqual(new Set([1, 2]))
    expect(ratios).toEqual(ratios.toSorted())
  })

  it('returns its layout in the metadata', () => {
    expect(bind('rope').metadata()).toEqual({ layout: 'half' })
    expect(bind({ type: 'rope', layout: 'interleaved' }).metadata()).toEqual({ layout: 'interleaved' })
  })

  it.each([
    [{ head_dim: 63 }, 'head_dim', '63'],
    [{ rotary_dim: 7 }, 'rotary_dim', '7'],
    [{ rotary_dim: 66 }, 'rotary_dim', '66'],
    [
      { head_dim: 2, scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 4 } },
      'head_dim',
      'dynamic',
    ],
    [
      { rope_theta: 1, scaling: { type: 'yarn', factor: 2, original_max_position_embeddings: 4 } },
      'rope_theta',
      'yarn',
    ],
    [
      {
        scaling: {
          type: 'yarn',
          factor: 2,
          original_max_position_embeddings: 4,
          beta_fast: 1,
          beta_slow: 2,
        },
      },
      'scaling.beta_fast',
      '1',
    ],
    [
      {
        scaling: {
          type: 'llama3',
          factor: 8,
          low_freq_factor: 4,
          high_freq_factor: 4,
          original_max_position_embeddings: 8192,
        },
      },
      'scaling.high_freq_factor',
      '4',
    ],
  ])('refuses %j by its name', (options, option, mention) => {
    const problem = bind({ type: 'rope', ...options }).check(requestOf({ positionEmbedding: '', length: 4 }))
    expect(problem).toMatchObject({ code: 'invalid_request', option })
    expect(problem?.message).toContain(`\`position_embedding.${option}\` `)
    expect(problem?.message).toContain(mention)
  })
})

function asked({ params }: GoldenCase, position: number, precision = 'float32'): Asked {
  // The request gives the length: a golden's positions go with the length in its scaling, if it has one.
  return {
    positionEmbedding: {
      type: 'rope',
      head_dim: Math.max(params.rotary_dim, 64),
      rotary_dim: params.rotary_dim,
      rope_theta: params.base,
      layout: params.layout,
      precision,
      ...(params.scaling && { scaling: params.scaling }),
    },
    length: 1,
    offset: position,
  }
}
