import { setTimeout } from 'node:timers/promises'
import { PassingError } from './hub-error.js'

/** Attempts without a byte between them, before the command gives up. */
const MOST_ATTEMPTS = 5
const FIRST_PAUSE_SECONDS = 1
/** A server that asks for a longer pause is not waited for. */
const LONGEST_PAUSE_SECONDS = 120

/** Waits before another attempt, and may tell the user why. */
export type Pause = (seconds: number, reason: string, signal: AbortSignal) => Promise<void>

export const pause: Pause = (seconds, _, signal) => setTimeout(seconds * 1000, undefined, { signal })

/** The attempts at one transfer: pauses of 1, 2, 4, 8 seconds between them, or as long as the server asks for. */
export class Retries {
  #failed = 0

  constructor(
    private readonly wait: Pause,
    private readonly signal: AbortSignal,
  ) {}

  /** Bytes have come: what failed before does not count. */
  progress(): void {
    this.#failed = 0
  }

  /** Waits after a failure that may pass. @throws the error where it may not, or where it has come too often */
  async after(error: unknown): Promise<void> {
    if (!(error instanceof PassingError) || ++this.#failed >= MOST_ATTEMPTS) throw error
    const seconds = error.retryAfterSeconds ?? FIRST_PAUSE_SECONDS * 2 ** (this.#failed - 1)
    if (seconds > LONGEST_PAUSE_SECONDS) throw error
    await this.wait(seconds, error.message, this.signal)
  }

  /** Runs until it ends well. @throws as {@link after} */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        await this.after(error)
      }
    }
  }
}
