import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { notFound } from '../answers/errors.js'

/** Paths that only operators need; so are all routes that change models. Health is for callers' balancers too. */
const OPERATORS_PATHS = /^\/(metrics|docs|openapi\.json|openapi\.yaml)(\/|$)/

/** Connections that came by the operators' port. */
const fromOperators = new WeakSet<Socket>()

/** Notes that a connection came by the operators' port. */
export function markOperators(socket: Socket): void {
  fromOperators.add(socket)
}

export function isFromOperators(socket: Socket): boolean {
  return fromOperators.has(socket)
}

/** Whether the operators' routes are there for this request. */
export function seesOperatorsRoutes({ server, raw }: FastifyRequest): boolean {
  return !server.hidesOperators || isFromOperators(raw.socket)
}

/** Whether a path of the interface is for operators, whatever the method. */
export function isOperatorsPath(path: string): boolean {
  return OPERATORS_PATHS.test(path)
}

/**
 * Hides the operators' routes from everybody who does not come by their port: 404 `not_found`, as if they were not
 * there. Covers the routes that are added from now on.
 */
export function hideFromCallers(app: FastifyInstance): void {
  /** Paths that have a route for callers. */
  const shown = new Set<string>()
  app.addHook('onRoute', ({ url, config }: RouteOptions) => {
    if (config?.methodNotAllowed || config?.admin || isOperatorsPath(url)) return
    shown.add(url)
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (isHidden(request, shown) && !isFromOperators(request.raw.socket)) throw notFound(request)
    done()
  })
}

function isHidden({ is404, routeOptions }: FastifyRequest, shown: ReadonlySet<string>): boolean {
  if (is404 || routeOptions.url === undefined) return false
  return routeOptions.config.admin === true || !shown.has(routeOptions.url)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether operators have a port of their own. */
    readonly hidesOperators: boolean
  }
}
