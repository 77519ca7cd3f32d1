import type { FastifyInstance } from 'fastify'

/**
 * Keeps the framework from reading bodies: a handler reads the body itself, after all checks that need no body.
 * `media.ts` has checked its media type by then. To the framework no method has a body: a parser that reads nothing would
 * cost 10,000 instructions a request, for the search of it and an AsyncResource around it.
 */
export function addBodyParsers(app: FastifyInstance): void {
  for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true })
}
