import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone } from '../../first-layer/running/drive.js'
import { bodyOf, type ErrorCode, headersOf, InletError, shown, statusOf } from './error-table.js'
import { sendBeforeBodyEnds } from './refused-body.js'

/** The framework's own error codes → errors of this service. It reads no bodies: of those it knows nothing. */
const FRAMEWORK_ERRORS: Readonly<Record<string, (request: FastifyRequest) => InletError>> = {
  FST_ERR_BAD_URL: ({ url }) =>
    new InletError('invalid_request', `The path must be percent-encoded UTF-8. Given: ${shown(url)}`),
  // Routes check their own media types before; the framework looks at those of paths that there are not.
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (request) => notFound(request),
}

/** Headers of the answer that an error replaces: with them, a cache would keep a 503 for as long as that answer. */
const HEADERS_OF_ANSWERS = ['cache-control', 'etag', 'link']

const SHOWN_PATH = 200
/** A path in which the second part of a model's id could be taken for a route. */
const BELOW_MODEL = /^\/v[12]\/models\/[^/]+\/./
const JSON_TYPE = 'application/json; charset=utf-8'
/** Paths of the Open Inference Protocol, which has another form of errors; KServe's client takes their type to the letter. */
const INFERENCE_PATH = /^\/v2(?=[/?]|$)/

export function notFound(request: FastifyRequest): InletError {
  const { method, url } = request
  const whole = url.split('?', 1)[0]
  const path = whole.length > SHOWN_PATH ? `${whole.slice(0, SHOWN_PATH)}…` : whole
  const where = !request.server.hidesOperators ? '/docs or /openapi.json' : '/ for those that there are'
  const hint = BELOW_MODEL.test(path) ? ' A slash in a model’s id is %2F in a path.' : ''
  return new InletError('not_found', `There is no ${method} ${path}.${hint} See ${where}.`)
}

export function unsupportedMediaType(
  given: string | undefined,
  accepted: readonly string[] = ['application/json'],
): InletError {
  const is = given === undefined ? 'nothing' : shown(given)
  const message = `\`Content-Type\` must be ${accepted.join(' or ')}. Given: ${is}`
  return new InletError('unsupported_media_type', message, 'content-type')
}

function toInletError(error: unknown, request: FastifyRequest): InletError {
  if (error instanceof InletError) return error
  const known = FRAMEWORK_ERRORS[(error as FastifyError)?.code ?? '']
  if (known !== undefined) return known(request)
  return new InletError('internal', 'The service failed. The log has the details under the request id.')
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (isClientGone(error)) {
    reply.hijack()
    reply.raw.destroy()
    return
  }
  const known = toInletError(error, request)
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed')
  request.errorCode = known.code
  request.errorParam = known.param
  for (const name of HEADERS_OF_ANSWERS) reply.removeHeader(name)
  if (request.server.isStopping()) reply.header('connection', 'close')
  const ofProtocol = INFERENCE_PATH.test(request.url)
  const body = ofProtocol ? { error: known.message } : bodyOf(known)
  reply
    .code(statusOf(known))
    .headers(headersOf(known))
    .type(ofProtocol ? 'application/json' : JSON_TYPE)
  sendBeforeBodyEnds(request, reply, Buffer.from(JSON.stringify(body)))
}

declare module 'fastify' {
  interface FastifyRequest {
    errorCode?: ErrorCode
    /** The field that the error names; it may be the caller's own text. */
    errorParam?: string | null
  }
}

export function addErrorHandling(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => sendError(notFound(request), request, reply))
}
