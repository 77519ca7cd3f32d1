const PAGE_BYTES = 65_536
/** From this size on, a WebAssembly memory is used: 1 MiB. */
const LARGE_BYTES = 1 << 20

/**
 * Zeroed memory for a long array. V8's allocator zeroes memory at once: 40 ms for 64 MiB of memory that was used
 * before. The pages of a WebAssembly memory are zeroed when they are first touched, and go back to the system
 * when the memory is collected. A short array is an ordinary one: the smallest lie in V8's own heap, which costs less
 * than a buffer each.
 */
function largeBuffer(bytes: number): ArrayBuffer | undefined {
  if (bytes < LARGE_BYTES) return undefined
  const pages = Math.ceil(bytes / PAGE_BYTES)
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: false }).buffer
}

/** `length` float32 zeros. */
export function largeFloat32Array(length: number): Float32Array<ArrayBuffer> {
  const buffer = largeBuffer(4 * length)
  return buffer === undefined ? new Float32Array(length) : new Float32Array(buffer, 0, length)
}

/** `length` float64 zeros. */
export function largeFloat64Array(length: number): Float64Array<ArrayBuffer> {
  const buffer = largeBuffer(8 * length)
  return buffer === undefined ? new Float64Array(length) : new Float64Array(buffer, 0, length)
}

/** `length` int32 zeros. */
export function largeInt32Array(length: number): Int32Array<ArrayBuffer> {
  const buffer = largeBuffer(4 * length)
  return buffer === undefined ? new Int32Array(length) : new Int32Array(buffer, 0, length)
}
