import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import { FORMATS, type Format } from '../../../first-layer/formats/formats.js'
import { HeaderedError, InletError, shown } from '../../answer/error-table.js'
import { unsupportedMediaType } from '../../answer/errors.js'
import { contentCoding } from '../body/read-body.js'
import type { callersCheck } from './callers.js'

/**
 * Server options for the framework. By default, Node itself answers a missing `Host`, without a body. Of a
 * header that is sent twice but may be sent once, Node keeps the first and drops the others; joined with a
 * comma instead, they make an invalid `Host`, `Content-Type` or key, which a check refuses. Node's parser
 * stays strict, whatever flags Node is started with.
 */
export const OWN_HEAD_CHECKS = {
  requireHostHeader: false,
  joinDuplicateHeaders: true,
  insecureHTTPParser: false,
} as const

/** `uri-host [ ":" port ]` of RFC 9110, 7.2; empty where the target has no authority. */
const HOST = /^(\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/

/**
 * Checks the head of each request as HTTP demands. Errors have the form of the error table, where Node would
 * send a bare status, or serve the request.
 * Errors: 400 `invalid_request` for another version than 1.0 and 1.1, for HTTP/1.1 without `Host`, for
 * several `Host` or an invalid one, for a `Transfer-Encoding` other than `chunked`, and for any
 * `Transfer-Encoding` in HTTP/1.0. Node itself answers `Expect`.
 * Source: RFC 9112, 2.5, 3.2 and 6.1.
 */
export function addHeadChecks(app: FastifyInstance): void {
  app.server.maxHeadersCount = 0 // no limit: Node would drop header lines after 2,000; their bytes are bounded
  for (const name of ['bodyType', 'negotiated', 'caller']) app.decorateRequest(name)
  app.addHook('onRequest', checkHead)
}

const checkHead: onRequestHookHandler = ({ headers, raw: { httpVersion } }, _reply, done) => {
  const { host, 'transfer-encoding': coding } = headers
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
    throw invalid(`\`Transfer-Encoding\` ${rule}. Given: ${shown(coding)}`, 'transfer-encoding', {
      connection: 'close', // where the next request begins is not known
    })
  }
  done()
}

function invalid(message: string, param: string | null, headers: Readonly<Record<string, string>> = {}) {
  return new HeaderedError('invalid_request', message, param, headers)
}

export interface Media {
  readonly consumes?: readonly string[]
  /** Media types of the answer, or `tensors`: those of all tensor formats. */
  readonly produces: readonly string[] | 'tensors'
  /** `false`: the body, not `Accept`, decides which of them the answer has. */
  readonly isNegotiated?: boolean
}

export const JSON_TYPE = 'application/json'
export const JSON_UTF8 = `${JSON_TYPE}; charset=utf-8`
export const JSON_ONLY = { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } }

declare module 'fastify' {
  interface FastifyContextConfig {
    media?: Media
  }
  interface FastifyRequest {
    /** Media type of the body, if the route declares `consumes`. */
    bodyType: string
    /** The media type that the answer has by `Accept`, and its format where the answer is tensors. */
    negotiated: Negotiated
  }
}

/** `type/subtype`, and perhaps parameters (RFC 9110, 8.3.1). */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/** Checks each route's caller, unless it needs none, and its media types. */
export function addRouteChecks(app: FastifyInstance, checkOf: ReturnType<typeof callersCheck>): void {
  app.addHook('onRoute', (route) => {
    const { config = {} } = route
    if (config.methodNotAllowed) return
    const checkCaller = checkOf(config.needs)
    const check: onRequestHookHandler = (request, reply, done) => {
      checkCaller?.(request)
      checkMedia(request, reply, config)
      done()
    }
    route.onRequest = [route.onRequest ?? [], check].flat()
  })
}

/** Checks `Content-Type`, then `Accept`. @throws InletError `unsupported_media_type`, then `not_acceptable` */
function checkMedia(request: FastifyRequest, reply: FastifyReply, { media }: FastifyContextConfig): void {
  if (media?.consumes === undefined) checkAnyType(request)
  else checkBodyType(request, media.consumes)
  if (media === undefined) return
  const { produces, isNegotiated = true } = media
  if (!isNegotiated) return
  if (produces.length > 1) vary(reply, 'Accept')
  request.negotiated = negotiate(request.headers.accept, produces)
}

/** Tells caches that the answer depends on this header too (RFC 9110, 12.5.5). */
export function vary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? header : `${others}, ${header}`)
}

