import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Where requests were pipelined, waits until Node has sent all answers that come before this one on its
 * connection: the client cannot receive a byte of this one sooner. Undefined where this answer is the first.
 *
 * @throws what the claim is aborted with (the promise rejects)
 */
export function firstInLine({ claim }: FastifyRequest, { raw }: FastifyReply): Promise<void> | undefined {
  if (raw.socket !== null) return undefined // Node gives an answer the socket when its turn has come
  return new Promise((resolve, reject) => {
    const forget = claim.onAbort(reject)
    raw.once('socket', () => {
      forget()
      resolve()
    })
  })
}
