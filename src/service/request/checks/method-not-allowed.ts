import http from 'node:http'
import type { FastifyInstance } from 'fastify'
import { HeaderedError } from '../../answer/error-table.js'

/** Methods that metrics count by name; all others are counted as `other`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** All methods that Node knows except CONNECT, which asks for a tunnel and never reaches a route. */
const ALL_METHODS = http.METHODS.filter((method) => method !== 'CONNECT')

export function addMethodNotAllowed(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>()
  /** The methods of each path that only operators may use. */
  const operatorsMethodsOf = new Map<string, Set<string>>()
  let collecting = true
  app.addHook('onRoute', ({ url, method, config }) => {
    if (!collecting) return
    for (const one of [method].flat()) {
      add(methodsOf, url, one)
      if (config?.needs === 'admin') add(operatorsMethodsOf, url, one)
    }
  })
  app.addHook('onReady', async () => {
    collecting = false
  })
  for (const method of ALL_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.decorate('closeMethods', (context: FastifyInstance) => {
    collecting = false
    for (const [url, methods] of methodsOf) {
      const all = [...methods]
      const allowed = all.filter((method) => !operatorsMethodsOf.get(url)?.has(method))
      context.route({
        url,
        method: ALL_METHODS.filter((method) => !methods.has(method)),
        config: { methodNotAllowed: true },
        onRequest: async (request) => {
          const allow = (!request.server.hidesOperators ? all : allowed).join(', ')
          const message = `${url} allows ${allow}. Given: ${request.method}`
          throw new HeaderedError('method_not_allowed', message, null, { allow })
        },
        handler: () => {},
      })
    }
  })
}

function add(methodsOf: Map<string, Set<string>>, url: string, method: string): void {
  const methods = methodsOf.get(url) ?? new Set()
  methodsOf.set(url, methods.add(method))
}

declare module 'fastify' {
  interface FastifyContextConfig {
    methodNotAllowed?: boolean
  }
  interface FastifyInstance {
    closeMethods(context: FastifyInstance): void
  }
}
