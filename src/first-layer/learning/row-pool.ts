import type { ModelMemory } from '../kernels/model-memory.js'

/** Bytes that are taken at once, or one row where that is longer. */
const CHUNK_BYTES = 1 << 18
/** Vectors are read fastest at multiples of their length. */
const ALIGNMENT = 16

/** Rows of one width, taken from a memory as they are needed and used again. */
export class RowPool {
  readonly #rowBytes: number
  #free: number[] = []
  #bytes = 0

  /** @param check called before so many bytes more are taken; it throws where they must not be */
  constructor(
    private readonly memory: ModelMemory,
    dim: number,
    private readonly check: (bytes: number) => void = () => {},
  ) {
    this.#rowBytes = Math.ceil((4 * dim) / ALIGNMENT) * ALIGNMENT
  }

  /** Bytes that all rows take, those that are free included. */
  get bytes(): number {
    return this.#bytes
  }

  /** The address of a row with any numbers in it. @throws RangeError where the memory has no more */
  take(): number {
    if (this.#free.length === 0) this.#takeChunk()
    return this.#free.pop() as number
  }

  give(row: number): void {
    this.#free.push(row)
  }

  /** Takes so much memory now that `rows` more rows cannot fail. @throws RangeError where there is not as much */
  reserve(rows: number): void {
    while (this.#free.length < rows) this.#takeChunk()
  }

  #takeChunk(): void {
    const rows = Math.max(1, Math.floor(CHUNK_BYTES / this.#rowBytes))
    this.check(rows * this.#rowBytes)
    const first = this.memory.allocate(rows * this.#rowBytes)
    this.#bytes += rows * this.#rowBytes
    // Popped from the end: rows that are taken one after the other lie so.
    for (let row = rows - 1; row >= 0; row--) this.#free.push(first + row * this.#rowBytes)
  }
}
