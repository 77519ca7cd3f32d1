import type { FastifyInstance } from 'fastify'

/**
 * The framework reads no body: handlers do, once they know that they want it. Which media types a route takes
 * is checked before (`media.ts`).
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}
