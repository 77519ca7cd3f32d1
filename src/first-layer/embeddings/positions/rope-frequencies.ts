import { z } from 'zod'
import { count, MAX_POSITIONS } from '../../options/rules.js'

const factor = () =>
  z.number().min(1).max(1e6).describe('How many times longer than the original the context is.')

const original = () =>
  count(MAX_POSITIONS).describe('The context length that the model was first trained with.')

const linear = z.strictObject({ type: z.literal('linear'), factor: factor() })

const dynamic = z.strictObject({
  type: z.literal('dynamic'),
  factor: factor(),
  max_position_embeddings: count(MAX_POSITIONS).describe('Up to this length nothing is scaled.'),
  seq_len: count(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The length that the base is computed for. Absent: position_offset + context_length.'),
})

const yarn = z.strictObject({
  type: z.literal('yarn'),
  factor: factor(),
  original_max_position_embeddings: original(),
  beta_fast: z.number().gt(0).max(1e9).default(32).describe('Turns above which a frequency stays as it is.'),
  beta_slow: z.number().gt(0).max(1e9).default(1).describe('Turns below which it is divided by the factor.'),
  mscale: z
    .number()
    .min(0)
    .max(1e6)
    .optional()
    .describe('With mscale_all_dim: the attention factor’s numerator.'),
  mscale_all_dim: z.number().min(0).max(1e6).optional().describe('With mscale: its denominator.'),
  attention_factor: z
    .number()
    .gt(0)
    .max(1e6)
    .optional()
    .describe('Multiplies cos and sin. Absent: 0.1·ln(factor) + 1, or the ratio of the two mscales.'),
  truncate: z.boolean().default(true).describe('Round the ramp’s ends outwards to whole frequencies.'),
})

const llama3 = z.strictObject({
  type: z.literal('llama3'),
  factor: factor(),
  low_freq_factor: z
    .number()
    .gt(0)
    .max(1e9)
    .describe('Turns below which a frequency is divided by the factor.'),
  high_freq_factor: z.number().gt(0).max(1e9).describe('Turns above which it stays as it is.'),
  original_max_position_embeddings: original(),
})

/** How rotary frequencies are stretched for a context longer than the trained one. */
export const ropeScaling = z
  .discriminatedUnion('type', [linear, dynamic, yarn, llama3], {
    error: ({ code }) =>
      `must be ${code === 'invalid_union' ? 'one of' : 'an object with `type`:'} ${SCALINGS}`,
  })
  .optional()
  .describe('Stretches the frequencies for a longer context. Absent: none.')

const SCALINGS = 'linear, dynamic, yarn, llama3'

type DynamicScaling = z.output<typeof dynamic>
type YarnScaling = z.output<typeof yarn>
type Llama3Scaling = z.output<typeof llama3>
export type RopeScaling = NonNullable<z.output<typeof ropeScaling>>

/** Rounding after each operation: to float32 as PyTorch's tensors do, or not at all. */
type Round = (value: number) => number

interface RopeSettings {
  /** R: the rotated channels, even. */
  readonly rotaryDim: number
  readonly theta: number
  readonly precision: 'float32' | 'float64'
  readonly scaling?: RopeScaling | undefined
  /** o + T: dynamic scaling's length if the options have none. */
  readonly sequenceLength: number
}

/**
 * The frequencies of rotary embeddings in radians per position. R = 4, θ = 10000: `[1, 0.01]`.
 *
 * Su et al. 2021; the scalings as in `modeling_rope_utils.py` of transformers, operation by operation: under float32
 * precision `inv_freq` equals PyTorch's to the bit if its `pow` rounds correctly, and else differs by the last bit.
 * Computes dynamic NTK's base in double (transformers from 4.57 on: in float32).
 *
 * @returns θ^(−2i/R), scaled, for i = 0 … R/2 − 1. Under float32 precision every value is a float32.
 */
export function ropeFrequencies(settings: RopeSettings): (index: number) => number {
  const { scaling, rotaryDim, theta, precision } = settings
  const round: Round = precision === 'float32' ? Math.fround : (value) => value
  const plain = (base: number) => {
    const powerAt = powers(base, rotaryDim, round)
    return (index: number) => round(1 / powerAt(index))
  }
  const frequencyAt = plain(theta)
  switch (scaling?.type) {
    case undefined:
      return frequencyAt
    case 'linear':
      return (i) => round(frequencyAt(i) / round(scaling.factor))
    case 'dynamic':
      return plain(dynamicBase(settings, scaling))
    case 'llama3': {
      const stretch = llama3Stretch(scaling, round)
      return (i) => stretch(frequencyAt(i))
    }
    case 'yarn':
      return yarnBlend(powers(theta, rotaryDim, round), settings, scaling, round)
  }
}

/** θ^(2i/R): wavelengths divided by 2π. */
function powers(base: number, rotaryDim: number, round: Round): (index: number) => number {
  return (i) => round(round(base) ** round((2 * i) / rotaryDim))
}

function dynamicBase({ theta, rotaryDim, sequenceLength }: RopeSettings, scaling: DynamicScaling): number {
  const { factor, max_position_embeddings: trained } = scaling
  const length = Math.max(scaling.seq_len ?? sequenceLength, trained)
  return theta * ((factor * length) / trained - (factor - 1)) ** (rotaryDim / (rotaryDim - 2))
}

/** Divides the frequencies of long waves by the factor, keeps those of short ones, and blends linearly between. */
function llama3Stretch(scaling: Llama3Scaling, round: Round): (frequency: number) => number {
  const { factor, low_freq_factor: low, high_freq_factor: high } = scaling
  const trained = scaling.original_max_position_embeddings
  const longest = round(trained / low)
  const shortest = round(trained / high)
  return (frequency) => {
    // PyTorch divides a number by a tensor as reciprocal · number.
    const wavelength = round(round(1 / frequency) * round(2 * Math.PI))
    if (wavelength > longest) return round(frequency / round(factor))
    if (wavelength < shortest) return frequency
    const turns = round(round(1 / wavelength) * round(trained))
    const smooth = round(round(turns - round(low)) / round(high - low))
    const stretched = round(round(round(1 - smooth) * frequency) / round(factor))
    return round(stretched + round(smooth * frequency))
  }
}

function yarnBlend(
  wavelengthAt: (index: number) => number,
  { rotaryDim, theta }: RopeSettings,
  scaling: YarnScaling,
  round: Round,
): (index: number) => number {
  const [low, high] = yarnRamp(rotaryDim, theta, scaling)
  // As transformers does: a ramp of width 0 would divide by zero.
  const width = (low === high ? high + 0.001 : high) - low
  return (i) => {
    const wavelength = wavelengthAt(i)
    const ramp = Math.min(Math.max(round(round(i - round(low)) / round(width)), 0), 1)
    const kept = round(1 - ramp)
    const interpolated = round(1 / round(round(scaling.factor) * wavelength))
    const extrapolated = round(1 / wavelength)
    return round(round(interpolated * round(1 - kept)) + round(extrapolated * kept))
  }
}

/**
 * The range of frequency indices over which YaRN changes from keeping frequencies to dividing them: from `beta_fast` to
 * `beta_slow` turns within the trained length.
 */
export function yarnRamp(rotaryDim: number, theta: number, scaling: YarnScaling): readonly [number, number] {
  const { beta_fast, beta_slow, truncate, original_max_position_embeddings: trained } = scaling
  const indexOf = (turns: number) =>
    (rotaryDim * Math.log(trained / (turns * 2 * Math.PI))) / (2 * Math.log(theta))
  const low = indexOf(beta_fast)
  const high = indexOf(beta_slow)
  return truncate
    ? [Math.max(Math.floor(low), 0), Math.min(Math.ceil(high), rotaryDim - 1)]
    : [Math.max(low, 0), Math.min(high, rotaryDim - 1)]
}

/** The factor of cos and sin: 1, except under YaRN. */
export function attentionFactorOf(scaling: RopeScaling | undefined): number {
  if (scaling?.type !== 'yarn') return 1
  const { factor, attention_factor, mscale, mscale_all_dim } = scaling
  if (attention_factor !== undefined) return attention_factor
  const scaleBy = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1)
  // As in transformers, a scale of 0 counts as absent.
  if (mscale && mscale_all_dim) return scaleBy(mscale) / scaleBy(mscale_all_dim)
  return scaleBy(1)
}
