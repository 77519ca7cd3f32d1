import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InletError, shown } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import type { Load } from '../../load/load.js'
import { deadlineExceeded } from '../../load/refusals.js'
import { RequestClaim, SMALL_BODY_BYTES } from '../../load/request-claim.js'
import { measureTurn } from '../../turn.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the request has reserved, and whether its answer is still wanted. */
    claim: Claim
    /** The request's entry in the list of open requests, until the request has ended. */
    openRequest?: OpenRequest | undefined
  }
}

/** Decimal seconds, for `X-Request-Timeout`. */
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/

/** How often the open requests are checked for a passed deadline. */
const LOOK_MS = 250

interface OpenRequest {
  readonly claim: RequestClaim
  readonly reply: FastifyReply
  readonly since: number
  /** Present where the request asks for less time than others have. */
  timer?: NodeJS.Timeout
  /** The milliseconds of `timer`. */
  milliseconds?: number
  before?: OpenRequest | undefined
  after?: OpenRequest | undefined
}

/**
 * Gives each request its claim and a deadline. Where the deadline passes before the answer has begun, the
 * service answers 504 `deadline_exceeded`. Where it passes later, the service closes the connection, so that the
 * client sees that the answer is cut.
 */
export class Claims {
  // A linked list in the order of arrival, which is the order of the usual deadlines. A Map would keep ended
  // requests alive in its outgrown tables until the next full collection: that cost a tenth of a small request
  // (docs/LOG.md).
  #first: OpenRequest | undefined
  #last: OpenRequest | undefined
  #count = 0

  /**
   * @param deadlineSeconds the time of a request that does not ask for less
   * @param onDeadline called for each request whose deadline has passed
   */
  constructor(
    private readonly load: Load,
    private readonly deadlineSeconds: number,
    private readonly onDeadline: () => void,
  ) {}

  /** Requests that are open. */
  get count(): number {
    return this.#count
  }

  /**
   * Adds the hook that gives each request its claim.
   *
   * @throws InletError `invalid_request` (in the hook) where `X-Request-Timeout` is not decimal seconds above 0
   */
  addTo(app: FastifyInstance): void {
    app.decorateRequest('claim')
    app.decorateRequest('openRequest')
    app.addHook('onRequest', (request, reply, done) => {
      measureTurn()
      const claim = new RequestClaim(this.load.admission, hasLargeBody(request))
      const open: OpenRequest = { claim, reply, since: performance.now() }
      request.claim = claim
      request.openRequest = open
      this.#add(open)
      const asked = request.headers['x-request-timeout']
      if (asked !== undefined) {
        this.#shorten(open, 1000 * secondsOf(asked), `${asked} s, as X-Request-Timeout asks`)
      }
      done()
    })
    const look = setInterval(() => this.#expireOldest(), LOOK_MS).unref()
    app.addHook('onClose', async () => clearInterval(look))
  }

  /**
   * Gives a request less time than others have: `milliseconds` from its arrival on. Where it has less already, nothing
   * changes.
   *
   * @param limit the limit in words, for the error
   */
  shorten({ openRequest: open }: FastifyRequest, milliseconds: number, limit: string): void {
    if (open !== undefined) this.#shorten(open, milliseconds, limit)
  }

  #shorten(open: OpenRequest, milliseconds: number, limit: string): void {
    if (milliseconds >= (open.milliseconds ?? 1000 * this.deadlineSeconds)) return
    clearTimeout(open.timer)
    open.milliseconds = milliseconds
    const left = Math.max(0, open.since + milliseconds - performance.now())
    open.timer = setTimeout(() => this.#expire(open, limit), left)
  }

  /** Gives back what the request holds. */
  end(request: FastifyRequest): void {
    const open = request.openRequest
    if (open === undefined) return // the request did not reach the hook, or has ended already
    request.openRequest = undefined
    if (open.timer !== undefined) clearTimeout(open.timer)
    this.#remove(open)
    open.claim.end()
  }

  #add(open: OpenRequest): void {
    open.before = this.#last
    if (this.#last === undefined) this.#first = open
    else this.#last.after = open
    this.#last = open
    this.#count++
  }

  #remove(open: OpenRequest): void {
    const { before, after } = open
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    open.before = open.after = undefined
    this.#count--
  }

  #expireOldest(): void {
    const due = performance.now() - 1000 * this.deadlineSeconds
    for (let open = this.#first; open !== undefined && open.since <= due; open = open.after) {
      this.#expire(open, `${this.deadlineSeconds} s, REQUEST_DEADLINE_SECONDS`)
    }
  }

  #expire({ claim, reply }: OpenRequest, limit: string): void {
    if (claim.isAborted) return
    this.onDeadline()
    claim.abort(deadlineExceeded(limit))
    if (reply.raw.headersSent) reply.raw.destroy()
  }
}

function secondsOf(header: string | string[]): number {
  const seconds = Number(header)
  if (SECONDS.test(String(header)) && seconds > 0) return seconds
  const message = `\`X-Request-Timeout\` must be decimal seconds above 0, such as 2.5. Given: ${shown(header)}`
  throw new InletError('invalid_request', message, 'x-request-timeout')
}

function hasLargeBody({ headers }: FastifyRequest): boolean {
  // The length of such a body is not known before its end.
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES
}
