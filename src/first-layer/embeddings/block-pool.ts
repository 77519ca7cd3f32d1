/**
 * Bytes of a block outside a model's memory, for a stream that finds the pool empty: small, since slow readers may be
 * many.
 */
const OUTSIDE_BYTES = 1 << 17
/**
 * Blocks outside the memory that a thread keeps: allocating new ones is slow, and makes garbage collection more
 * frequent.
 */
const KEPT_OUTSIDE = 64

/** A buffer for one stream of blocks, given back when the stream ends. */
export interface BlockLease {
  readonly bytes: Uint8Array
  release(): void
}

/** Buffers for streams of blocks. */
export interface BlockPool {
  /**
   * Leases a buffer to a stream. It holds whole units, at least one.
   *
   * @param byteLength bytes that the stream wants, a multiple of `unit`
   * @param unit bytes that must stay together: a row or an element
   */
  lease(byteLength: number, unit: number): BlockLease
}

/** Small blocks outside a model's memory. */
export class OutsideBlocks implements BlockPool {
  readonly #kept: Uint8Array[] = []

  lease(byteLength: number, unit: number): BlockLease {
    const most = Math.max(unit, OUTSIDE_BYTES - (OUTSIDE_BYTES % unit))
    if (most > OUTSIDE_BYTES) return leaseOf(fresh(most), most, () => {})
    const block = this.#kept.pop() ?? fresh(OUTSIDE_BYTES)
    return leaseOf(block, Math.min(byteLength, most), () => {
      if (this.#kept.length < KEPT_OUTSIDE) this.#kept.push(block)
    })
  }
}

/** The blocks of this thread's streams that need no model. */
export const blocksWithoutModel = new OutsideBlocks()

/** A lease of a block that goes back once. */
export function leaseOf(block: Uint8Array, byteLength: number, giveBack: () => void): BlockLease {
  let held = true
  return {
    bytes: block.subarray(0, byteLength),
    release() {
      if (held) giveBack()
      held = false
    },
  }
}

/** Memory that is not zeroed: every block is written before it is read. */
function fresh(byteLength: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(byteLength).buffer)
}
