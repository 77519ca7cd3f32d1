import fastifyCors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Headers of answers that a page's script may read. */
export const EXPOSED_HEADERS = [
  'Content-Length',
  'Retry-After',
  'Server-Timing',
  'WWW-Authenticate',
  'X-Num-Batches',
  'X-Num-Dropped-Tokens',
  'X-Num-Dropped-Windows',
  'X-Num-Tokens',
  'X-Num-Windows',
  'X-Request-Id',
  'X-Tensor-Dtype',
  'X-Tensor-Name',
  'X-Tensor-Shape',
]

const MAX_AGE_SECONDS = 600

/** Lets the pages of these origins call the service. Without origins, no page of another origin can. */
export async function addCors(app: FastifyInstance, origins: readonly string[] = []): Promise<void> {
  if (origins.length === 0) return
  const shared = {
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  }
  await app.register(fastifyCors, {
    hideOptionsRoute: true,
    // A preflight is answered before keys are asked for; any other OPTIONS goes its way to a 405.
    delegator: async (request) => ({ ...shared, preflight: isPreflight(request) }),
  })
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}
