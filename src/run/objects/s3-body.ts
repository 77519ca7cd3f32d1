import type { Readable } from 'node:stream'
import { ShortBody } from './s3-failures.js'

/**
 * The bytes of an answer's body.
 *
 * @param signal ends the reading: the client listens to it only until the answer's head is there
 * @throws ShortBody where there are fewer bytes or more
 */
export async function bodyBytes(body: Readable, length: number, signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  const end = () => body.destroy(new ShortBody())
  signal.addEventListener('abort', end, { once: true })
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (at + chunk.length > length) throw new ShortBody()
      at += chunk.copy(bytes, at)
    }
  } finally {
    signal.removeEventListener('abort', end)
  }
  if (at < length || signal.aborted) throw new ShortBody()
  return bytes
}
