/** Answers up to this size leave in one piece, with their length: 256 KiB. */
export const WHOLE_BYTES = 1 << 18

/** Free buffers for such answers. They are used again, since new ones would keep the garbage collector busy. */
const free: Buffer[] = []
const MAX_POOLED = 32
let pooled = 0

/** A buffer for an answer of at most `most` bytes; it has {@link WHOLE_BYTES} at most. */
export function takeBuffer(most = WHOLE_BYTES): Buffer {
  const buffer = free.pop()
  if (buffer !== undefined) return buffer
  if (pooled === MAX_POOLED) return Buffer.allocUnsafeSlow(Math.min(most, WHOLE_BYTES))
  pooled++
  return Buffer.allocUnsafeSlow(WHOLE_BYTES)
}

/** Takes back a buffer after its last read. */
export function giveBuffer(buffer: Buffer): void {
  if (buffer.byteLength === WHOLE_BYTES && free.length < MAX_POOLED) free.push(buffer)
}
