import type { StopSignal } from './turn.js'

/**
 * The memory that one request has reserved, and whether its answer is still wanted. Long work asks the claim
 * between two turns of the event loop whether to go on, and reserves memory before it allocates it.
 */
export interface Claim extends StopSignal {
  /**
   * Reserves bytes before they are allocated. Undefined where there is room at once, else a promise that settles
   * when there is: `await claim.take(n)` is right in both cases.
   *
   * @throws InletError `invalid_request` at once, where one request can never hold so many bytes. The promise
   *   rejects with `overloaded` where the wait is too long, and with the error that the claim is aborted with
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
   * Keeps what is reserved until `work` has settled, though the request may end before: for work in another thread, which
   * goes on with the request's bytes when nobody waits for it any more.
   */
  outlast(work: Promise<unknown>): void
  /** Milliseconds that the request has waited for room so far. Absent: nothing makes it wait. */
  readonly waitedMs?: number
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
