import type { PositionType } from './recipe.js'

/** An option of a scheme: its default as a number, or what can be chosen, the default first. */
export interface SchemeOption {
  readonly name: string
  readonly standard: number | readonly string[]
}

const heads: SchemeOption = { name: 'num_heads', standard: 8 }
const headDim: SchemeOption = { name: 'head_dim', standard: 64 }

/** The position schemes, and the options that the page offers; defaults are the interface's. */
export const SCHEMES: Readonly<Record<PositionType, readonly SchemeOption[]>> = {
  learned_absolute: [],
  sinusoidal: [],
  rope: [
    headDim,
    { name: 'rope_theta', standard: 10_000 },
    { name: 'layout', standard: ['half', 'interleaved'] },
  ],
  alibi: [heads, { name: 'form', standard: ['causal', 'symmetric', 'key'] }],
  t5: [
    heads,
    { name: 'num_buckets', standard: 32 },
    { name: 'max_distance', standard: 128 },
    { name: 'bidirectional', standard: ['true', 'false'] },
  ],
  shaw: [{ name: 'max_relative_position', standard: 16 }, headDim],
  transformer_xl: [heads, { name: 'memory_length', standard: 0 }],
  deberta: [
    { name: 'position_buckets', standard: 256 },
    { name: 'max_relative_positions', standard: 512 },
  ],
  none: [],
}
