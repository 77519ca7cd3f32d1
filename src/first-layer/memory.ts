const PAGE_BYTES = 65_536
/** From this size on, a WebAssembly memory is used: 1 MiB. */
const LARGE_BYTES = 1 << 20

interface ArrayType<Numbers> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): Numbers
  new (buffer: ArrayBuffer, byteOffset: number, length: number): Numbers
}

/**
 * Zeroed memory for a long array. V8's allocator zeroes memory at once: 40 ms for 64 MiB of memory that was used
 * before. The pages of a WebAssembly memory are zeroed when they are first touched, and go back to the system when
 * the memory is collected. A short array is an ordinary one: V8 keeps the smallest in its heap, which costs less than
 * separate buffers.
 */
function zeros<Numbers>(type: ArrayType<Numbers>, length: number): Numbers {
  const bytes = length * type.BYTES_PER_ELEMENT
  if (bytes < LARGE_BYTES) return new type(length)
  const pages = Math.ceil(bytes / PAGE_BYTES)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: false })
  return new type(memory.buffer, 0, length)
}

export const largeFloat32Array = (length: number): Float32Array<ArrayBuffer> => zeros(Float32Array, length)

export const largeFloat64Array = (length: number): Float64Array<ArrayBuffer> => zeros(Float64Array, length)

export const largeUint8Array = (length: number): Uint8Array<ArrayBuffer> => zeros(Uint8Array, length)

export const largeInt32Array = (length: number): Int32Array<ArrayBuffer> => zeros(Int32Array, length)

/** Zeroed memory that threads can share, of the same kind. */
export const sharedFloat64Array = (length: number) => new Float64Array(sharedZeros(8 * length), 0, length)

export const sharedFloat32Array = (length: number) => new Float32Array(sharedZeros(4 * length), 0, length)

export const sharedInt32Array = (length: number) => new Int32Array(sharedZeros(4 * length), 0, length)

function sharedZeros(bytes: number): SharedArrayBuffer {
  if (bytes < LARGE_BYTES) return new SharedArrayBuffer(bytes)
  const pages = Math.ceil(bytes / PAGE_BYTES)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  return memory.buffer as unknown as SharedArrayBuffer
}

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
