import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { InletError, shown } from '../errors.js'

/** For the framework's server options: Node would answer a missing `Host` by itself, without a body. */
export const OWN_HEAD_CHECKS = { requireHostHeader: false } as const

/**
 * What HTTP asks of a request's header, answered in the error table's form where Node would send a bare status.
 * Errors: 400 `invalid_request` for HTTP/1.1 without `Host`, and for an `Expect` other than `100-continue`.
 */
export function addHeadChecks(app: FastifyInstance): void {
  app.server.on('checkExpectation', (raw: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', raw, response)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const { host, expect } = request.headers
    if (host === undefined && request.raw.httpVersion === '1.1') {
      throw new InletError('invalid_request', '`Host` is needed in HTTP/1.1.', 'host')
    }
    if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
      const message = `\`Expect\` must be 100-continue. Given: ${shown(expect)}`
      throw new InletError('invalid_request', message, 'expect')
    }
    done()
  })
}
