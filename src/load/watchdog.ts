import type { Life } from './life.js'

/** A beat a second. */
export const BEAT_MS = 1000
/** Looks at a thread that does not beat, after which it is said to hang: 10 s. */
const SILENT_LOOKS = 10

/** What is said of the threads. */
export interface Notices {
  /** A thread hangs. All others look, one of them says it. */
  silent(thread: number): void
  /** This thread was said to hang, and goes on. */
  back(): void
}

/**
 * Lets this thread beat, and looks whether the others do. Time is counted in this thread's own beats: a process that
 * was stopped as a whole (SIGSTOP, a laptop's lid) finds nobody behind.
 */
export class Watchdog {
  readonly #seen: number[]
  readonly #still: number[]

  constructor(
    private readonly life: Life,
    private readonly notices: Notices,
  ) {
    this.#seen = new Array(life.threads).fill(0)
    this.#still = new Array(life.threads).fill(0)
  }

  /** One beat. */
  look(): void {
    if (this.life.beat()) this.notices.back()
    for (let thread = 0; thread < this.life.threads; thread++) {
      if (thread !== this.life.thread) this.#lookAt(thread)
    }
  }

  #lookAt(thread: number): void {
    const beats = this.life.beatsOf(thread)
    if (beats !== this.#seen[thread] || beats === 0) {
      this.#seen[thread] = beats
      this.#still[thread] = 0
    } else if (++this.#still[thread] === SILENT_LOOKS && this.life.markSilent(thread)) {
      this.notices.silent(thread)
    }
  }
}
