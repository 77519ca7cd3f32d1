import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { InletError, shown } from '../../answer/error-table.js'
import { unsupportedMediaType } from '../../answer/errors.js'
import { negotiateFormat, preferred } from '../../answer/formats/registry.js'
import { parseContentType } from '../body/content-type.js'
import { contentCoding } from '../body/read-body.js'

/** The media types of a route's body and answer, checked before a byte of the body is read. */
export interface Media {
  /** Media types of the body; absent: the route has no body. */
  readonly consumes?: readonly string[]
  /** Media types of the answer, or `tensors`: those of all tensor formats. */
  readonly produces: readonly string[] | 'tensors'
  /** `false`: the body, not `Accept`, decides which of them the answer has. */
  readonly isNegotiated?: boolean
}

export const JSON_TYPE = 'application/json'
export const JSON_UTF8 = `${JSON_TYPE}; charset=utf-8`
/** The `config` of a route that takes JSON and answers with it. */
export const JSON_ONLY = { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } }

declare module 'fastify' {
  interface FastifyContextConfig {
    media?: Media
  }
}

/** `type/subtype`, and perhaps parameters (RFC 9110, 8.3.1). */
const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/

/** Checks `Content-Type`, then `Accept`. @throws InletError `unsupported_media_type`, then `not_acceptable` */
export function checkMedia(request: FastifyRequest, { media }: FastifyContextConfig): void {
  if (media?.consumes === undefined) checkAnyType(request)
  else checkBodyType(request, media.consumes)
  if (media === undefined) return
  const { produces, isNegotiated = true } = media
  if (!isNegotiated) return
  const { accept } = request.headers
  if (produces === 'tensors') negotiateFormat(accept)
  else preferred(accept, produces)
}

/** Where the route takes any media type. */
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
  if (charset !== undefined && charset !== 'utf-8') {
    const message = `The charset of \`Content-Type\` must be utf-8. Given: ${shown(charset)}`
    throw new InletError('unsupported_media_type', message, 'content-type')
  }
  contentCoding(request)
}
