const PAGE_BYTES = 65_536
/** From this size on, a WebAssembly memory is used: 1 MiB. */
const LARGE_BYTES = 1 << 20

/**
 * Zeroed memory for a long array. V8's allocator zeroes memory at once: 40 ms for 64 MiB of memory that was used
 * before. The pages of a WebAssembly memory are zeroed when they are first touched, and go back to the system
 * when the memory is collected.
 */
export function largeBuffer(bytes: number): ArrayBuffer {
  if (bytes < LARGE_BYTES) return new ArrayBuffer(bytes)
  const pages = Math.ceil(bytes / PAGE_BYTES)
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: false }).buffer
}

/** `length` float32 zeros. */
export function largeFloat32Array(length: number): Float32Array<ArrayBuffer> {
  return new Float32Array(largeBuffer(4 * length), 0, length)
}

/** `length` int32 zeros. */
export function largeInt32Array(length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(largeBuffer(4 * length), 0, length)
}
