import { type Blocks, PAUSE, type Step, type Steps } from '../steps.js'

/**
 * Runs long work for a request: in short turns of the event loop, with its claim's memory, until the claim is
 * aborted. The claim's error is then thrown into the work at the step at which it waits.
 *
 * @returns the result itself where the work had nothing to wait for, else a promise: `await` is right in both cases
 * @throws what the work throws, and what the claim is aborted with
 */
export function drive<Result>(claim: Claim, steps: Steps<Result>): Result | Promise<Result> {
  const next = new Drive(claim, steps).next()
  return next instanceof Promise ? next.then(({ value }) => value as Result) : (next.value as Result)
}

/** Runs long work that no request waits for alone, such as what a thread loads once. */
export async function driveAsync<Result>(steps: Steps<Result>): Promise<Result> {
  return drive({ ...UNBOUNDED, turns: 0 }, steps) // each work counts its own turns
}

/** Runs work that yields blocks: each is made when it is asked for, and is valid until the next one is. */
export function driveBlocks(claim: Claim, blocks: Blocks): AsyncIterableIterator<Uint8Array, void, void> {
  return new DrivenBlocks(new Drive(claim, blocks))
}

/** A body's blocks, whether they are steps of this thread's work or come from elsewhere. */
export function drivenBlocks(
  claim: Claim,
  body: Blocks | AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in body ? body : driveBlocks(claim, body)
}

/** One work on its way, from one wait or block to the next. */
class Drive<Item, Result> {
  constructor(
    private readonly claim: Claim,
    private readonly steps: Generator<Step | Item, Result, void>,
  ) {}

  /** The next item, or the result: at once where nothing had to wait. */
  next(): IteratorResult<Item, Result> | Promise<IteratorResult<Item, Result>> {
    const next = this.#until()
    return next instanceof Promise ? this.#wait(next) : next
  }

  /** Ends the work: its `finally` runs. */
  return(result: Result): IteratorResult<Item, Result> | Promise<IteratorResult<Item, Result>> {
    const next = this.#until(() => this.steps.return(result))
    return next instanceof Promise ? this.#wait(next) : next
  }

  async #wait(first: Promise<unknown>): Promise<IteratorResult<Item, Result>> {
    for (let wait = first; ; ) {
      let failure: { readonly error: unknown } | undefined
      try {
        await wait
      } catch (error) {
        failure = { error }
      }
      const { error } = failure ?? {}
      const next = this.#until(failure && (() => this.steps.throw(error)))
      if (!(next instanceof Promise)) return next
      wait = next
    }
  }

  /**
   * Runs up to an item, the end, or a promise that the work must wait for.
   *
   * @param first the first step. Default: the work's next one
   */
  #until(first?: () => IteratorResult<Step | Item, Result>): IteratorResult<Item, Result> | Promise<unknown> {
    let next = first === undefined ? this.steps.next() : first()
    while (!next.done) {
      const step = next.value
      if (typeof step === 'object' && !(step instanceof Promise)) return next as IteratorResult<Item, Result>
      let wait: Promise<unknown> | undefined
      try {
        wait = this.#take(step as Step)
      } catch (error) {
        next = this.steps.throw(error)
        continue
      }
      if (wait !== undefined) return wait
      next = this.steps.next()
    }
    return next
  }

  /** Does what a step asks for; a promise where that takes a while. */
  #take(step: Step): Promise<unknown> | undefined {
    if (step === PAUSE) return isTurnOver() ? nextTurn(this.claim) : undefined
    if (typeof step !== 'number') return this.#outside(step)
    if (step > 0) return this.claim.take(step)
    this.claim.give(-step)
    return undefined
  }

  /** Waits for something outside this thread, or until the claim is aborted. */
  #outside(promise: Promise<unknown>): Promise<unknown> {
    let forget = () => {}
    const aborted = new Promise<never>((_, reject) => {
      forget = this.claim.onAbort(reject)
    })
    return Promise.race([promise, aborted]).finally(forget)
  }
}

class DrivenBlocks implements AsyncIterableIterator<Uint8Array, void, void> {
  /** The block that is being made: the work can be ended only after it. */
  #pending: Promise<unknown> | undefined

