import {
  ADD_ENTRY,
  instantiateLearningKernels,
  type LearningKernels,
  STEP_ENTRY,
} from '../kernels/learning-kernels.js'
import type { ModelMemory } from '../kernels/model-memory.js'
import { largeInt32Array } from '../memory.js'

/** Bytes of gradients that are looked at together: they stay in the processor's cache until they are added. */
const TILE_BYTES = 1 << 17
/** Most rows of a call of a kernel. */
const MAX_ENTRIES = 1 << 12
/** V8 copies to and from shared memory in words of so many bytes where both addresses are multiples, else byte by byte. */
const WORD_BYTES = 8

/**
 * The memory of the learning kernels: the tables that learn, the optimizer's state, rows of gradients, and scratch
 * space.
 */
export class LearningMemory {
  readonly kernels: LearningKernels
  /** Numbers of 32 bits for one call of a kernel, at {@link entriesPointer}. */
  readonly entries: Uint32Array
  /** The same memory as float64 numbers. */
  readonly wideEntries: Float64Array
  readonly entriesPointer: number
  /** Address of gradients in float32, at least one row. */
  readonly tile: number
  /** Address of as many in 16 bits. */
  readonly narrowTile: number
  /** Address of a row of zeros. */
  readonly zeros: number
  readonly #pools = new Map<number, RowPool>()
  readonly #places: Int32Array[] = []
  #placesBytes = 0
  /** Most bytes that gradients may take. */
  gradientLimit = Number.POSITIVE_INFINITY

  /**
   * @param memory with room for as many rows of gradients as may come
   * @param widest C of the widest table
   */
  constructor(
    readonly memory: ModelMemory,
    private readonly widest: number,
  ) {
    const numbers = MAX_ENTRIES * Math.max(ADD_ENTRY, STEP_ENTRY)
    const tileBytes = Math.max(TILE_BYTES, 4 * widest)
    this.entriesPointer = memory.allocate(4 * numbers)
    this.tile = memory.allocate(tileBytes + WORD_BYTES)
    this.narrowTile = memory.allocate(tileBytes / 2 + WORD_BYTES)
    this.zeros = memory.allocate(4 * widest)
    this.entries = new Uint32Array(memory.memory.buffer, this.entriesPointer, numbers)
    this.wideEntries = new Float64Array(memory.memory.buffer, this.entriesPointer, numbers / 2)
    this.kernels = instantiateLearningKernels(memory.memory)
  }

  /** Bytes of scratch space for tables of this width. */
  static scratchBytes(widest: number): number {
    const tileBytes = Math.max(TILE_BYTES, 4 * widest)
    return 4 * MAX_ENTRIES * Math.max(ADD_ENTRY, STEP_ENTRY) + 1.5 * tileBytes + 4 * widest + 5 * 64
  }

  /** Copies bytes from any address to `target`, which is a multiple of a word and has room for one word more. */
  copyIn(target: number, { buffer, byteOffset, length }: Uint8Array): void {
    const ahead = byteOffset % WORD_BYTES
    const words = new Uint8Array(buffer, byteOffset - ahead, length + ahead)
    this.memory.bytes(target, words.length).set(words)
    if (ahead > 0) this.kernels.moveBytes(target, target + ahead, length)
  }

  /** Rows of `dim` numbers that one tile holds and one call of a kernel takes, at least one. */
  tileRows(dim: number): number {
    return Math.min(MAX_ENTRIES, Math.floor(Math.max(TILE_BYTES, 4 * this.widest) / (4 * dim)))
  }

  /** The memory's rows of `dim` numbers. */
  pool(dim: number): RowPool {
    let pool = this.#pools.get(dim)
    if (pool === undefined) {
      pool = new RowPool(this.memory, dim, (bytes) => this.#checkLimit(bytes))
      this.#pools.set(dim, pool)
    }
    return pool
  }

  /** An int32 0 for each row of a table. @throws RangeError beyond the limit */
  takePlaces(rows: number): Int32Array {
    const at = this.#places.findIndex(({ length }) => length === rows)
    if (at >= 0) return this.#places.splice(at, 1)[0]
    this.#checkLimit(4 * rows)
    this.#placesBytes += 4 * rows
    return largeInt32Array(rows)
  }

  /** Takes such zeros back, for the next call. */
  givePlaces(places: Int32Array): void {
    this.#places.push(places)
  }

  /** Bytes that gradients have taken so far: they are used again, and never given back. */
  get gradientBytes(): number {
    return [...this.#pools.values()].reduce((sum, { bytes }) => sum + bytes, this.#placesBytes)
  }

  #checkLimit(bytes: number): void {
    const total = this.gradientBytes + bytes
    if (total <= this.gradientLimit) return
    throw new RangeError(`Gradients may take ${this.gradientLimit} bytes. They would take ${total}.`)
  }
}

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
