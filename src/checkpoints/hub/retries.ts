import { setTimeout } from 'node:timers/promises'
import { PassingError } from './errors.js'

/** Attempts without a byte between them before the command fails. */
const MOST_ATTEMPTS = 5
const FIRST_PAUSE_SECONDS = 1
/** The command fails at once if a server asks for a longer pause. */
const LONGEST_PAUSE_SECONDS = 120

/** Waits before another attempt, and may show the user why. */
export type Pause = (seconds: number, reason: string, signal: AbortSignal) => Promise<void>

export const pause: Pause = (seconds, _, signal) => setTimeout(seconds * 1000, undefined, { signal })

interface Attempts {
  readonly pause: Pause
  readonly signal: AbortSignal
}

/** The attempts at one transfer: pauses of 1, 2, 4, 8 seconds between them, or as long as the server asks for. */
export class Retries {
  #failed = 0

  constructor(private readonly hub: Attempts) {}

  /** Bytes have come: counts failures anew. */
  progress(): void {
    this.#failed = 0
  }

  /** Waits after a failure that may pass. @throws the error if it may not, or has come too often */
  async after(error: unknown): Promise<void> {
    if (!(error instanceof PassingError) || ++this.#failed >= MOST_ATTEMPTS) throw error
    const seconds = error.retryAfterSeconds ?? FIRST_PAUSE_SECONDS * 2 ** (this.#failed - 1)
    if (seconds > LONGEST_PAUSE_SECONDS) throw error
    await this.hub.pause(seconds, error.message, this.hub.signal)
  }
}

/** Runs `attempt` until it succeeds. @throws as {@link Retries.after} */
export async function retried<Result>(hub: Attempts, attempt: () => Promise<Result>): Promise<Result> {
  const retries = new Retries(hub)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      await retries.after(error)
    }
  }
}
