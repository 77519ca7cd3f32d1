/** Numbers by their keys, the greatest key first; of equal keys that which `isBefore` puts first. A binary heap. */
export class PairHeap {
  size = 0
  #items = new Uint32Array(1 << 16)
  #keys = new Float64Array(1 << 16)

  constructor(private readonly isBefore: (item: number, other: number) => boolean) {}

  get top(): number {
    return this.#items[0]!
  }

  get topKey(): number {
    return this.#keys[0]!
  }

  push(item: number, key: number): void {
    if (this.size === this.#items.length) {
      const [items, keys] = [this.#items, this.#keys]
      this.#items = new Uint32Array(2 * items.length)
      this.#keys = new Float64Array(2 * keys.length)
      this.#items.set(items)
      this.#keys.set(keys)
    }
    let at = this.size++
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isFirst(item, key, above)) break
      this.#put(at, this.#items[above]!, this.#keys[above]!)
      at = above
    }
    this.#put(at, item, key)
  }

  pop(): void {
    this.size--
    this.#sink(this.#items[this.size]!, this.#keys[this.size]!)
  }

  /** Gives the first one a lower key. */
  lowerTop(key: number): void {
    this.#sink(this.top, key)
  }

  #sink(item: number, key: number): void {
    let at = 0
    while (true) {
      let below = 2 * at + 1
      if (below >= this.size) break
      if (below + 1 < this.size && this.#isFirst(this.#items[below + 1]!, this.#keys[below + 1]!, below))
        below++
      if (this.#isFirst(item, key, below)) break
      this.#put(at, this.#items[below]!, this.#keys[below]!)
      at = below
    }
    this.#put(at, item, key)
  }

  #isFirst(item: number, key: number, other: number): boolean {
    const difference = key - this.#keys[other]!
    return difference === 0 ? this.isBefore(item, this.#items[other]!) : difference > 0
  }

  #put(at: number, item: number, key: number): void {
    this.#items[at] = item
    this.#keys[at] = key
  }
}
