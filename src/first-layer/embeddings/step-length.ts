/** After a step shorter than SHORT_MS the length doubles, after one longer than LONG_MS it halves. */
const SHORT_MS = 0.2
const LONG_MS = 0.6

/**
 * Cuts work on many items into steps of about equal time, whether an item costs a copied number or a sine:
 *
 * `while (left > 0) { yield PAUSE; const n = length.begin(left); …; length.end(); left -= n }`
 */
export class StepLength {
  #length: number
  #began = 0

  /**
   * @param first items of the first step: must take well below a millisecond even if items are slow
   * @param most items of any step
   */
  constructor(
    private readonly first: number,
    private readonly most: number,
  ) {
    this.#length = Math.min(first, most)
  }

  /** How many of the `left` remaining items the step that begins now takes. */
  begin(left: number): number {
    if (left > this.first) this.#began = performance.now() // otherwise no step follows whose length matters
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
