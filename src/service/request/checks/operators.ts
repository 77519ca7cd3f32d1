import type { FastifyContextConfig, FastifyInstance } from 'fastify'
import { notFound } from '../../answer/errors.js'

/** Collects the operators' routes that are added from now on, and hides them in the callers' application: 404 `not_found`. */
export function addOperatorsRoutes(app: FastifyInstance): void {
  const operatorsRoutes = new Set<string>()
  /** Paths that have a route for callers. */
  const shown = new Set<string>()
  app.decorate('operatorsRoutes', operatorsRoutes)
  app.addHook('onRoute', ({ method, url, config }) => {
    if (isForOperators(config)) for (const each of [method].flat()) operatorsRoutes.add(`${each} ${url}`)
    else if (!config?.methodNotAllowed) shown.add(url)
  })
  if (!app.hidesOperators) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, config } = request.routeOptions
    if (!request.is404 && (isForOperators(config) || !shown.has(url!))) throw notFound(request)
    done()
  })
}

export function isForOperators(config: FastifyContextConfig | undefined): boolean {
  return config?.isForOperators === true || config?.needs === 'admin'
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With `ADMIN_PORT`, only operators have the route, as all that need an admin key. Health is for callers' balancers too. */
    isForOperators?: boolean
  }
  interface FastifyInstance {
    /** Whether this application is the callers', and operators have another port. */
    readonly hidesOperators: boolean
    /** Routes that only operators need: `GET /metrics`. */
    readonly operatorsRoutes: ReadonlySet<string>
  }
}
