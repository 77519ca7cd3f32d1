import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { charge, MONOTONIC } from '../../callers/bucket.js'
import type { Caller, Limit } from '../../callers/caller.js'
import { rateField } from '../../callers/rate-fields.js'
import { limitOf, rateLimited, takeRequest } from '../../callers/rates.js'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'

/**
 * Takes one request and its body's bytes from the caller's buckets; the answer's head shows the remaining units. Tokens
 * are charged at the request's end, when their number is known: after a request that took more than was left, the
 * caller waits until the debt has come back.
 *
 * @throws InletError `rate_limited` with `Retry-After`
 */
export function checkRates(caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
  const now = MONOTONIC()
  const { limits } = caller
  const refused = takeRequest(caller, now)
  reply.header('ratelimit-policy', caller.policyField)
  if (refused !== undefined) {
    const { limit, seconds } = refused
    reply.header('ratelimit', rateField(limits, now, { name: limit.name, seconds: Math.max(1, seconds) }))
    throw rateLimited(limit, seconds)
  }
  const bytes = limitOf(limits, 'bytes')
  if (bytes !== undefined) chargeBody(bytes, request, now)
  reply.header('ratelimit', rateField(limits, now))
}

/**
 * Charges a short body at once, by its length. Charges a long one, and one without a length, as it arrives: a header may
 * claim any length for a body that is then refused or never sent.
 */
function chargeBody(bytes: Limit, { headers, raw }: FastifyRequest, now: bigint): void {
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && length <= SMALL_BODY_BYTES) charge(bytes, length, now)
  else countArriving(raw, (arrived) => charge(bytes, arrived, MONOTONIC()))
}

/** Calls `count` with the length of each part of a body as it arrives. Reads nothing itself: the body's reader gets all. */
function countArriving(raw: IncomingMessage, count: (bytes: number) => void): void {
  if (raw.readableLength > 0) count(raw.readableLength) // arrived with the head, while the request waited its turn
  const { push } = raw
  raw.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) count(chunk.length)
    return push.call(raw, chunk, encoding)
  }
}
