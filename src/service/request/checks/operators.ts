import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { notFound } from '../../answer/errors.js'

/** Hides the operators' routes: 404 `not_found`, as if they were not there. Covers the routes that are added from now on. */
export function hideFromCallers(app: FastifyInstance): void {
  /** Paths that have a route for callers. */
  const shown = new Set<string>()
  app.addHook('onRoute', ({ url, config }: RouteOptions) => {
    if (config?.methodNotAllowed || config?.needs === 'admin' || isOperatorsPath(url)) return
    shown.add(url)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (isHidden(request, shown)) throw notFound(request)
    done()
  })
}

function isHidden({ is404, routeOptions }: FastifyRequest, shown: ReadonlySet<string>): boolean {
  if (is404 || routeOptions.url === undefined) return false
  return routeOptions.config.needs === 'admin' || !shown.has(routeOptions.url)
}

/** Paths that only operators need; so are all routes that change models. Health is for callers' balancers too. */
const OPERATORS_PATHS = /^\/(metrics|docs|openapi\.json|openapi\.yaml)(\/|$)/

export function isOperatorsPath(path: string): boolean {
  return OPERATORS_PATHS.test(path)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether this application is the callers', and operators have another port. */
    readonly hidesOperators: boolean
  }
}
