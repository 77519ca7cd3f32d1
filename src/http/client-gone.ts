import type { FastifyReply } from 'fastify'
import type { StopSignal } from '../tokens/tokenize.js'

/** The client closed the connection: there is nobody left to answer, and nothing is wrong with the service. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error only says that the client has gone, wherever the work was. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}

/**
 * Stops the work when the connection closes before the answer has ended. An AbortController would do, at the
 * price of tokenizing a short text twice.
 */
export function goneSignal({ raw }: FastifyReply): StopSignal {
  return {
    throwIfAborted() {
      if (raw.destroyed && !raw.writableFinished) throw new ClientGone()
    },
  }
}
