import type { FastifyInstance } from 'fastify'
import type { Claim } from '../load/claim.js'
import { ClientGone } from '../load/client-gone.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request holds of the process, and whether its answer is still wanted. */
    readonly claim: Claim
  }
}

/** Gives each request its claim. */
export function addClaims(app: FastifyInstance): void {
  app.decorateRequest('claim', {
    getter() {
      return {
        throwIfAborted: () => {
          if (this.hasEnded) throw new ClientGone()
        },
        take: () => undefined,
        give: () => {},
      }
    },
  })
}
