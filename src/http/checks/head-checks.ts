import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InletError, shown } from '../../errors.js'

/**
 * For the framework's server options. Node would answer a missing `Host` by itself, without a body, and of a
 * header that may stand once it would take the first and drop the others without a word: joined with a comma
 * they are no `Host`, no `Content-Type` and no key. Whatever Node is started with, its parser stays strict.
 */
export const OWN_HEAD_CHECKS = {
  requireHostHeader: false,
  joinDuplicateHeaders: true,
  insecureHTTPParser: false,
} as const

/** `uri-host [ ":" port ]` of RFC 9110, 7.2; empty where the target has no authority. */
const HOST = /^(\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/

/**
 * What HTTP asks of a request's header, answered in the error table's form where Node would send a bare status,
 * or serve the request.
 * Errors: 400 `invalid_request` for another version than 1.0 and 1.1, for HTTP/1.1 without `Host`, for several
 * or one that is none, for a `Transfer-Encoding` other than `chunked`, for one in HTTP/1.0, and for an `Expect`
 * other than `100-continue`.
 * Source: RFC 9112, 2.5, 3.2 and 6.1; RFC 9110, 10.1.1.
 */
export function addHeadChecks(app: FastifyInstance): void {
  app.server.maxHeadersCount = 0 // their bytes are bounded; of more than 2,000 lines Node would drop the rest
  app.server.on('checkExpectation', (raw: IncomingMessage, response: ServerResponse) => {
    app.server.emit('request', raw, response)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    checkHead(request)
    done()
  })
}

function checkHead({ headers, raw: { httpVersion } }: FastifyRequest): void {
  const { host, expect, 'transfer-encoding': coding } = headers
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    throw invalid(`The version must be HTTP/1.1 or HTTP/1.0. Given: HTTP/${httpVersion}`, null, {
      connection: 'close',
    })
  }
  if (host === undefined) {
    if (httpVersion === '1.1') throw invalid('`Host` is needed in HTTP/1.1.', 'host')
  } else if (!HOST.test(host)) {
    throw invalid(`\`Host\` must be one host, with a port or without. Given: ${shown(host)}`, 'host')
  }
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    const rule = httpVersion === '1.0' ? 'must not stand in HTTP/1.0' : 'must be chunked'
    throw invalid(`\`Transfer-Encoding\` ${rule}. Given: ${shown(coding)}`, 'transfer-encoding')
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw invalid(`\`Expect\` must be 100-continue. Given: ${shown(expect)}`, 'expect')
  }
}

function invalid(message: string, param: string | null, headers: Readonly<Record<string, string>> = {}) {
  return new InletError('invalid_request', message, param, headers)
}
