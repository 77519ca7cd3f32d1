/** Bytes that a thread keeps at most between two calls. */
const KEPT_BYTES = 1 << 24

/** Bytes that a body's memory has beyond its own. */
export const BODY_SLACK = 8

/** Memory of bodies that are done with, the last one last. */
const kept: SharedArrayBuffer[] = []

/**
 * Memory for a body, which other threads read where it is; its content is undefined. A trainer's calls are of one size, and
 * the system maps fresh memory page by page: that takes as long as the bytes take to come.
 *
 * @param shift of its address, below {@link BODY_SLACK}
 */
export function takeBody(bytes: number, shift = 0): Uint8Array<SharedArrayBuffer> {
  const room = bytes + BODY_SLACK
  // One that is much longer than the body would hold what its claim does not count.
  const at = kept.findLastIndex(({ byteLength }) => byteLength >= room && byteLength <= room + bytes / 8)
  const memory = at < 0 ? new SharedArrayBuffer(room) : kept.splice(at, 1)[0]
  return new Uint8Array(memory, shift, bytes)
}

/** Takes a body's memory back: nobody reads it any more. */
export function giveBody({ buffer }: Uint8Array<SharedArrayBuffer>): void {
  kept.push(buffer)
  for (let bytes = 0, i = kept.length - 1; i >= 0; i--) {
    bytes += kept[i].byteLength - BODY_SLACK
    if (bytes > KEPT_BYTES) return void kept.splice(0, i + 1)
  }
}
