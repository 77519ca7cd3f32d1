import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Claim } from '../../load/claim.js'
import { ClientGone } from '../../load/client-gone.js'
import { bodyTooLarge } from '../../requests/too-large.js'
import { invite } from '../answers/expect-continue.js'
import { bodyChunks } from './body-stream.js'
import { ChunkFraming } from './chunk-framing.js'
import { contentCoding } from './content-coding.js'

/** A body whose chunks are taken as they arrive. Memory holds one chunk at a time. */
export interface BodySource {
  /**
   * Gives `take` each chunk until it returns false: the others wait then. Throws as `bodyChunks`.
   *
   * @returns false where the body has ended
   */
  each(take: (chunk: Uint8Array) => boolean): Promise<boolean>
  /** Ends the reading. */
  close(): Promise<void>
}

/**
 * A request's body, unpacked. One that is not packed is read by events: an iterator stops and starts the socket for each
 * chunk, which costs more than to copy it.
 *
 * @param limit of the unpacked bytes
 */
export function bodySource(request: FastifyRequest, limit: number): BodySource {
  if (contentCoding(request.headers['content-encoding']) !== undefined) {
    return new IteratedBody(bodyChunks(request, limit))
  }
  invite(request.raw)
  return new ReceivedBody(request.raw, request.claim, limit)
}

/** Chunks of an iterator. */
export class IteratedBody implements BodySource {
  readonly #chunks: AsyncIterator<Uint8Array>

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async each(take: (chunk: Uint8Array) => boolean): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done) return false
      if (!take(value)) return true
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}

interface Taking {
  take(chunk: Uint8Array): boolean
  resolve(isMore: boolean): void
  reject(error: unknown): void
}

/** Chunks as a socket brings them. */
class ReceivedBody implements BodySource {
  readonly #framing: ChunkFraming
  readonly #forget: () => void
  #bytes = 0
  #taking: Taking | undefined
  #end: { readonly error?: unknown } | undefined

  constructor(
    private readonly raw: IncomingMessage,
    claim: Claim,
    private readonly limit: number,
  ) {
    this.#framing = new ChunkFraming(raw)
    this.#forget = claim.onAbort((error) => this.#ended({ error }))
    const onGone = () => {
      if (!raw.readableEnded) this.#ended({ error: new ClientGone() }) // a request that has ended closes too
    }
    raw
      .on('end', () => this.#ended({}))
      .on('error', onGone)
      .on('close', onGone)
  }

  each(take: (chunk: Uint8Array) => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#taking = { take, resolve, reject }
      if (this.#end !== undefined) return this.#ended(this.#end)
      if (this.raw.listenerCount('data') === 0) this.raw.on('data', this.#onData)
      this.raw.resume()
    })
  }

  async close(): Promise<void> {
    this.#forget()
    this.raw.off('data', this.#onData).pause()
  }

  readonly #onData = (chunk: Uint8Array): void => {
    try {
      this.#bytes += chunk.length
      if (this.#bytes > this.limit) throw bodyTooLarge(this.limit)
      this.#framing.check(this.#bytes)
      if (this.#taking?.take(chunk)) return
    } catch (error) {
      this.#ended({ error })
    }
    this.raw.pause()
    this.#taking?.resolve(true)
    this.#taking = undefined
  }

  #ended(end: { readonly error?: unknown }): void {
    this.#end ??= end
    const { error } = this.#end
    if (error === undefined) this.#taking?.resolve(false)
    else this.#taking?.reject(error)
    this.#taking = undefined
  }
}
