import { Reserved } from '../../../first-layer/memory.js'
import type { Claim } from '../../../first-layer/work/drive.js'

/** Memory that grows step by step, reserved with a claim in blocks ahead of its growth. */
export class Reservation {
  readonly #reserved: Reserved

  constructor(
    private readonly claim: Claim,
    blockBytes?: number,
  ) {
    this.#reserved = new Reserved(blockBytes)
  }

  /** Bytes reserved. */
  get taken(): number {
    return this.#reserved.bytes
  }

  /**
   * Reserves what is missing to `bytes` in all; to be called before they are allocated. Undefined where there is
   * room at once: `const wait = room.reach(n)`, then `if (wait !== undefined) await wait`.
   *
   * @throws InletError as `Claim.take`
   */
  reach(bytes: number): Promise<void> | undefined {
    const more = this.#reserved.reach(bytes)
    return more > 0 ? this.claim.take(more) : undefined
  }

  /** Gives back what is reserved beyond `bytes`: when the memory grows no more, or is no longer used. */
  settle(bytes: number): void {
    const less = this.#reserved.settle(bytes)
    if (less > 0) this.claim.give(less)
  }
}
