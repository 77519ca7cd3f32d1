import type { Claim } from './claim.js'

/** Bytes reserved at a time: a claim is asked once for many small steps of growth. */
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
   * Reserves what is missing to `bytes` in all, before they are taken: `const wait = room.reach(n)`, and where it is
   * not undefined, `await wait`.
   */
  reach(bytes: number): Promise<void> | undefined {
    if (bytes <= this.#taken) return undefined
    const more = Math.ceil((bytes - this.#taken) / this.blockBytes) * this.blockBytes
    this.#taken += more
    return this.claim.take(more)
  }

  /** Gives back what is reserved beyond `bytes`: there is no more growth, or they are let go. */
  settle(bytes: number): void {
    if (bytes >= this.#taken) return
    this.claim.give(this.#taken - bytes)
    this.#taken = bytes
  }
}
