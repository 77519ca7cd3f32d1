import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InletError, shown } from '../errors.js'

/** What the framework itself finds wrong, as errors of this service. */
const FRAMEWORK_ERRORS: Readonly<
  Record<string, (error: FastifyError, request: FastifyRequest) => InletError>
> = {
  FST_ERR_BAD_URL: () => new InletError('invalid_request', 'The path must be a valid percent-encoded URL.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (_, request) => unsupportedMediaType(request.headers['content-type']),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new InletError('invalid_request', 'The body must be as long as `Content-Length` says.', 'content-length'),
  FST_ERR_CTP_BODY_TOO_LARGE: (_, request) =>
    bodyTooLarge(request.routeOptions.bodyLimit, request.headers['content-length']),
}

export function unsupportedMediaType(given: string | undefined, accepted = 'application/json'): InletError {
  const message = `\`Content-Type\` must be ${accepted}. Given: ${given === undefined ? 'nothing' : shown(given)}`
  return new InletError('unsupported_media_type', message, 'content-type')
}

export function bodyTooLarge(limit: number | undefined, given: string | number = 'more'): InletError {
  return new InletError('body_too_large', `The body must be at most ${limit} bytes. Given: ${given}`)
}

/** Any thrown value as the error that the caller may see. */
export function toInletError(error: unknown, request: FastifyRequest): InletError {
  if (error instanceof InletError) return error
  const known = FRAMEWORK_ERRORS[(error as FastifyError)?.code ?? '']
  if (known !== undefined) return known(error as FastifyError, request)
  return new InletError('internal', 'The service failed. The log has the details under the request id.')
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toInletError(error, request)
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed')
  request.errorCode = known.code
  reply.code(known.status).headers(known.headers).type('application/json; charset=utf-8').send(known.body())
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that the answer carries. */
    errorCode?: string
  }
}

/** Error answers for everything that reaches a route, and for what reaches none. */
export function addErrorHandling(app: FastifyInstance): void {
  app.decorateRequest('errorCode')
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const message = `There is no ${request.method} ${request.url.split('?', 1)[0]}. See /docs or /openapi.json.`
    sendError(new InletError('not_found', message), request, reply)
  })
  addMethodNotAllowed(app)
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Each path answers 405 to the methods that it has no route for. */
function addMethodNotAllowed(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>()
  let collecting = true
  app.addHook('onRoute', ({ url, method }) => {
    if (!collecting) return
    const methods = methodsOf.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsOf.set(url, methods)
  })
  app.addHook('onReady', async () => {
    collecting = false
  })
  app.decorate('closeMethods', () => {
    collecting = false
    for (const [url, methods] of methodsOf) {
      const allow = [...methods].join(', ')
      app.route({
        url,
        method: METHODS.filter((method) => !methods.has(method)),
        config: { methodNotAllowed: true },
        onRequest: async (request) => {
          const message = `${url} allows ${allow}. Given: ${request.method}`
          throw new InletError('method_not_allowed', message, null, { allow })
        },
        handler: () => {},
      })
    }
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    methodNotAllowed?: boolean
  }
  interface FastifyInstance {
    /** Adds the 405 answers, after the last route. */
    closeMethods(): void
  }
}

export const CLIENT_ERRORS: Readonly<Record<string, InletError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new InletError('request_timeout', 'The request did not arrive in time.'),
  HPE_HEADER_OVERFLOW: new InletError('headers_too_large', 'The header is over 16384 bytes.'),
}

/** What is no HTTP request at all gets the error table's form too, and the connection ends. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const known =
    CLIENT_ERRORS[error.code ?? ''] ??
    new InletError('invalid_request', 'The request must be valid HTTP/1.1.')
  const body = JSON.stringify(known.body())
  const head = [
    `HTTP/1.1 ${known.status} Error`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${crypto.randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
