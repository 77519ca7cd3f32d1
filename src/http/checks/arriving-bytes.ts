import type { IncomingMessage } from 'node:http'

/** Calls `count` with the length of each part of a body as it arrives. Reads nothing itself: what reads the body sees all. */
export function countArriving(raw: IncomingMessage, count: (bytes: number) => void): void {
  if (raw.readableLength > 0) count(raw.readableLength) // it came with the head, while the request waited its turn
  const { push } = raw
  raw.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) count(chunk.length)
    return push.call(raw, chunk, encoding)
  }
}
