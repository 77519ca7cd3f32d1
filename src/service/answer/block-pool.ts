/** Buffers of one size, used again: new ones for each answer would burden the garbage collector. */
export class BlockPool {
  readonly #free: Buffer[] = []

  /** @param most buffers that are kept; beyond these, `take` makes new ones */
  constructor(
    private readonly bytes: number,
    private readonly most: number,
  ) {}

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  give(block: Buffer): void {
    if (this.#free.length < this.most) this.#free.push(block)
  }
}
