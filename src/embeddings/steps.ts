import { Pace, type StopSignal } from '../turn.js'

/** Milliseconds: after a step that took less the next one is twice as long, after one that took longer half as long. */
const SHORT_MS = 0.2
const LONG_MS = 0.6

/**
 * Cuts work on many items into steps whose length suits the clock, whether an item costs a copied number or a sine:
 *
 * `while (left > 0) { if (steps.isOver) await steps.nextTurn(); const n = steps.begin(left); …; steps.end(); left -= n }`
 */
export class Steps extends Pace {
  #length: number
  #began = 0

  /**
   * @param first items of the first step, which take well below a millisecond whatever they are
   * @param most items of any step
   */
  constructor(
    private readonly first: number,
    private readonly most: number,
    signal: StopSignal,
  ) {
    super(signal)
    this.#length = Math.min(first, most)
  }

  /** Items of the step that begins now, of `left` that are left. */
  begin(left: number): number {
    if (left > this.first) this.#began = performance.now() // else there is no next one to be chosen
    return Math.min(this.#length, left)
  }

  end(): void {
    if (this.#began === 0) return
    const took = performance.now() - this.#began
    this.#began = 0
    if (took < SHORT_MS) this.#length = Math.min(this.#length * 2, this.most)
    else if (took > LONG_MS) this.#length = Math.max(this.#length >> 1, 1)
  }
}
