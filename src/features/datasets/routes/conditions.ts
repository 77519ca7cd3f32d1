import type { FastifyRequest } from 'fastify'
import { parseTags } from '../../../service/request/entity-tags.js'

/** Whether the caller has this answer already, as `If-None-Match` says. @throws InletError `invalid_request` */
export function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const unless = headers['if-none-match']
  if (unless === undefined) return false
  const known = parseTags(unless, 'if-none-match')
  return known === '*' || known.some(({ value }) => value === etag)
}
