import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone } from '../process/turn.js'
import { bodyOf, type ErrorCode, headersOf, InletError, shown, statusOf } from './error-table.js'

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
/** A plugin's form of error answers: the body, and its media type. */
export interface ErrorForm {
  readonly type: string
  body(error: InletError): object
}

const COMMON_FORM: ErrorForm = { type: 'application/json; charset=utf-8', body: bodyOf }

/** @param hint a sentence more for the message, after a space */
export function notFound(request: FastifyRequest, hint = ''): InletError {
  const { method, url } = request
  const whole = url.split('?', 1)[0]
  const path = whole.length > SHOWN_PATH ? `${whole.slice(0, SHOWN_PATH)}…` : whole
  const where = !request.server.hidesOperators ? '/docs or /openapi.json' : '/ for those that there are'
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

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  form = COMMON_FORM,
): void {
  if (isClientGone(error)) {
    reply.raw.destroy()
    return
  }
  const known = toInletError(error, request)
  if (known.code === 'internal') request.log.error({ err: error }, 'request failed')
  request.errorCode = known.code
  request.errorParam = known.param
  for (const name of HEADERS_OF_ANSWERS) reply.removeHeader(name)
  dropBody(request)
  reply
    .code(statusOf(known))
    .headers(headersOf(known))
    .type(form.type)
    .send(Buffer.from(JSON.stringify(form.body(known)))) // the framework would add a charset to a text’s type
}

/** Milliseconds in which the rest of a refused body is read. */
export const REST_MS = 30_000

/** Reads what is left of a body and drops it: the client sends it to its end, then reads the answer. One that never ends is cut. */
function dropBody({ raw }: FastifyRequest): void {
  if (raw.complete) return
  // A listener: `resume` alone has no effect while an iterator that was not read to its end still listens.
  raw.on('data', () => {}).resume()
  const late = setTimeout(() => raw.destroy(), REST_MS).unref()
  raw.once('close', () => clearTimeout(late))
}

declare module 'fastify' {
  interface FastifyRequest {
    errorCode?: ErrorCode
    /** The field that the error names; it may be the caller's own text. */
    errorParam?: string | null
  }
}

/**
 * The error form of a plugin and of the paths below its prefix.
 * @param hint of answers to paths that there are not
 */
export function addErrorHandling(app: FastifyInstance, form = COMMON_FORM, hint?: string): void {
  for (const name of ['errorCode', 'errorParam'])
    if (!app.hasRequestDecorator(name)) app.decorateRequest(name)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, form))
  app.setNotFoundHandler((request, reply) => sendError(notFound(request, hint), request, reply, form))
}

/** Said where the second part of a model's id could be taken for a route. */
export const SLASH_HINT = ' A slash in a model’s id is %2F in a path.'
