import { z } from 'zod'

/** Most heads or channels, more than any model has: a typing error must not ask for gigabytes. */
export const MAX_WIDTH = 65_536

/** The largest count of positions an option may name: indices are int32. */
export const MAX_POSITIONS = 2_147_483_647

/** A positive whole number up to `max`. */
export const count = (max: number) => z.int().min(1).max(max)

/** A name in a registry; messages list the names without quotes. */
export const name = <const Value extends string>(values: readonly Value[]) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` })

/** The base of geometric frequencies. Below 1 they would grow; 10³⁰ is still finite in float32. */
export const frequencyBase = () => z.number().min(1).max(1e30).default(10_000)

export const numHeads = () => count(MAX_WIDTH).default(8).describe('Number of attention heads H.')

export const headDim = () => count(MAX_WIDTH).default(64).describe('Width of one attention head, D.')

export const keyLength = () =>
  count(MAX_POSITIONS)
    .optional()
    .describe('Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length.')
