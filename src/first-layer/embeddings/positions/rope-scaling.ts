import {
  boolean,
  count,
  MAX_POSITIONS,
  number,
  type OptionValues,
  positive,
  variants,
} from '../../options.js'

const factor = () => number(1, 1e6).describe('How many times longer than the original the context is.')

const original = () =>
  count(MAX_POSITIONS).describe('The context length that the model was first trained with.')

const linear = { factor: factor() }

const dynamic = {
  factor: factor(),
  max_position_embeddings: count(MAX_POSITIONS).describe('Up to this length nothing is scaled.'),
  seq_len: count(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The length that the base is computed for. Absent: position_offset + context_length.'),
}

const yarn = {
  factor: factor(),
  original_max_position_embeddings: original(),
  beta_fast: positive(1e9).default(32).describe('Turns above which a frequency stays as it is.'),
  beta_slow: positive(1e9).default(1).describe('Turns below which it is divided by the factor.'),
  mscale: number(0, 1e6).optional().describe('With mscale_all_dim: the attention factor’s numerator.'),
  mscale_all_dim: number(0, 1e6).optional().describe('With mscale: its denominator.'),
  attention_factor: positive(1e6)
    .optional()
    .describe('Multiplies cos and sin. Absent: 0.1·ln(factor) + 1, or the ratio of the two mscales.'),
  truncate: boolean().default(true).describe('Round the ramp’s ends outwards to whole frequencies.'),
}

const llama3 = {
  factor: factor(),
  low_freq_factor: positive(1e9).describe('Turns below which a frequency is divided by the factor.'),
  high_freq_factor: positive(1e9).describe('Turns above which it stays as it is.'),
  original_max_position_embeddings: original(),
}

/** How rotary frequencies are stretched for a context longer than the trained one. */
export const ropeScaling = variants({ linear, dynamic, yarn, llama3 })
  .optional()
  .describe('Stretches the frequencies for a longer context. Absent: none.')

export type DynamicScaling = { readonly type: 'dynamic' } & OptionValues<typeof dynamic>
export type YarnScaling = { readonly type: 'yarn' } & OptionValues<typeof yarn>
export type Llama3Scaling = { readonly type: 'llama3' } & OptionValues<typeof llama3>
export type RopeScaling = NonNullable<(typeof ropeScaling)['value']>
