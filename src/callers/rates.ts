import { HeaderedError, type InletError } from '../errors.js'
import { charge, MONOTONIC, takeOne, wait } from './bucket.js'
import type { Caller, Limit } from './caller.js'
import type { Policy, PolicyName } from './caller-limits.js'
import { whole } from './rate-fields.js'

/** Policy → the name of its units in a message. */
const UNITS: Readonly<Record<PolicyName, string>> = {
  requests: 'requests',
  bytes: 'bytes of bodies',
  tokens: 'tokens',
  'tokens-day': 'tokens',
}

/** A limit that refuses, and the seconds until it accepts again. */
export interface Refusal {
  readonly limit: Limit
  readonly seconds: number
}

/** Takes one request from the caller's bucket, or returns the limit that refuses longest; then nothing was taken. */
export function takeRequest({ limits }: Caller, now: bigint): Refusal | undefined {
  let longest: Refusal | undefined
  for (const limit of limits) {
    const seconds = wait(limit, now)
    if (seconds > (longest?.seconds ?? 0)) longest = { limit, seconds }
  }
  if (longest !== undefined) return longest
  const requests = limitOf(limits, 'requests')
  if (requests === undefined) return undefined
  const seconds = takeOne(requests, now)
  return seconds === 0 ? undefined : { limit: requests, seconds }
}

/** Charges the tokens of a request that has ended. The buckets may then be in debt. */
export function chargeTokens({ limits }: Caller, tokens: number): void {
  if (tokens === 0 || limits.length === 0) return
  const now = MONOTONIC()
  for (const limit of limits) if (limit.name.startsWith('tokens')) charge(limit, tokens, now)
}

export function limitOf(limits: readonly Limit[], name: PolicyName): Limit | undefined {
  return limits.find((limit) => limit.name === name)
}

/** 429 `rate_limited` with the policy that refuses and the seconds until it accepts again, in `Retry-After` too. */
export function rateLimited({ name, quota, seconds }: Omit<Policy, 'word'>, untilMore: number): InletError {
  const retryAfter = Math.max(1, whole(untilMore))
  const rule = `${quota} ${UNITS[name]} in ${Number(seconds.toPrecision(6))} s`
  const message = `This key may use ${rule}. Try again in ${retryAfter} s.`
  return new HeaderedError('rate_limited', message, null, { 'retry-after': String(retryAfter) })
}
