import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type JsonLimits, readJson } from './json-body.js'
import { checkContentLength } from './read-body.js'

/**
 * Reads JSON where a route's schema has a body. All other bodies are left as they come, for the routes that take them
 * block by block: their `request.body` is null.
 */
export function addBodyParsers(app: FastifyInstance, limits: JsonLimits): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest) =>
    request.routeOptions.schema?.body === undefined ? null : readJson(request, limits),
  )
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { schema, bodyLimit } = request.routeOptions
    if (schema?.querystring !== undefined) checkContentLength(request, bodyLimit) // its fields are checked afterwards
    return null
  })
  app.addHttpMethod('QUERY', { overrideExisting: true }) // as one that has a body, it would need a Content-Type
}
