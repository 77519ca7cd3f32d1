/** Levels of a page, as runs of Parquet's "RLE/Bit-Packing Hybrid"; none is above 255. */
export class LevelRuns {
  readonly #bytes: number[] = []
  #level = 0
  #count = 0

  add(level: number, count: number): void {
    if (count === 0) return
    if (level !== this.#level) {
      this.#flush()
      this.#level = level
    }
    this.#count += count
  }

  bytes(): Uint8Array {
    this.#flush()
    return Uint8Array.from(this.#bytes)
  }

  #flush(): void {
    if (this.#count === 0) return
    for (let header = 2 * this.#count; ; header = Math.floor(header / 128)) {
      this.#bytes.push(header < 128 ? header : (header % 128) | 128)
      if (header < 128) break
    }
    this.#bytes.push(this.#level)
    this.#count = 0
  }
}
