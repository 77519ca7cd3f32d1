/** Buffers kept for the next streams; more streams at once than that make their own. */
const MAX_FREE = 16

const free: Buffer[] = []

/**
 * A buffer of at least `bytes`, for one stream of text; give it back with {@link giveTextBuffer} when the stream
 * ends. A fresh half megabyte for each answer costs more than writing a small one.
 */
export function takeTextBuffer(bytes: number): Buffer {
  const kept = free.pop()
  return kept !== undefined && kept.length >= bytes ? kept : Buffer.allocUnsafeSlow(bytes)
}

export function giveTextBuffer(buffer: Buffer): void {
  if (free.length < MAX_FREE) free.push(buffer)
}
