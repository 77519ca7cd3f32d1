/** Bytes of a usual block: what a core's second-level cache holds, and a socket takes at once. */
export const BLOCK_BYTES = 1 << 20

/** A buffer for one stream of blocks, given back when the stream ends. */
export interface Lease {
  readonly bytes: Uint8Array
  release(): void
}

/**
 * Output blocks that are used again: writing to fresh memory costs more than the lookup itself, since each
 * page is faulted in. A stream keeps its block while a slow client reads; when the pool is empty the next
 * stream gets a block of its own, so that nobody waits for somebody else's client.
 */
export class BlockPool {
  readonly #free: Uint8Array[] = []

  constructor(private readonly capacity: number) {}

  lease(byteLength: number = BLOCK_BYTES): Lease {
    if (byteLength > BLOCK_BYTES) return { bytes: new Uint8Array(byteLength), release() {} }
    const block = this.#free.pop() ?? new Uint8Array(BLOCK_BYTES)
    let held = true
    return {
      bytes: block.subarray(0, byteLength),
      release: () => {
        if (held && this.#free.length < this.capacity) this.#free.push(block)
        held = false
      },
    }
  }
}
