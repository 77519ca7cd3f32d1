import type { FastifyRequest } from 'fastify'

/** Paths that only operators need; so are all routes that change models. Health is for callers' balancers too. */
const OPERATORS_PATHS = /^\/(metrics|docs|openapi\.json|openapi\.yaml)(\/|$)/

/** Whether the operators' routes are there for this request. */
export function seesOperatorsRoutes({ server }: FastifyRequest): boolean {
  return !server.hidesOperators
}

/** Whether a path of the interface is for operators, whatever the method. */
export function isOperatorsPath(path: string): boolean {
  return OPERATORS_PATHS.test(path)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether operators have a port of their own, which this is not. */
    readonly hidesOperators: boolean
  }
}
