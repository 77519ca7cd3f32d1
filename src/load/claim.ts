import type { StopSignal } from '../turn.js'

/**
 * What one request holds of the process while it is served: bytes in flight, and the right to go on. Long work asks
 * it between two turns of the event loop whether it is still wanted, and reserves memory before it takes it.
 */
export interface Claim extends StopSignal {
  /**
   * Reserves bytes before they are taken. Undefined where there is room at once; else a promise that waits in the
   * queue for room: `await claim.take(n)` is right in both cases.
   *
   * @throws InletError `overloaded` (the promise rejects) where the wait is too long, `deadline_exceeded`
   */
  take(bytes: number): Promise<void> | undefined
  /** Gives back some of them before the request ends; what is left goes back by itself when it has ended. */
  give(bytes: number): void
  /**
   * Calls `act` once when the work is no longer wanted, at once where it is not: for what waits for something else
   * than a turn. Returns what takes the listener back.
   */
  onAbort(act: (error: Error) => void): () => void
}

/** A claim without a bound: for the command line and tests, where nobody shares the process. */
export const UNBOUNDED: Claim = {
  throwIfAborted() {},
  take: () => undefined,
  give() {},
  onAbort: () => () => {},
}

/** A claim without a bound that ends with `signal`. */
export function unboundedUntil(signal: StopSignal): Claim {
  return { ...UNBOUNDED, throwIfAborted: () => signal.throwIfAborted() }
}
