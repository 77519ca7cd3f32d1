import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Format } from '../wire/formats/format.js'
import { callService, type Service } from './service-call.js'

/** A text, and the embeddings that are wanted of it. */
export interface TextCall {
  /** Query string of `POST /v1/input-embeddings`, without the question mark. */
  readonly query: string
  /** The format of the answer. */
  readonly format: Format
  readonly text: Readable
  readonly bytes?: number
  /** Called with the number of bytes that were sent. */
  sent(bytes: number): void
  readonly signal: AbortSignal
}

/** The embeddings of a text, in the format that was asked for. */
export interface Answer {
  /** Those of the answer over HTTP, with the counts. */
  readonly headers: IncomingMessage['headers']
  /** Bytes of the answer, where that is known before it has come. */
  readonly length: number | undefined
  /** @throws CommandError where the service becomes silent */
  chunks(): AsyncIterable<Uint8Array>
  /** For an answer that is not read. */
  destroy(): void
}

/**
 * Sends a text to `POST /v1/input-embeddings` while it is read.
 *
 * @throws CommandError with the service's own message, or with the reason why the connection failed
 */
export function callEmbeddings(
  service: Service,
  { query, format, text, bytes, sent, signal }: TextCall,
): Promise<Answer> {
  return callService(service, {
    ...{ method: 'POST', path: `v1/input-embeddings?${query}`, signal },
    ...{ accepted: format.mediaTypes, expected: [200] },
    body: { type: 'text/plain; charset=utf-8', stream: text, bytes, sent },
  })
}
