import type { FastifyInstance } from 'fastify'
import { InletError, shown } from '../errors.js'
import { invalidUtf8Offset } from '../wire/utf8.js'

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

/** JSON bodies, in place of the framework's own parser, which replaces bytes that are not UTF-8. */
export function addJsonBodies(app: FastifyInstance, limit: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: limit },
    (request, body, done) => {
      try {
        const [queryField] = Object.keys(request.query as object)
        if (queryField !== undefined) {
          const message = `A query string must not stand beside a JSON body. Given: ${shown(queryField)}`
          throw new InletError('invalid_request', message, queryField)
        }
        done(null, parseJson(body as Buffer))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}
