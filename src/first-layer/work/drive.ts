import { type Blocks, PAUSE, type Step, type Steps } from '../steps.js'
import { type Claim, UNBOUNDED } from './claim.js'
import { isTurnOver, nextTurn } from './turn.js'

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
  return drive(UNBOUNDED, steps)
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
   * Goes on up to an item, the end, or a promise for which the work has to wait.
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
