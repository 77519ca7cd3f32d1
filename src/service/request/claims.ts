import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Model } from '../../first-layer/embeddings/model.js'
import { deadlineExceeded, InletError, shown } from '../answer/error-table.js'
import { whenEnded } from '../answer/request-end.js'
import type { Lease, Models } from '../models/library/models.js'
import { type Claim, ClientGone } from '../process/turn.js'
import { checkModel } from './checks/callers.js'
import type { Load } from './load/load.js'
import { hasLargeBody, RequestClaim } from './load/request-claim.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the request has reserved, and whether its answer is still wanted. Probes have none. */
    claim: Claim & Pick<RequestClaim, 'abort'>
    deadline: Deadline
  }
}

const SECONDS = /^\d{1,9}(\.\d{1,9})?$/

/** The time in which a request's answer must begin. */
export class Deadline {
  readonly #started = performance.now()
  #timer: NodeJS.Timeout
  /** Present where the request asks for less time than others have. */
  #milliseconds: number | undefined

  /** @param expire called with the limit in words, for the error */
  constructor(
    private readonly seconds: number,
    private readonly expire: (limit: string) => void,
  ) {
    this.#timer = setTimeout(expire, 1000 * seconds, `${seconds} s, REQUEST_DEADLINE_SECONDS`)
  }

  /** Restarts the usual time limit. */
  renew(): void {
    if (this.#milliseconds === undefined) this.#timer.refresh()
  }

  /** Gives a request less time than others have: `milliseconds` from its arrival. Does nothing if it has less already. */
  shorten(milliseconds: number, limit: string): void {
    if (milliseconds >= (this.#milliseconds ?? 1000 * this.seconds)) return
    this.#milliseconds = milliseconds
    clearTimeout(this.#timer)
    const left = this.#started + milliseconds - performance.now()
    if (left <= 0) this.expire(limit)
    else this.#timer = setTimeout(this.expire, left, limit)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * Gives each request of a route its claim and its deadline, which `X-Request-Timeout` may shorten; probes have neither. A
 * deadline that passes before the answer has begun aborts the claim with `deadline_exceeded`. One that passes later also
 * cuts the connection, so that the client sees that the answer is not whole.
 * @throws InletError `invalid_request` (in the hook) where that header is not decimal seconds above 0
 */
export function addClaims(app: FastifyInstance, load: Load, seconds: number, onDeadline: () => void): void {
  for (const name of ['claim', 'deadline', 'usedModel']) app.decorateRequest(name)
  const begin: onRequestHookHandler = (request, { raw }, done) => {
    const claim = new RequestClaim(load, hasLargeBody(request))
    request.claim = claim
    request.deadline = new Deadline(seconds, (limit) => {
      onDeadline()
      claim.abort(deadlineExceeded(limit))
      if (raw.headersSent) raw.destroy()
    })
    load.openRequests++
    whenEnded(request, () => {
      load.openRequests--
      request.deadline.end()
      claim.end()
    })
    const asked = request.headers['x-request-timeout']
    if (asked !== undefined)
      request.deadline.shorten(1000 * secondsOf(asked), `${asked} s, as X-Request-Timeout asks`)
    done()
  }
  app.addHook('onRoute', (route) => {
    const { config, onRequest } = route
    if (!config?.isProbe && !config?.methodNotAllowed) route.onRequest = [begin, onRequest ?? []].flat()
  })
}

function secondsOf(header: string | string[]): number {
  const seconds = Number(header)
  if (SECONDS.test(String(header)) && seconds > 0) return seconds
  const message = `\`X-Request-Timeout\` must be decimal seconds above 0 and below 10^9, such as 2.5. Given: ${shown(header)}`
  throw new InletError('invalid_request', message, 'x-request-timeout')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The model of which the request uses rows or the tokenizer, for log, metrics and traces. */
    usedModel?: string
  }
}

/**
 * Leases a model for this request, which uses one version of it to its end, even if the tables change.
 * @param id absent: the default model
 * @throws InletError `forbidden` where the caller may not use it, and as `Models.lease`
 * @throws ClientGone where the request has ended while the model was made
 */
export function leased(request: FastifyRequest, models: Models, id?: string): Model | Promise<Model> {
  checkModel(request, models, id ?? models.defaultModel)
  const lease = models.lease(id, request.claim)
  return lease instanceof Promise ? lease.then((own) => hold(request, own)) : hold(request, lease)
}

function hold(request: FastifyRequest, lease: Lease): Model {
  if (request.hasEnded) {
    lease.release()
    throw new ClientGone()
  }
  request.usedModel = lease.model.spec.id
  whenEnded(request, () => lease.release())
  return lease.model
}
