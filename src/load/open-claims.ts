import type { Admission } from './admission.js'
import { deadlineExceeded } from './refusals.js'
import { RequestClaim } from './request-claim.js'

/** How often open claims are checked for a passed deadline. */
const LOOK_MS = 250

/** An answer that can be cut off. */
interface Answer {
  readonly headersSent: boolean
  destroy(): unknown
}

/** The claim of a request that is open, and its deadline. */
export interface OpenClaim {
  readonly claim: RequestClaim
  readonly answer: Answer
  /** When its time began. */
  since: number
  /** Present where the request asks for less time than others have. */
  timer?: NodeJS.Timeout
  /** The milliseconds of `timer`. */
  milliseconds?: number
  before?: OpenClaim | undefined
  after?: OpenClaim | undefined
}

/**
 * The claims of all open requests of a thread, with their deadlines. A deadline that passes before the answer has begun
 * aborts the claim with `deadline_exceeded`. One that passes later also cuts the connection, so that the client sees that
 * the answer is not whole.
 */
export class OpenClaims {
  // A linked list in the order of arrival, which is the order of the usual deadlines. A Map would keep ended requests
  // alive in its outgrown tables until the next full collection: that cost a tenth of a small request (docs/LOG.md).
  #first: OpenClaim | undefined
  #last: OpenClaim | undefined
  #count = 0

  /**
   * @param deadlineSeconds the time of a request that does not ask for less
   * @param onDeadline called for each request whose deadline has passed
   */
  constructor(
    private readonly admission: Admission,
    private readonly deadlineSeconds: number,
    private readonly onDeadline: () => void,
  ) {}

  /** Number of open requests. */
  get count(): number {
    return this.#count
  }

  /** Begins a claim. @param large as of {@link RequestClaim} */
  begin(answer: Answer, large: boolean): OpenClaim {
    const claim = new RequestClaim(this.admission, large)
    const open: OpenClaim = { claim, answer, since: performance.now(), before: this.#last }
    if (this.#last === undefined) this.#first = open
    else this.#last.after = open
    this.#last = open
    this.#count++
    return open
  }

  /** Ends a claim: the request gives back all that it holds. */
  end(open: OpenClaim): void {
    clearTimeout(open.timer)
    this.#unlink(open)
    this.#count--
    open.claim.end()
  }

  /** Lets the usual time of a request begin anew. */
  renew(open: OpenClaim): void {
    if (this.#last !== open) {
      this.#unlink(open)
      open.before = this.#last
      if (this.#last === undefined) this.#first = open
      else this.#last.after = open
      this.#last = open
    }
    open.since = performance.now()
  }

  #unlink(open: OpenClaim): void {
    const { before, after } = open
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    open.before = open.after = undefined
  }

  /**
   * Gives a request less time than others have: `milliseconds` from its arrival. Does nothing if it has less already.
   *
   * @param limit the limit in words, for the error
   */
  shorten(open: OpenClaim, milliseconds: number, limit: string): void {
    if (milliseconds >= (open.milliseconds ?? 1000 * this.deadlineSeconds)) return
    clearTimeout(open.timer)
    open.milliseconds = milliseconds
    const left = Math.max(0, open.since + milliseconds - performance.now())
    open.timer = setTimeout(() => this.#expire(open, limit), left)
  }

  /** Checks the deadlines from now on. @returns stops the checks */
  watch(): () => void {
    const look = setInterval(() => this.#expireOldest(), LOOK_MS).unref()
    return () => clearInterval(look)
  }

  #expireOldest(): void {
    const due = performance.now() - 1000 * this.deadlineSeconds
    for (let open = this.#first; open !== undefined && open.since <= due; open = open.after) {
      this.#expire(open, `${this.deadlineSeconds} s, REQUEST_DEADLINE_SECONDS`)
    }
  }

  #expire({ claim, answer }: OpenClaim, limit: string): void {
    if (claim.isAborted) return
    this.onDeadline()
    claim.abort(deadlineExceeded(limit))
    if (answer.headersSent) answer.destroy()
  }
}
