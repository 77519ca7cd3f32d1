import { z } from 'zod'
import { count, frequencyBase, headDim, MAX_WIDTH } from '../../options/rules.js'
import { attentionFactorOf, ropeFrequencies, ropeScaling } from './rope-frequencies.js'
import { type ComputedTensor, defineScheme, numbers, preparedTensor, refuse } from './scheme.js'
import { doubleAngle, fillRows, singleAngle } from './sinusoids.js'

const fround = Math.fround

const options = z.strictObject({
  head_dim: headDim(),
  rotary_dim: count(MAX_WIDTH)
    .optional()
    .describe('R: channels of a head that are rotated, even, at most head_dim. Absent: head_dim.'),
  rope_theta: frequencyBase().describe('Base of the geometric progression of wavelengths.'),
  layout: z
    .enum(['half', 'interleaved'])
    .default('half')
    .describe(
      'Which channels make a pair: i with i + R/2, or 2i with 2i + 1. Said back; the tables are the same.',
    ),
  precision: z
    .enum(['float32', 'float64'])
    .default('float32')
    .describe('float32: rounded where PyTorch’s tensors round. float64: computed in double, rounded once.'),
  scaling: ropeScaling,
})

/**
 * Rotary position embeddings (LLaMA, GPT-NeoX, GPT-J): `inv_freq` [R/2] and the tables `cos` and `sin`
 * [T, R/2] of position · inv_freq, with which attention turns each pair of channels of queries and keys. R = 4,
 * position 1: cos `[0.5403, 0.99995]`. YaRN's attention factor is in cos and sin.
 *
 * Su et al. 2021; the float32 pipeline of transformers. The tables are not doubled to R channels. Rotates nothing:
 * queries and keys do not exist at this stage.
 */
export const rope = defineScheme({
  type: 'rope',
  options,
  picture: [
    'Each pair of channels of queries and keys is turned by an angle that grows with the position. Rows stay as they are.',
    'cos',
  ],
  tensorDocs: {
    inv_freq: ['[R/2]', 'The frequencies.'],
    cos: ['[T, R/2]', 'Cosines of position · frequency.'],
    sin: ['[T, R/2]', 'Sines of position · frequency.'],
  },
  check({ head_dim, rotary_dim = head_dim, rope_theta, scaling }) {
    // Reports an odd width under the option that the client set.
    const widthOption = rotary_dim === head_dim ? 'head_dim' : 'rotary_dim'
    if (rotary_dim > head_dim) return refuse('rotary_dim', `must be at most head_dim ${head_dim}`, rotary_dim)
    if (rotary_dim % 2 !== 0) return refuse(widthOption, 'must be even', rotary_dim)
    if (scaling?.type === 'dynamic' && rotary_dim === 2)
      return refuse(widthOption, 'must be above 2 under dynamic scaling', rotary_dim)
    if (scaling?.type === 'yarn' && rope_theta === 1)
      return refuse('rope_theta', 'must be above 1 under yarn scaling', rope_theta)
    if (scaling?.type === 'yarn' && scaling.beta_fast < scaling.beta_slow) {
      const rule = `must be at least beta_slow ${scaling.beta_slow}`
      return refuse('scaling.beta_fast', rule, scaling.beta_fast)
    }
    if (scaling?.type === 'llama3' && scaling.high_freq_factor <= scaling.low_freq_factor) {
      const rule = `must be above low_freq_factor ${scaling.low_freq_factor}`
      return refuse('scaling.high_freq_factor', rule, scaling.high_freq_factor)
    }
    return undefined
  },
  tensors({ head_dim, rotary_dim = head_dim, rope_theta, precision, scaling }, { length, offset }) {
    const attentionFactor = attentionFactorOf(scaling)
    const inverseAt = ropeFrequencies({
      rotaryDim: rotary_dim,
      theta: rope_theta,
      precision,
      scaling,
      sequenceLength: offset + length,
    })
    const pairs = rotary_dim / 2
    const inverse = numbers(pairs, inverseAt)
    const single = precision === 'float32'
    const angle = (single ? singleAngle : doubleAngle)(inverse)
    // PyTorch multiplies rounded cosines by a rounded factor.
    const scaled = single
      ? (value: number) => fround(value) * fround(attentionFactor)
      : (value: number) => value * attentionFactor

    const table = (name: string, wave: (radians: number) => number): ComputedTensor => ({
      name,
      dtype: 'float32',
      shape: [length, pairs], // [T, R/2]
      fill: fillRows(pairs, (out, at, row, from, to) => {
        for (let pair = from; pair < to; pair++, at++) out[at] = scaled(wave(angle(offset + row, pair)))
      }),
    })

    return [
      preparedTensor('inv_freq', [pairs], () => inverse), // [R/2]
      table('cos', Math.cos),
      table('sin', Math.sin),
    ]
  },
  metadata: ({ layout }) => ({ layout }),
})
