import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

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

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether operators have a port of their own. */
    readonly hidesOperators: boolean
  }
}
