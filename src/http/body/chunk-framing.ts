import type { IncomingMessage } from 'node:http'
import { InletError } from '../../errors.js'

/** Bytes of framing that a body may have, whatever its length. */
export const MAX_FRAMING = 1 << 20

/**
 * What surrounds the chunks of a body whose length nobody knows (`Transfer-Encoding: chunked`). The parser is called for
 * each chunk: a body of millions of tiny ones takes many times the work of its bytes, 64 KiB of the wire at a time.
 */
export class ChunkFraming {
  /** Absent where the body's length is known. */
  readonly #raw: IncomingMessage | undefined
  readonly #start: number

  /** At the beginning of the body. */
  constructor(raw: IncomingMessage) {
    this.#raw = raw.headers['transfer-encoding'] === undefined ? undefined : raw
    this.#start = raw.socket.bytesRead
  }

  /**
   * @param body bytes of the body that have been read
   * @throws InletError `invalid_request` where the framing has more than a mebibyte and half of the body's bytes
   */
  check(body: number): void {
    if (this.#raw === undefined) return
    const received = body + this.#raw.readableLength
    const framing = this.#raw.socket.bytesRead - this.#start - received
    if (!(framing > MAX_FRAMING + received / 2)) return // a request that no socket brought counts no bytes
    const rule = `must come in chunks of at least 10 bytes on average, or have at most ${MAX_FRAMING} bytes around them`
    throw new InletError(
      'invalid_request',
      `The body ${rule}. Given: ${framing} around ${received}`,
      'transfer-encoding',
    )
  }
}
