import { z } from 'zod'
import { DECIMAL_SEED, isSeed, SEED_RANGE } from '../../random/seed.js'

/** Most heads or channels, more than any model has: a typing error must not allocate gigabytes. */
export const MAX_WIDTH = 65_536

/** The largest count of positions an option may name: indices are int32. */
export const MAX_POSITIONS = 2_147_483_647

const SEED_RULE = `must be an integer or a decimal string, ${SEED_RANGE}`

/** A positive whole number up to `max`. */
export const count = (max: number) => z.int().min(1).max(max)

/** The base of geometric frequencies: below 1 they would grow; 10³⁰ is still finite in float32. */
export const frequencyBase = () => z.number().min(1).max(1e30).default(10_000)

export const numHeads = () => count(MAX_WIDTH).default(8).describe('Number of attention heads H.')

export const headDim = () => count(MAX_WIDTH).default(64).describe('Width of one attention head, D.')

export const keyLength = () =>
  count(MAX_POSITIONS)
    .optional()
    .describe('Number of keys K, at positions 0 … K−1. Absent: position_offset + context_length.')

/** `torch.manual_seed`'s argument: an integer, or a decimal string where it is beyond 2^53. */
export const seed = () =>
  z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(DECIMAL_SEED, { abort: true })
          .refine((digits) => isSeed(BigInt(digits)), SEED_RULE),
      ],
      { error: SEED_RULE },
    )
    .default(123)
    .describe('Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1.')
