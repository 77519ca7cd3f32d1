import type { FastifyInstance } from 'fastify'

/**
 * Keeps the framework from reading bodies: a handler reads the body itself, after all checks that need no body.
 * `media.ts` has checked its media type by then.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}