  constructor(private readonly work: Drive<Uint8Array, void>) {}

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, void>> {
    const next = this.work.next()
    if (!(next instanceof Promise)) return next
    this.#pending = next
    try {
      return await next
    } finally {
      this.#pending = undefined
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, void>> {
    await this.#pending?.catch(() => {}) // its own caller gets the error
    return this.work.return()
  }
}

/**
 * The memory that one request has reserved, and whether its answer is still wanted. Long work asks the claim
 * between two turns of the event loop whether to go on, and reserves memory before it allocates it.
 */
export interface Claim extends StopSignal {
  /**
   * Reserves bytes before they are allocated. Undefined if there is room at once, else a promise that settles when
   * there is: `await claim.take(n)` works in both cases.
   *
   * @throws InletError `invalid_request` at once if one request can never hold so many bytes. The promise rejects
   *   with `overloaded` where the wait is too long, and with the error that the claim is aborted with
   */
  take(bytes: number): Promise<void> | undefined
  /** Gives back reserved bytes before the request ends; all others go back when it ends. */
  give(bytes: number): void
  /**
   * Calls `act` once when the claim is aborted, at once where it is aborted already: for work that waits for
   * something else than its turn. Returns a function that removes the listener.
   */
  onAbort(act: (error: Error) => void): () => void
  /**
   * Keeps the reservation until `work` has settled, even if the request ends before: work in another thread continues
   * to use the request's bytes.
   */
  outlast(work: Promise<unknown>): void
}

/** A claim without a bound: for the command line and tests, which share the process with no caller. */
export const UNBOUNDED: Claim = {
  throwIfAborted() {},
  take: () => undefined,
  give() {},
  onAbort: () => () => {},
  outlast() {},
}

/** A claim without a bound that ends with `signal`. */
export function unboundedUntil(signal: StopSignal): Claim {
  return { ...UNBOUNDED, throwIfAborted: () => signal.throwIfAborted() }
}

/** Milliseconds that all work of one turn of the event loop shares; one more step may follow the last look. */
const TURN_MS = 1

/** Works that wait for a turn, in the order of their coming. */
const waiting: { readonly goOn: () => void; readonly isShort: boolean }[] = []
/** A work that has waited for more turns is a long one: answers that are sent for minutes, uploads. */
export const MOST_SHORT_TURNS = 256
let isWatched = false
/**
 * A turn accepts one connection. So a long one, such as a large JSON body takes, is followed by turns without work: one
 * for each so many milliseconds.
 */
const REST_MS = 4
let resting = 0
/** When this turn's measuring began (`performance.now()`); undefined: nothing has been measured in this turn. */
let began: number | undefined

/** Tells work, between two turns, whether it is still wanted. An AbortSignal is a StopSignal. */
export interface StopSignal {
  /** Throws if the work is not wanted any more. */
  throwIfAborted(): void
  /** For how many turns it has waited. */
  turns?: number
}

/** Tasks of this thread that wait for the event loop, without the long ones, beside which others must run. */
export function worksWaiting(): number {
  return waiting.reduce((sum, { isShort }) => sum + Number(isShort), 0)
}

/**
 * Whether this turn of the event loop has used up its millisecond, no matter which work used it. Long work looks before
 * each step, the first one too: otherwise a thousand requests that arrive in one turn would all begin in it.
 */
export function isTurnOver(): boolean {
  const now = performance.now()
  if (began === undefined) {
    began = now
    watch()
  }
  return resting > 0 || now - began > TURN_MS
}

/**
 * Waits for the next turn: `if (isTurnOver()) await nextTurn()`. Waiting works continue in order of arrival until the
 * turn's millisecond is over; at least one continues. However many wait, a request that arrives is read after a
 * millisecond.
 *
 * @param signal asked after the wait; what it throws ends the work
 */
export async function nextTurn(signal?: StopSignal): Promise<void> {
  const turns = 1 + (signal?.turns ?? 0)
  if (signal !== undefined) signal.turns = turns
  await new Promise<void>((goOn) => {
    waiting.push({ goOn, isShort: turns <= MOST_SHORT_TURNS })
    watch()
  })
  signal?.throwIfAborted()
}

function watch(): void {
  if (isWatched) return
  isWatched = true
  setImmediate(onTurn)
}

function onTurn(): void {
  isWatched = false
  const took = began === undefined ? 0 : performance.now() - began
  began = undefined
  resting = resting > 0 ? resting - 1 : Math.floor(took / REST_MS)
  if (resting > 0) watch()
  else {
    if (waiting.length > 0) isTurnOver() // the first work's time counts too
    goOn()
  }
}

function goOn(): void {
  waiting.shift()?.goOn()
  // The tick comes after all that the work does before its next wait.
  if (waiting.length > 0) queueMicrotask(() => process.nextTick(goOnOrWatch))
}

function goOnOrWatch(): void {
  if (isTurnOver()) watch()
  else goOn()
}

/** The client closed the connection: no answer can be sent, and the service has not failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error, or its cause, is that the client has gone. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}
