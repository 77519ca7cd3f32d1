/** Candidates beyond those that are wanted before the list is cut the first time. */
const SPARE = 1024
/** A longer list, of rows that are nearly equal, is not cut any more: sorting it would take too long at once. */
const MOST_CUT = 1 << 16

/**
 * The rows that may be among the `k` nearest, given bounds of how near each is. A row stays while its upper bound reaches
 * the k-th greatest lower bound: rows whose bounds overlap are told apart later, exactly.
 */
export class Candidates {
  #ids: Int32Array
  #low: Float64Array
  #high: Float64Array
  #count = 0
  #least = Number.NEGATIVE_INFINITY

  constructor(private readonly k: number) {
    const room = 2 * k + SPARE
    this.#ids = new Int32Array(room)
    this.#low = new Float64Array(room)
    this.#high = new Float64Array(room)
  }

  /** @param low at most how near the row is @param high at least so */
  add(id: number, low: number, high: number): void {
    if (!(high >= this.#least)) return // NaN as well
    if (this.#count === this.#ids.length) {
      this.#cut()
      if (!(high >= this.#least)) return
      if (this.#count > this.#ids.length / 2) this.#grow()
    }
    this.#ids[this.#count] = id
    this.#low[this.#count] = low
    this.#high[this.#count++] = high
  }

  /** Ids of all rows that may be among the nearest, in ascending order. */
  settle(): Int32Array {
    this.#cut()
    return this.#ids.slice(0, this.#count)
  }

  /** Drops the rows that at least `k` others are nearer than. */
  #cut(): void {
    if (this.#count <= this.k || this.#count > MOST_CUT) return
    const sorted = this.#low.slice(0, this.#count).sort()
    this.#least = sorted[this.#count - this.k]!
    let kept = 0
    for (let i = 0; i < this.#count; i++) {
      if (this.#high[i]! < this.#least) continue
      this.#ids[kept] = this.#ids[i]!
      this.#low[kept] = this.#low[i]!
      this.#high[kept++] = this.#high[i]!
    }
    this.#count = kept
  }

  #grow(): void {
    const room = 2 * this.#ids.length
    const [ids, low, high] = [new Int32Array(room), new Float64Array(room), new Float64Array(room)]
    ids.set(this.#ids)
    low.set(this.#low)
    high.set(this.#high)
    this.#ids = ids
    this.#low = low
    this.#high = high
  }
}
