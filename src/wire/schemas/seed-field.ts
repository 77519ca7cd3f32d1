import { z } from 'zod'

const MIN = -(2n ** 63n)
const MAX = 2n ** 64n - 1n

/** `123` or `"18446744073709551615"` → bigint in torch's range; undefined where it is neither. */
export function parseSeed(value: unknown): bigint | undefined {
  let seed: bigint
  if (typeof value === 'number' && Number.isSafeInteger(value)) seed = BigInt(value)
  else if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) seed = BigInt(value)
  else return undefined
  return seed >= MIN && seed <= MAX ? seed : undefined
}

/**
 * A seed as PyTorch's `manual_seed` takes it. Beyond 2^53 − 1, where JSON numbers are not exact, as a decimal
 * string.
 */
export const seedField = z
  .custom<number | string>()
  .transform((value, context) => {
    const seed = parseSeed(value)
    if (seed !== undefined) return seed
    context.addIssue({
      code: 'custom',
      message: 'must be an integer from −2^63 to 2^64 − 1, as a decimal string beyond ±(2^53 − 1)',
    })
    return z.NEVER
  })
  .meta({
    anyOf: [
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', pattern: '^-?[0-9]{1,20}$' },
    ],
  })
