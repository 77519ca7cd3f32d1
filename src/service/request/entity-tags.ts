import type { FastifyRequest } from 'fastify'
import { InletError, shown } from '../answer/error-table.js'

const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

/** An ETag of a list: `W/"1-ab"` is weak, and its value `"1-ab"`. */
export interface EntityTag {
  readonly weak: boolean
  readonly value: string
}

/**
 * Parses `If-Match` or `If-None-Match`: `*`, or ETags with commas between them.
 * @param name the header's name in lower case
 * @throws InletError `invalid_request` where the header is neither
 * Source: RFC 9110, 8.8.3 and 13.1.
 */
export function parseTags(header: string, name: string): '*' | readonly EntityTag[] {
  if (header.trim() === '*') return '*'
  const tags: EntityTag[] = []
  let at = 0
  while (at < header.length) {
    TAG.lastIndex = at
    const found = TAG.exec(header)
    if (found === null) throw malformed(header, name)
    tags.push({ weak: found[1] !== undefined, value: found[2] })
    at = TAG.lastIndex
  }
  if (tags.length === 0) throw malformed(header, name)
  return tags
}

/** Whether the caller has the answer of an ETag, as `If-None-Match` says. @throws InletError `invalid_request` */
export function knownTags({ headers }: FastifyRequest): (etag: string) => boolean {
  const unless = headers['if-none-match']
  const known = unless === undefined ? [] : parseTags(unless, 'if-none-match')
  return (etag) => known === '*' || known.some(({ value }) => value === etag)
}

function malformed(header: string, name: string): InletError {
  const title = name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  const message = `\`${title}\` must be * or ETags such as "1-ab…" with commas between them. Given: ${shown(header)}`
  return new InletError('invalid_request', message, name)
}
