import type { Stop } from '../../first-layer/running/wait.js'

/** Tells work, between two turns, whether it is still wanted. An AbortSignal is a StopSignal. */
export interface StopSignal {
  /** Throws if the work is not wanted any more. */
  throwIfAborted(): void
  /** For how many turns it has waited. */
  turns?: number
}

/**
 * The memory that one request has reserved, and whether its answer is still wanted. Long work asks the claim
 * between two turns of the event loop whether to go on, and reserves memory before it allocates it.
 */
export interface Claim extends StopSignal, Stop {
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
   * Keeps the reservation until `work` has settled, even if the request ends before: work in another thread continues
   * to use the request's bytes.
   */
  outlast(work: Promise<unknown>): void
}

/** The client closed the connection: no answer can be sent, and the service has not failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error, or its cause, is that the client has gone. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}
