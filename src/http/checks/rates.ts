import type { FastifyReply, FastifyRequest } from 'fastify'
import { charge, MONOTONIC, takeOne, wait } from '../../callers/bucket.js'
import type { Caller, Limit } from '../../callers/caller.js'
import type { Policy } from '../../callers/caller-limits.js'
import { rateField, whole } from '../../callers/rate-fields.js'
import type { Usage } from '../../callers/usage.js'
import { InletError } from '../../errors.js'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'
import type { RequestEnd } from '../lifetime/request-end.js'
import { countArriving } from './arriving-bytes.js'

/** Policy → what its units are in a message. */
const UNITS = {
  requests: 'requests',
  bytes: 'bytes of bodies',
  tokens: 'tokens',
  'tokens-day': 'tokens',
} as const

/**
 * Takes one request and its body's bytes from the caller's buckets, and says in the answer's head what is left. Tokens
 * are charged when they are known, at the request's end: a caller whose last request took more than there was waits
 * until that has come back.
 *
 * @throws InletError `rate_limited` with `Retry-After`
 */
export function checkRates(caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  const now = MONOTONIC()
  const refused = refusal(caller.limits, now)
  reply.header('ratelimit-policy', caller.policyField)
  if (refused !== undefined) {
    reply.header(
      'ratelimit',
      rateField(caller.limits, now, { name: refused.limit.name, seconds: Math.max(1, refused.seconds) }),
    )
    throw rateLimited(refused.limit, refused.seconds)
  }
  const bytes = limitOf(caller, 'bytes')
  if (bytes !== undefined) chargeBody(bytes, request, now)
  reply.header('ratelimit', rateField(caller.limits, now))
}

/**
 * A short body is charged at once. A longer one is as it arrives, and so is one whose length no header says: a header
 * may claim any length, of a body that is then refused or never sent.
 */
function chargeBody(bytes: Limit, { headers, raw }: FastifyRequest, now: bigint): void {
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && length <= SMALL_BODY_BYTES) charge(bytes, length, now)
  else countArriving(raw, (arrived) => charge(bytes, arrived, MONOTONIC()))
}

/** A limit that refuses, and the seconds until it does not. */
interface Refusal {
  readonly limit: Limit
  readonly seconds: number
}

/** The limit that refuses longest; undefined where none does, and a request was taken. */
function refusal(limits: readonly Limit[], now: bigint): Refusal | undefined {
  let longest: Refusal | undefined
  for (const limit of limits) {
    const seconds = wait(limit, now)
    if (seconds > (longest?.seconds ?? 0)) longest = { limit, seconds }
  }
  if (longest !== undefined) return longest
  const requests = limits.find(({ name }) => name === 'requests')
  if (requests === undefined) return undefined
  const seconds = takeOne(requests, now)
  return seconds === 0 ? undefined : { limit: requests, seconds }
}

/** 429 `rate_limited`, with the policy that refuses and the seconds until it does not. */
export function rateLimited({ name, quota, seconds }: Omit<Policy, 'word'>, untilMore: number): InletError {
  const retryAfter = Math.max(1, whole(untilMore))
  const rule = `${quota} ${UNITS[name]} in ${Number(seconds.toPrecision(6))} s`
  const message = `This key may use ${rule}. Try again in ${retryAfter} s.`
  return new InletError('rate_limited', message, null, { 'retry-after': String(retryAfter) })
}

function limitOf({ limits }: Caller, name: Limit['name']): Limit | undefined {
  return limits.find((limit) => limit.name === name)
}

/** Makes the listener that counts each caller's request when it ends, and charges its tokens. */
export function countUse(usage: Usage) {
  return (request: FastifyRequest, _reply: FastifyReply, { bytes }: RequestEnd): void => {
    const { caller, errorCode, figures } = request
    if (caller?.account === undefined) return
    const tokens = figures?.numTokens ?? 0
    usage.count(caller.account, { rateLimited: errorCode === 'rate_limited', tokens, bytes })
    if (tokens === 0 || caller.limits.length === 0) return
    const now = MONOTONIC()
    for (const limit of caller.limits) if (limit.word >= FIRST_OF_TOKENS) charge(limit, tokens, now)
  }
}

/** The words of the buckets for tokens follow those of requests and bytes. */
const FIRST_OF_TOKENS = 2
