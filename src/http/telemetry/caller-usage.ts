import type { FastifyReply, FastifyRequest } from 'fastify'
import { chargeTokens } from '../../callers/rates.js'
import type { Usage } from '../../callers/usage.js'
import type { RequestEnd } from '../lifetime/request-end.js'

/** Makes the listener that counts each caller's request when it ends, and charges its tokens. */
export function countUse(usage: Usage) {
  return (request: FastifyRequest, _reply: FastifyReply, { bytes }: RequestEnd): void => {
    const { caller, errorCode, figures } = request
    if (caller?.account === undefined) return
    const tokens = figures?.numTokens ?? 0
    usage.count(caller.account, { rateLimited: errorCode === 'rate_limited', tokens, bytes })
    chargeTokens(caller, tokens)
  }
}
