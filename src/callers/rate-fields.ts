import { type Bucket, state, wait } from './bucket.js'
import type { Policy, PolicyName } from './caller-limits.js'

/** Quota units, where they are not requests. `content-bytes` is registered, `tokens` is our own. */
const UNITS: Readonly<Partial<Record<PolicyName, string>>> = {
  bytes: ';qu="content-bytes"',
  tokens: ';qu="tokens"',
  'tokens-day': ';qu="tokens"',
}

/**
 * `RateLimit-Policy`: what a caller may use, `"requests";q=100;w=1, "bytes";q=1048576;w=1;qu="content-bytes"`.
 * Source: draft-ietf-httpapi-ratelimit-headers-10, 3; lists of RFC 9651.
 */
export function policyField(policies: readonly Policy[]): string {
  return policies
    .map(
      ({ name, quota, seconds }) =>
        `"${name}";q=${Math.floor(quota)};w=${whole(seconds)}${UNITS[name] ?? ''}`,
    )
    .join(', ')
}

/**
 * `RateLimit`: what is left, and the seconds until all of it is there again: `"requests";r=50;t=1`; where nothing is
 * left, those until the next unit.
 *
 * @param refused a policy that refuses the request, and the seconds until it does not: its `t` equals
 *   `Retry-After`
 * Source: draft-ietf-httpapi-ratelimit-headers-10, 4.
 */
export function rateField(
  limits: readonly (Policy & Bucket)[],
  now: bigint,
  refused?: { readonly name: PolicyName; readonly seconds: number },
): string {
  return limits
    .map((limit) => {
      if (limit.name === refused?.name) return `"${limit.name}";r=0;t=${whole(refused.seconds)}`
      const { units, seconds } = state(limit, now)
      return `"${limit.name}";r=${units};t=${whole(units === 0 ? wait(limit, now) : seconds)}`
    })
    .join(', ')
}

/** Structured fields hold integers of at most 15 digits. */
const MOST = 999_999_999_999_999

export function whole(seconds: number): number {
  return Math.min(MOST, Math.ceil(seconds))
}
