import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chargeBytes } from '../../callers/rates.js'
import type { Claim } from '../../load/claim.js'
import { driveBlocks } from '../../load/drive.js'
import type { UpstreamMetrics } from '../../metrics/upstream-metrics.js'
import type { SplicedBody } from '../../wire/completions/spliced-body.js'
import { firstInLine } from '../answers/first-in-line.js'
import { queryOf } from '../body/embedding-source.js'
import { releaseEarly } from '../lifetime/lease.js'
import type { Exchange } from './exchange.js'
import { requestHeaders } from './headers.js'
import { passOn } from './pass-on.js'
import type { Upstream } from './upstream.js'
import { upstreamBodyTooLarge } from './upstream-errors.js'

/** Memory that a body on its way holds at most: a block of rows and a part's text, a megabyte each. */
const SENDING_BYTES = 2 << 20
/** Memory that an answer on its way holds. */
const PASSING_BYTES = 1 << 16

/**
 * Sends a body to the upstream and its answer to the caller. A caller that goes away, or whose time is over, ends the
 * upstream's work.
 *
 * @throws InletError `body_too_large` before a byte goes out; `upstream_failed`, `upstream_timeout` before the answer's head; what the claim is aborted with
 */
export async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  upstream: Upstream,
  body: SplicedBody,
  figures: UpstreamMetrics,
): Promise<undefined> {
  if (body.length > upstream.maxBodyBytes) throw upstreamBodyTooLarge(upstream.maxBodyBytes, body.length)
  await firstInLine(request, reply)
  const { claim } = request
  const wait = claim.take(PASSING_BYTES)
  if (wait !== undefined) await wait
  const route = request.routeOptions.url!
  const query = queryOf(request)
  request.trace?.enter('upstream')
  const trace = request.trace?.headers()
  const own = { key: upstream.key, requestId: request.id, length: body.length, trace }
  const headers = requestHeaders(request.headers, own)
  const begin = () => upstream.post(query === '' ? route : `${route}?${query}`, headers)

  if (request.caller !== undefined) chargeBytes(request.caller, body.length)
  const done = figures.begin(route)
  let exchange = begin()
  let answer: IncomingMessage | undefined
  const forget = claim.onAbort((error) => exchange.end(error))
  try {
    for (let isFirst = true; answer === undefined; isFirst = false) {
      try {
        answer = await answered(exchange, body, claim)
      } catch (error) {
        claim.throwIfAborted()
        if (!isFirst || !exchange.hitClosedConnection) throw error
        exchange.end()
        exchange = begin()
      }
    }
    void exchange.whole.then(() => releaseEarly(request)) // a completion may take minutes
    await passOn(request, reply, exchange, answer)
  } finally {
    forget()
    exchange.end()
    request.trace?.leave({ 'http.response.status_code': answer?.statusCode })
    done(answer?.statusCode, exchange.sent, request.bytesOut ?? 0)
  }
  return undefined
}

/** The answer's head. The body may still be on its way: an upstream may answer before it has read it. */
function answered(exchange: Exchange, body: SplicedBody, claim: Claim): Promise<IncomingMessage> {
  const sent = send(exchange, body, claim)
  return Promise.race([exchange.answer, sent.then(() => exchange.answer)])
}

async function send(exchange: Exchange, body: SplicedBody, claim: Claim): Promise<void> {
  const bytes = Math.min(body.length, SENDING_BYTES)
  const wait = claim.take(bytes)
  if (wait !== undefined) await wait
  await exchange.send(driveBlocks(claim, body.pieces()))
  claim.give(bytes)
}
