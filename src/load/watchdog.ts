import type { Liveness } from './liveness.js'

/** Milliseconds between two beats. */
export const BEAT_MS = 1000
/** A thread that has not beaten during so many checks (10 s) is reported as hanging. */
const SILENT_LOOKS = 10

/** Called with news of the threads. */
export interface Notices {
  /** A thread hangs. All other threads check it; only the first that notices calls this. */
  silent(thread: number): void
  /** This thread was reported as hanging, and runs again. */
  back(): void
}

/**
 * Beats for this thread, and checks whether the others beat. It measures time in this thread's own beats: so no
 * thread seems to hang after the whole process was stopped (SIGSTOP, a laptop's lid).
 */
export class Watchdog {
  readonly #seen: number[]
  readonly #still: number[]

  constructor(
    private readonly liveness: Liveness,
    private readonly notices: Notices,
  ) {
    this.#seen = new Array(liveness.threads).fill(0)
    this.#still = new Array(liveness.threads).fill(0)
  }

  /** Beats once and checks all other threads; to be called every {@link BEAT_MS}. */
  look(): void {
    if (this.liveness.beat()) this.notices.back()
    for (let thread = 0; thread < this.liveness.threads; thread++) {
      if (thread !== this.liveness.thread) this.#lookAt(thread)
    }
  }

  #lookAt(thread: number): void {
    const beats = this.liveness.beatsOf(thread)
    if (beats !== this.#seen[thread] || beats === 0) {
      this.#seen[thread] = beats
      this.#still[thread] = 0
    } else if (++this.#still[thread] === SILENT_LOOKS && this.liveness.markSilent(thread)) {
      this.notices.silent(thread)
    }
  }
}
