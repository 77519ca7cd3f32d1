/** Buffers of one size, used again: fresh ones for each answer keep the collector busy. */
export class BlockPool {
  readonly #free: Buffer[] = []

  /** @param most buffers that are kept; who takes more at once gets fresh ones */
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
