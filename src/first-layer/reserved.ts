/** Bytes reserved at a time, so that many small steps of growth reserve memory once. */
const BLOCK_BYTES = 65_536

/**
 * Counts the memory of something that grows step by step, reserved in blocks ahead of its growth:
 * `const more = reserved.reach(n); if (more > 0) yield more`.
 */
export class Reserved {
  #bytes = 0

  constructor(private readonly blockBytes = BLOCK_BYTES) {}

  /** Bytes reserved. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many bytes more are to be reserved before there are `bytes` in all. */
  reach(bytes: number): number {
    if (bytes <= this.#bytes) return 0
    const more = Math.ceil((bytes - this.#bytes) / this.blockBytes) * this.blockBytes
    this.#bytes += more
    return more
  }

  /** How many bytes are to be given back when the memory grows no more beyond `bytes`, or is no longer used. */
  settle(bytes: number): number {
    const less = Math.max(0, this.#bytes - bytes)
    this.#bytes -= less
    return less
  }
}
