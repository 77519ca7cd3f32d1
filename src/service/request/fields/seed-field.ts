import { z } from 'zod'
import { DECIMAL_SEED, parseSeed, SEED_RULE } from '../../../first-layer/random/seed.js'
import { customForms } from './fields.js'

/** A seed as PyTorch's `manual_seed` takes it. Beyond 2^53 − 1, where JSON numbers are not exact, as a decimal string. */
export const seedField = z
  .custom<number | string>()
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
