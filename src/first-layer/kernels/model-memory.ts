import { countMemory, newMemory } from './shared-memory.js'

const PAGE_BYTES = 65536
const MAX_BYTES = 65536 * PAGE_BYTES

/** The first page belongs to the kernels' own constants. */
const RESERVED_BYTES = PAGE_BYTES

/** A cache line: rows that begin on one are read fastest. */
const ALIGNMENT = 64

/**
 * One shared WebAssembly memory: a model's tables and each thread's scratch space, all that the kernels read and
 * write. Another thread attaches to it with `new ModelMemory(memory)` and uses the first thread's pointers; it cannot
 * allocate.
 *
 * Pointers are byte offsets, 1 … 2^32 − 1. Memory is only freed as a whole. Pages that were never written take no
 * physical memory and read as zeros.
 */
export class ModelMemory {
  /** Infinity in a thread that has only attached, which cannot allocate. */
  #next = Number.POSITIVE_INFINITY

  constructor(readonly memory: WebAssembly.Memory) {
    countMemory(memory)
  }

  /**
   * A new memory with room for `bytes` in all, alignment included.
   *
   * `ModelMemory.create(4096).allocate(1024)` → 65536
   *
   * @throws RangeError if it would exceed WebAssembly's 4 GiB, or the system has not as much
   */
  static create(bytes: number): ModelMemory {
    const limit = MAX_BYTES - RESERVED_BYTES
    if (bytes > limit) {
      throw new RangeError(
        `A model's tables and scratch space must take at most ${limit} bytes (4 GiB). Given: ${bytes}`,
      )
    }
    const pages = Math.ceil((RESERVED_BYTES + bytes) / PAGE_BYTES)
    let memory: WebAssembly.Memory
    try {
      memory = newMemory(pages)
    } catch (cause) {
      throw new RangeError(`The system has no ${bytes} bytes of memory for the model's tables.`, { cause })
    }
    const created = new ModelMemory(memory)
    created.#next = RESERVED_BYTES
    return created
  }

  /**
   * Sets `bytes` aside and returns where they begin, a multiple of `alignment` (a power of two).
   *
   * @throws RangeError if the memory has less left
   */
  allocate(bytes: number, alignment = ALIGNMENT): number {
    const pointer = Math.ceil(this.#next / alignment) * alignment
    const left = this.memory.buffer.byteLength - pointer
    if (bytes > left)
      throw new RangeError(`The model memory has ${Math.max(0, left)} bytes left. Asked for: ${bytes}`)
    this.#next = pointer + bytes
    return pointer
  }

  /** `length` float32 numbers at `pointer`, a multiple of 4. */
  float32(pointer: number, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.memory.buffer, pointer, length)
  }

  /** `length` int32 numbers at `pointer`, a multiple of 4. */
  int32(pointer: number, length: number): Int32Array<SharedArrayBuffer> {
    return new Int32Array(this.memory.buffer, pointer, length)
  }

  /** `length` numbers of 16 bits at `pointer`, a multiple of 2. */
  uint16(pointer: number, length: number): Uint16Array<SharedArrayBuffer> {
    return new Uint16Array(this.memory.buffer, pointer, length)
  }

  bytes(pointer: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer, pointer, length)
  }
}
