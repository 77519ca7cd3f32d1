import { z } from 'zod'
import { frequencyBase } from '../../options/rules.js'
import { defineScheme, numbers, refuse } from './scheme.js'
import { type Angle, dividedAngle, doubleAngle, fillSinusoids, singleAngle } from './sinusoids.js'

const fround = Math.fround

const options = z.strictObject({
  base: frequencyBase().describe('Base of the geometric progression of wavelengths.'),
  variant: z
    .enum(['vaswani', 'tensor2tensor'])
    .default('vaswani')
    .describe('The paper’s frequencies base^(−2i/C), or tensor2tensor’s base^(−i/(C/2−1)).'),
  layout: z
    .enum(['interleaved', 'concatenated'])
    .optional()
    .describe(
      'Sines and cosines in turns, or one half each. Absent: interleaved for vaswani, else concatenated.',
    ),
  precision: z
    .enum(['float64', 'float32'])
    .default('float64')
    .describe('float64: computed in double, rounded once. float32: as a float32 PyTorch module computes it.'),
})
type Options = z.output<typeof options>

/**
 * The angle of each frequency at each position, ⌊C/2⌋ frequencies, in the precision of the options.
 * The defaults at C = 4: position 3, index 1 → 3 / 10000^(2/4) = 0.03.
 */
export function sinusoidalAngle({ base, variant, precision }: Options, embeddingDim: number): Angle {
  const half = embeddingDim >> 1
  // PyTorch's float32 form, exp(i · −ln(base)/…), and tensor2tensor compute with this step of the natural exponents.
  const step =
    variant === 'vaswani' ? (-Math.log(base) * 2) / embeddingDim : -Math.log(base) / Math.max(half - 1, 1)
  if (precision === 'float32') {
    // vaswani multiplies 0, 2, 4, … by −ln(base)/C; tensor2tensor 0, 1, 2, … by its whole step.
    const stride = variant === 'vaswani' ? 2 : 1
    const frequencyAt = (i: number) => fround(Math.exp(fround(stride * i * fround(step / stride))))
    return singleAngle(numbers(half, frequencyAt))
  }
  if (variant === 'tensor2tensor') return doubleAngle(numbers(half, (i) => Math.exp(i * step)))
  return dividedAngle(numbers(half, (i) => base ** ((2 * i) / embeddingDim)))
}

/**
 * Fixed sines and cosines of geometric wavelengths (the 2017 Transformer): `position_embeddings` [T, C], any
 * position. PE(p, 2i) = sin(p / base^(2i/C)), PE(p, 2i+1) = cos of the same; row 0 of C = 4 is `[0, 1, 0, 1]`.
 *
 * Vaswani et al. 2017, §3.5; `get_timing_signal_1d` of tensor2tensor. `precision: float32` rounds where a PyTorch module
 * rounds, but with a correctly rounded `exp`: PyTorch's differs by a last bit in some frequencies, up to 3.1e-5 in the
 * table at position 1023. Does not scale the token rows by √C.
 */
export const sinusoidal = defineScheme({
  type: 'sinusoidal',
  options,
  picture: [
    'Sines and cosines with ever longer waves. Nothing is learned, and there is a row for every position.',
  ],
  added: 'position_embeddings',
  tensorDocs: { position_embeddings: ['[T, C]', 'The rows that are added to the token rows.'] },
  check({ variant }, { embeddingDim }) {
    if (embeddingDim % 2 === 0 || variant === 'tensor2tensor') return undefined
    return refuse('variant', `must be tensor2tensor where embedding_dim is odd (${embeddingDim})`, variant)
  },
  tensors(chosen, { length, offset, embeddingDim, firstRow = 0, zeroRow = -1 }) {
    const angle = sinusoidalAngle(chosen, embeddingDim)
    const fillRows = fillSinusoids({
      width: embeddingDim,
      layout: chosen.layout ?? (chosen.variant === 'vaswani' ? 'interleaved' : 'concatenated'),
      angle,
      positionOf: (row) => firstRow + offset + row,
    })
    const zerosFrom = (zeroRow - firstRow - offset) * embeddingDim
    const fill = (out: Float32Array | Int32Array, start: number) => {
      fillRows(out, start)
      const [from, to] = [zerosFrom - start, zerosFrom - start + embeddingDim]
      if (zeroRow >= 0 && to > 0) out.fill(0, Math.max(0, from), to)
    }
    return [
      {
        name: 'position_embeddings',
        dtype: 'float32',
        shape: [length, embeddingDim], // [T, C]
        fill,
      },
    ]
  },
})