/** Checks the form of the type only: the route takes any. */
function checkAnyType({ method, headers }: FastifyRequest): void {
  const header = headers['content-type']
  if (header === undefined || method === 'GET' || method === 'HEAD') return
  if (!MEDIA_TYPE.test(header)) throw unsupportedMediaType(header)
}

function checkBodyType(request: FastifyRequest, consumes: readonly string[]): void {
  const header = request.headers['content-type']
  if (header === undefined) throw unsupportedMediaType(undefined, consumes)
  const { mediaType, charset } = parseContentType(header)
  if (!consumes.includes(mediaType)) throw unsupportedMediaType(header, consumes)
  if (charset !== undefined && !/^utf-?8$/.test(charset)) {
    const message = `The charset of \`Content-Type\` must be utf-8. Given: ${shown(charset)}`
    throw new InletError('unsupported_media_type', message, 'content-type')
  }
  contentCoding(request)
  request.bodyType = mediaType
}

/** `text/plain; charset="UTF-8"` → `text/plain` and `utf-8`. */
export function parseContentType(header: string): { mediaType: string; charset?: string } {
  if (!header.includes(';')) return { mediaType: header.trim().toLowerCase() }
  const [mediaType, ...parameters] = header.split(';').map((part) => part.trim())
  const charset = parameters.map((parameter) => /^charset="?([^"]*)"?$/i.exec(parameter)?.[1]).find(Boolean)
  return { mediaType: mediaType.toLowerCase(), charset: charset?.toLowerCase() }
}

const byMediaType = new Map(
  FORMATS.flatMap((format) => format.mediaTypes.map((type) => [type, format] as const)),
)

const MEDIA_TYPES = [...byMediaType.keys()]

/** The media type of a route that `Accept` asks for. */
export interface Negotiated {
  readonly mediaType: string
  /** The format of that type, for answers that are tensors. */
  readonly format: Format
}

/**
 * Chooses the type that `Accept` prefers, or the first one if the header is absent. `application/x-npy, text/html;q=0.1` → npy.
 * @param available media types, or `tensors`: those of every format
 * @throws InletError `not_acceptable`, which lists the available media types
 */
export function negotiate(
  accept: string | undefined,
  available: readonly string[] | 'tensors' = 'tensors',
): Negotiated {
  const mediaType = preferred(accept, available === 'tensors' ? MEDIA_TYPES : available)
  return { mediaType, format: byMediaType.get(mediaType) ?? FORMATS[0] }
}

/**
 * Chooses the type of `available` that `Accept` prefers. If it allows JSON alone and JSON is not available,
 * the first one: errors are JSON, and many generated clients name no other type (RFC 9110 §12.5.1).
 */
export function preferred(accept: string | undefined, available: readonly string[]): string {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return available[0]
  if (available.includes(accept)) return accept // most callers name just one type
  const ranges = accept.toLowerCase().split(',').map(rangeOf)
  const [best] = available
    .map((type) => weightOf(type, ranges))
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || b.fit - a.fit || a.order - b.order)
  if (best !== undefined) return best.type
  if (weightOf('application/json', ranges).q > 0) return available[0]
  const message = `\`Accept\` must allow one of ${available.join(', ')}. Given: ${accept}`
  throw new InletError('not_acceptable', message, 'accept')
}

interface MediaRange {
  /** `a/b`, or of a kind or all, and parameters that are not of every answer: `text/plain;version=0.0.4`. */
  readonly range: string
  readonly q: number
  readonly order: number
}

/** `application/json; charset=utf-8;q=0.5`: a charset of UTF-8 is that of every answer. */
function rangeOf(text: string, order: number): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const others = parameters.filter((each) => !/^(q=.*|charset="?utf-?8"?|)$/.test(each))
  const q = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  return { range: [range, ...others].join(';'), q: Number.parseFloat(q), order }
}

/** The weight that the most specific range gives a type; 0: none. */
function weightOf(type: string, ranges: readonly MediaRange[]) {
  const forms = ['*/*', `${type.split('/')[0]}/*`, type]
  const fits = ranges.map(({ range, q, order }) => ({ type, q, order, fit: forms.indexOf(range) }))
  const [best] = fits.filter(({ fit }) => fit >= 0).sort((a, b) => b.fit - a.fit || b.q - a.q)
  return best ?? { type, q: 0, order: 0, fit: 0 }
}
