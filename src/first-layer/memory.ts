/** Zeroed memory that threads can share. */
export const sharedFloat64Array = (length: number) => new Float64Array(new SharedArrayBuffer(8 * length))

export const sharedFloat32Array = (length: number) => new Float32Array(new SharedArrayBuffer(4 * length))

export const sharedInt32Array = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length))

/** Buffers of one size, used again: new ones are slow to allocate, and burden the garbage collector. */
export class BufferPool {
  readonly #free: Buffer[] = []

  /** @param most buffers that are kept; beyond these, `take` makes new ones */
  constructor(
    private readonly bytes: number,
    private readonly most: number,
  ) {}

  /** Not zeroed: every block is written before it is read. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  give(block: Buffer): void {
    if (this.#free.length < this.most) this.#free.push(block)
  }
}
