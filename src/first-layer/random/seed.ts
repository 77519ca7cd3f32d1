const LEAST = -(2n ** 63n)
const GREATEST = 2n ** 64n - 1n

/** The range of `torch.manual_seed`, 64 bits with or without a sign, for messages. */
export const SEED_RANGE = 'from −2^63 to 2^64 − 1'

export const SEED_RULE = `must be an integer ${SEED_RANGE}, as a decimal string beyond ±(2^53 − 1)`

/** A seed as decimal text; {@link isSeed} checks its range. */
export const DECIMAL_SEED = /^-?[0-9]{1,20}$/

export function isSeed(seed: bigint): boolean {
  return seed >= LEAST && seed <= GREATEST
}

/** `123`, `123n` or `"18446744073709551615"` → bigint in torch's range; undefined for any other value. */
export function parseSeed(value: unknown): bigint | undefined {
  const isInteger = typeof value === 'string' ? DECIMAL_SEED.test(value) : Number.isSafeInteger(value)
  if (!isInteger && typeof value !== 'bigint') return undefined
  const seed = BigInt(value as string | number | bigint)
  return isSeed(seed) ? seed : undefined
}
