/** Most keys, the admin’s among them: each has its words in shared memory, and lines in `/metrics`. */
export const MAX_CALLERS = 1000

/** One caller's limits; an absent field is no limit. */
export interface CallerLimits {
  readonly requestsPerSecond?: number
  /** Requests at once, after a while without any. Default: those of a second, at least one. */
  readonly burst?: number
  /** Bytes of requests' bodies, as they are sent. */
  readonly bytesPerSecond?: number
  readonly tokensPerSecond?: number
  /** Tokens of a day; they come back evenly over 24 hours. */
  readonly tokensPerDay?: number
}

/** The limits, each with its own bucket. */
const POLICY_NAMES = ['requests', 'bytes', 'tokens', 'tokens-day'] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

/** One limit as a token bucket: `quota` units, which come back evenly in `seconds`. */
export interface Policy {
  readonly name: PolicyName
  readonly quota: number
  readonly seconds: number
  /** Index of the bucket's word among the caller's words. */
  readonly word: number
}

const DAY_SECONDS = 86_400

/** `{ requestsPerSecond: 2, burst: 10 }` → `[{ name: 'requests', quota: 10, seconds: 5, word: 0 }]`. */
export function policiesOf(limits: CallerLimits = {}): readonly Policy[] {
  const { requestsPerSecond, bytesPerSecond, tokensPerSecond, tokensPerDay } = limits
  const { burst = Math.max(1, Math.ceil(requestsPerSecond ?? 1)) } = limits
  const given: readonly [PolicyName, number | undefined, number][] = [
    ['requests', requestsPerSecond && burst, burst / (requestsPerSecond ?? 1)],
    ['bytes', bytesPerSecond, 1],
    ['tokens', tokensPerSecond, 1],
    ['tokens-day', tokensPerDay, DAY_SECONDS],
  ]
  return given.flatMap(([name, quota, seconds], word) =>
    quota === undefined ? [] : [{ name, quota, seconds, word }],
  )
}
