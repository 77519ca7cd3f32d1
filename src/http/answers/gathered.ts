/** Answers up to this size leave in one piece, with their length: 256 KiB. */
export const WHOLE_BYTES = 1 << 18

/** Buffers in which such answers are gathered are used again, since fresh ones keep the collector busy. */
const free: Buffer[] = []
const MAX_POOLED = 32
let pooled = 0

/** Where an answer of at most so many bytes is gathered. */
export function takeBuffer(most = WHOLE_BYTES): Buffer {
  const buffer = free.pop()
  if (buffer !== undefined) return buffer
  if (pooled === MAX_POOLED) return Buffer.allocUnsafeSlow(Math.min(most, WHOLE_BYTES))
  pooled++
  return Buffer.allocUnsafeSlow(WHOLE_BYTES)
}

/** Keeps none for later. */
export function forgetBuffers(): void {
  pooled -= free.length
  free.length = 0
}

/** Nobody reads it any more. */
export function giveBuffer(buffer: Buffer): void {
  if (buffer.byteLength === WHOLE_BYTES && free.length < MAX_POOLED) free.push(buffer)
}
