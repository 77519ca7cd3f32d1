import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { EmbedEdge } from '../../first-layer/embed.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { type LoaderRule, loaderOrder } from '../../first-layer/windows/batch.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { deadlineExceeded, InletError, shown } from '../answer/error-table.js'
import { whenEnded } from '../answer/request-end.js'
import type { Lease, Models } from '../models/library/models.js'
import { calculate, FEW } from '../process/calculator.js'
import { type Claim, ClientGone, turn } from '../process/turn.js'
import { checkModel } from './checks/callers.js'
import type { Load, Stage } from './load.js'

/** A request that holds at most this is a small one: 256 KiB. */
export const SMALL_BYTES = 1 << 18
/** A request holds this at least, once it holds anything: what a small one needs is one look at the ledger. 128 KiB. */
const LEAST_BYTES = 1 << 17
/**
 * A request with a longer body is large from the start: 64 KiB of text can be ten milliseconds of work. A body of at
 * most so many bytes is checked and parsed at once, and read to its end where the request is refused.
 */
export const SMALL_BODY_BYTES = 1 << 16

/** Whether the body is, or may be, large: the length of a chunked or packed one is not known before its end. */
export function hasLargeBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES
}

/** One request's claim, from its head to the last byte of its answer. */
export class RequestClaim implements Claim {
  #bytes = 0
  /** Of the ledger: what it needs, and {@link LEAST_BYTES} at least where there is room for them. */
  #held = 0
  #stage: Stage
  #error: Error | undefined
  readonly #stops = new Set<(error: Error) => void>()
  /** What still uses the reservation: the request itself, and background tasks that outlast it. */
  #users = 1

  /** @param isLarge whether the request's body is, or may be, longer than {@link SMALL_BODY_BYTES} */
  constructor(
    private readonly load: Pick<Load, 'take' | 'wait' | 'give' | 'mostBytes'>,
    isLarge: boolean,
  ) {
    this.#stage = isLarge ? 'new' : 'small'
  }

  throwIfAborted(): void {
    if (this.#error !== undefined) throw this.#error
  }

  take(bytes: number): Promise<void> | undefined {
    if (this.#error !== undefined) throw this.#error
    const sum = this.#bytes + bytes
    if (sum <= this.#held) {
      this.#bytes = sum
      return undefined
    }
    if (sum > this.load.mostBytes) throw neverFits(sum, this.load.mostBytes)
    if (this.#stage === 'small' && sum > SMALL_BYTES) this.#stage = 'new'
    const most = Math.max(sum, LEAST_BYTES) - this.#held
    const taken = this.load.take(sum - this.#held, this.#stage, most)
    if (taken === 0) return this.#wait(bytes)
    this.#add(bytes, taken)
    return undefined
  }

  give(bytes: number): void {
    if (this.#error !== undefined) return // `end` gives everything back
    this.#bytes = Math.max(0, this.#bytes - bytes)
    const less = this.#held - Math.max(this.#bytes, LEAST_BYTES)
    if (less <= 0) return
    this.#held -= less
    this.load.give(less)
  }

  onAbort(act: (error: Error) => void): () => void {
    if (this.#error !== undefined) act(this.#error)
    else this.#stops.add(act)
    return () => this.#stops.delete(act)
  }

  /** Ends the work: each wait rejects with this error, and the next `throwIfAborted` throws it. */
  abort(error: Error): void {
    if (this.#error !== undefined) return
    this.#error = error
    for (const stop of this.#stops) stop(error)
    this.#stops.clear()
  }

  outlast(work: Promise<unknown>): void {
    this.#users++
    const done = () => this.#leave()
    work.then(done, done)
  }

  end(): void {
    this.abort(GONE)
    this.#leave()
  }

  #leave(): void {
    if (--this.#users > 0) return
    this.load.give(this.#held)
    this.#held = 0
  }

  #wait(bytes: number): Promise<void> {
    this.load.give(this.#held - this.#bytes) // others may wait for what this one does not need
    this.#held = this.#bytes
    return new Promise((resolve, reject) => {
      const leave = this.load.wait(bytes, this.#stage, (error) => {
        forget()
        if (error !== undefined) return reject(error)
        this.#add(bytes, bytes)
        resolve()
      })
      const forget = this.onAbort(leave)
    })
  }

  #add(bytes: number, more: number): void {
    this.#bytes += bytes
    this.#held += more
    if (this.#stage === 'new') this.#stage = 'begun'
  }
}

function neverFits(bytes: number, most: number): InletError {
  const message = `The request must hold at most ${most} bytes at once, of MAX_BYTES_IN_FLIGHT. It would hold ${bytes}`
  return new InletError('invalid_request', message)
}

/** One error for all ended requests: its stack is never shown. */
const GONE = new ClientGone()

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
  if (request.caller !== undefined) checkModel(request, models, id ?? models.defaultModel)
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

/** Memory that grows step by step, reserved with a claim ahead of its growth. */
export class Reservation {
  #bytes = 0

  constructor(private readonly claim: Claim) {}

  /**
   * Reserves what is missing to `bytes` in all; to be called before they are allocated. Undefined where there
   * is room at once: `await room.reach(n)`.
   * @throws InletError as `Claim.take`
   */
  reach(bytes: number): Promise<void> | undefined {
    const more = bytes - this.#bytes
    if (more <= 0) return undefined
    this.#bytes = bytes
    return this.claim.take(more)
  }

  /** Gives back what is reserved beyond `bytes`: when the memory grows no more, or is no longer used. */
  settle(bytes: number): void {
    this.claim.give(Math.max(0, this.#bytes - bytes))
    this.#bytes = Math.min(this.#bytes, bytes)
  }
}

/** Documents whose running count of windows is reserved. */
const MANY_DOCUMENTS = 4096

/** The edge of a request's work: turns, and the memory of its claim. @param told with all ids, and the milliseconds that they took */
export function edgeOf(claim: Claim, told?: (documents: Documents, milliseconds: number) => void): EmbedEdge {
  const room = new Reservation(claim)
  return {
    stop: claim,
    between: (bytes = 0) => room.reach(bytes)?.then(() => turn(claim)) ?? turn(claim),
    settle: (bytes) => room.settle(bytes),
    hasIds(documents, milliseconds) {
      told?.(documents, milliseconds)
      if (documents.count <= MANY_DOCUMENTS) return undefined
      return claim.take(Float64Array.BYTES_PER_ELEMENT * documents.count)
    },
    order: (count, rule) => loaderOrderOf(count, rule, claim),
  }
}

/** The order of windows under a rule, whose memory is reserved; a long shuffle is drawn in another thread. @see loaderOrder */
export async function loaderOrderOf(
  count: number,
  rule: LoaderRule,
  claim: Claim,
): Promise<Int32Array | undefined> {
  const { shuffle, seed, epoch } = rule
  if (!shuffle || seed === undefined) return undefined
  await claim.take(Int32Array.BYTES_PER_ELEMENT * count)
  if (count <= FEW) return loaderOrder(count, rule)
  return calculate(claim, (work) => work.drawPermutation({ law: 'loader', count, seed, epoch }))
}
