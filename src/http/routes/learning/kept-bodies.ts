/** Bytes that a thread keeps at most between two calls. */
const KEPT_BYTES = 1 << 24

/** Memory of bodies that are done with, the last one last. */
const kept: SharedArrayBuffer[] = []

/**
 * Memory for a body, which other threads read where it is; its content is undefined. A trainer's calls are of one size, and
 * the system maps fresh memory page by page: that takes as long as the bytes take to come.
 */
export function takeBody(bytes: number): Uint8Array<SharedArrayBuffer> {
  // One that is much longer than the body would hold what its claim does not count.
  const at = kept.findLastIndex(({ byteLength }) => byteLength >= bytes && byteLength <= bytes + bytes / 8)
  const memory = at < 0 ? new SharedArrayBuffer(bytes) : kept.splice(at, 1)[0]
  return new Uint8Array(memory, 0, bytes)
}

/** Takes a body's memory back: nobody reads it any more. */
export function giveBody({ buffer }: Uint8Array<SharedArrayBuffer>): void {
  kept.push(buffer)
  for (let bytes = 0, i = kept.length - 1; i >= 0; i--) {
    bytes += kept[i].byteLength
    if (bytes > KEPT_BYTES) return void kept.splice(0, i + 1)
  }
}

/** Frees what is kept. */
export function forgetBodies(): void {
  kept.length = 0
}
