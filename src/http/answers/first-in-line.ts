import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Waits until all answers that come before this one on its connection have left, where requests were pipelined:
 * nobody can take a byte of it sooner. Undefined where it is the first.
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
