import { z } from 'zod'
import { count, MAX_POSITIONS } from './options.js'

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

const TYPES = 'linear, dynamic, yarn, llama3'

/** How rotary frequencies are stretched for a context longer than the trained one. */
export const ropeScaling = z
  .discriminatedUnion('type', [linear, dynamic, yarn, llama3], {
    error: ({ code }) =>
      code === 'invalid_union' ? `must be one of ${TYPES}` : `must be an object with \`type\`: ${TYPES}`,
  })
  .optional()
  .describe('Stretches the frequencies for a longer context. Absent: none.')

export type DynamicScaling = z.output<typeof dynamic>
export type YarnScaling = z.output<typeof yarn>
export type Llama3Scaling = z.output<typeof llama3>
export type RopeScaling = NonNullable<z.output<typeof ropeScaling>>
