import type { Claim } from './claim.js'

/** Bytes reserved at a time, so that many small steps of growth ask the claim once. */
const BLOCK_BYTES = 65_536

/** Memory that grows step by step, reserved in blocks ahead of its growth. */
export class Reservation {
  #taken = 0

  constructor(
    private readonly claim: Claim,
    private readonly blockBytes = BLOCK_BYTES,
  ) {}

  /** Bytes reserved. */
  get taken(): number {
    return this.#taken
  }

  /**
   * Reserves what is missing to `bytes` in all; to be called before they are allocated. Undefined where there is
   * room at once: `const wait = room.reach(n)`, then `if (wait !== undefined) await wait`.
   *
   * @throws InletError as `Claim.take`
   */
  reach(bytes: number): Promise<void> | undefined {
    if (bytes <= this.#taken) return undefined
    const more = Math.ceil((bytes - this.#taken) / this.blockBytes) * this.blockBytes
    this.#taken += more
    return this.claim.take(more)
  }

  /** Gives back what is reserved beyond `bytes`: when the memory grows no more, or is no longer used. */
  settle(bytes: number): void {
    if (bytes >= this.#taken) return
    this.claim.give(this.#taken - bytes)
    this.#taken = bytes
  }
}
