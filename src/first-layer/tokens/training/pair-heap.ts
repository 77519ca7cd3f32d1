/** Numbers by their keys, the greatest key first; of equal keys that which `isBefore` puts first. A binary heap. */
export class PairHeap {
  readonly #items: number[] = []
  readonly #keys: number[] = []

  constructor(private readonly isBefore: (item: number, other: number) => boolean) {}

  get top(): { readonly item: number; readonly key: number } | undefined {
    return this.#items.length === 0 ? undefined : { item: this.#items[0], key: this.#keys[0] }
  }

  push(item: number, key: number): void {
    let at = this.#items.length
    for (let above = (at - 1) >> 1; at > 0 && this.#isFirst(item, key, above); above = (at - 1) >> 1) {
      this.#put(at, this.#items[above], this.#keys[above])
      at = above
    }
    this.#put(at, item, key)
  }

  pop(): void {
    const [item, key] = [this.#items.pop()!, this.#keys.pop()!]
    if (this.#items.length > 0) this.replaceTop(item, key)
  }

  /** Puts another one in place of the first, or the same with a lower key. */
  replaceTop(item: number, key: number): void {
    let at = 0
    for (let below = 1; below < this.#items.length; below = 2 * at + 1) {
      const other = below + 1
      if (other < this.#items.length && this.#isFirst(this.#items[other], this.#keys[other], below)) below++
      if (this.#isFirst(item, key, below)) break
      this.#put(at, this.#items[below], this.#keys[below])
      at = below
    }
    this.#put(at, item, key)
  }

  #isFirst(item: number, key: number, other: number): boolean {
    const difference = key - this.#keys[other]
    return difference === 0 ? this.isBefore(item, this.#items[other]) : difference > 0
  }

  #put(at: number, item: number, key: number): void {
    this.#items[at] = item
    this.#keys[at] = key
  }
}
