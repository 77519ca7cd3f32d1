import type { FastifyRequest } from 'fastify'
import { InletError, shown } from '../errors.js'
import { invalidUtf8Offset } from '../wire/utf8.js'
import { readBody } from './read-body.js'

/**
 * The value of a JSON body. Beside one, all fields stand in the body: a query string is refused.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode`, `invalid_json`, `invalid_request`
 */
export async function jsonBody(request: FastifyRequest, limit: number): Promise<unknown> {
  const value = parseJson(await readBody(request, limit))
  const [queryField] = Object.keys(request.query as object)
  if (queryField === undefined) return value
  const message = `A query string must not stand beside a JSON body. Given: ${shown(queryField)}`
  throw new InletError('invalid_request', message, queryField)
}

/**
 * Bytes of a JSON body as the value they mean.
 *
 * @throws InletError `invalid_unicode` with the byte offset, `invalid_json`
 */
export function parseJson(body: Buffer): unknown {
  const invalid = invalidUtf8Offset(body)
  if (invalid >= 0) {
    throw new InletError('invalid_unicode', `The body must be UTF-8: byte ${invalid} is not.`)
  }
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new InletError('invalid_json', `The body must be JSON: ${(error as Error).message}`)
  }
}
