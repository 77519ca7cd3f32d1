import { z } from 'zod'
import { DECIMAL_SEED, isSeed, parseSeed, SEED_RULE } from '../random/seed.js'
import { customForms } from './fields.js'

/** A seed as PyTorch's `manual_seed` takes it. Beyond 2^53 − 1, where JSON numbers are not exact, as a decimal string. */
export const seedField = z
  .custom<number | bigint | string>()
  .transform((value, context) => {
    const seed = parseSeed(value)
    if (seed !== undefined) return seed
    context.addIssue({ code: 'custom', message: SEED_RULE })
    return z.NEVER
  })
  .meta({
    anyOf: [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: DECIMAL_SEED.source },
    ],
  })
  .register(customForms, { kind: 'long_integer' })

const digits = z
  .string()
  .regex(DECIMAL_SEED, { abort: true })
  .refine((text) => isSeed(BigInt(text)), SEED_RULE)

/** The same, kept as it was given. */
export const seedOption = z.union([z.int(), digits], { error: SEED_RULE })

/** The seed of a scheme's tables. */
export const tableSeed = () =>
  seedOption
    .default(123)
    .describe('Seed of torch.manual_seed for the tables: an integer or a decimal string, −2^63 … 2^64−1.')
