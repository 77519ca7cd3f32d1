import { PAUSE, type Steps } from '../steps.js'

/** Rows beyond twice those that are wanted before a list is to be cut. */
const SPARE = 1024
/** An id and two bounds; and one number while a list is sorted. */
const ROW_BYTES = 4 + 2 * 8 + 8

/**
 * The rows that may be among the `k` nearest, in ascending order of their ids, given bounds of how near each is. A row
 * stays while its upper bound is above the k-th greatest lower bound. The search cuts the list when it is full, and
 * compares rows with overlapping bounds exactly: the list never grows.
 */
export class Candidates {
  readonly #full: number
  readonly #ids: Int32Array
  readonly #low: Float64Array
  readonly #high: Float64Array
  #count = 0
  #least = Number.NEGATIVE_INFINITY

  /** @param step most rows that are added between two looks at `isFull` */
  constructor(
    private readonly k: number,
    step: number,
  ) {
    this.#full = Candidates.fullAt(k)
    const room = this.#full + step
    this.#ids = new Int32Array(room)
    this.#low = new Float64Array(room)
    this.#high = new Float64Array(room)
  }

  /** Rows with which a list is full. */
  static fullAt(k: number): number {
    return 2 * k + SPARE
  }

  /** Bytes of a list, and of what cutting it takes. */
  static bytes(k: number, step: number): number {
    return ROW_BYTES * (Candidates.fullAt(k) + step)
  }

  get isFull(): boolean {
    return this.#count >= this.#full
  }

  /** Whether cutting has left so many rows that the list would soon be full again. */
  get isCrowded(): boolean {
    return this.#count > this.#full / 2
  }

  /**
   * Adds a row unless k rows before it are as near: of equally near rows, those with smaller ids win.
   *
   * @param id greater than those before it
   * @param low at most how near the row is
   * @param high at least so; the same as `low` where that is exactly how near it is
   */
  add(id: number, low: number, high: number): void {
    if (!(high > this.#least)) return
    this.#ids[this.#count] = id
    this.#low[this.#count] = low
    this.#high[this.#count++] = high
  }

  /** Drops the rows that at least `k` others come before. */
  cut(): void {
    const [low, high, count] = [this.#low, this.#high, this.#count]
    if (count <= this.k) return
    const sorted = low.slice(0, count).sort()
    const least = sorted[count - this.k]!
    // Of the k rows whose lower bounds are the greatest, so many have this one; those with the smallest ids are taken.
    let equal = 0
    for (let i = count - this.k; i < count && sorted[i] === least; i++) equal++
    let kept = 0
    for (let i = 0; i < count; i++) {
      const stays = high[i]! > least || (high[i] === least && equal > 0)
      if (low[i] === least) equal--
      if (!stays) continue
      this.#ids[kept] = this.#ids[i]!
      low[kept] = low[i]!
      high[kept++] = high[i]!
    }
    this.#least = least
    this.#count = kept
  }

  /**
   * Compares exactly the rows of which only bounds are known, and keeps the k nearest.
   *
   * @param near how near a row is; one that is not finite drops the row
   * @param atOnce rows that are compared in one step
   */
  *settle(near: (id: number) => number, atOnce: number): Steps<void> {
    let kept = 0
    for (let i = 0; i < this.#count; i++) {
      if (i % atOnce === 0) yield PAUSE
      const id = this.#ids[i]!
      const isKnown = this.#low[i] === this.#high[i]
      const exact = isKnown ? this.#low[i]! : near(id)
      if (!Number.isFinite(exact)) continue
      this.#ids[kept] = id
      this.#low[kept] = this.#high[kept] = exact
      kept++
    }
    this.#count = kept
    this.cut()
  }

  /** After `settle`: the rows and how near they are, the nearest first, ties by id. */
  nearest(): { id: number; near: number }[] {
    const rows = Array.from({ length: this.#count }, (_, i) => ({ id: this.#ids[i]!, near: this.#low[i]! }))
    return rows.sort((a, b) => b.near - a.near || a.id - b.id)
  }
}
