import http from 'node:http'
import type { FastifyInstance } from 'fastify'
import { HeaderedError } from '../../answer/error-table.js'
import { isForOperators } from './operators.js'

/** Methods that metrics count by name; all others are counted as `other`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** All methods that Node knows except CONNECT, which asks for a tunnel and never reaches a route. */
const ALL_METHODS = http.METHODS.filter((method) => method !== 'CONNECT')

export function addAllMethods(app: FastifyInstance): void {
  for (const method of ALL_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
}

/**
 * Collects the paths that a plugin adds from now on.
 * @returns adds 405 with `Allow` to them, for all other methods. As routes: `findRoute` finds no path with a parameter
 */
export function methodsOf(plugin: FastifyInstance): () => void {
  const paths = new Map<string, Map<string, { isHidden: boolean }>>()
  plugin.addHook('onRoute', ({ url, method, config }) => {
    const methods = paths.get(url) ?? new Map()
    paths.set(url, methods)
    for (const each of [method].flat()) methods.set(each, { isHidden: isForOperators(config) })
  })
  return () => {
    for (const [url, methods] of [...paths]) {
      const shown = [...methods].filter(([, { isHidden }]) => !(isHidden && plugin.hidesOperators))
      const allow = shown.map(([method]) => method).join(', ')
      plugin.route({
        url: url.slice(plugin.prefix.length),
        prefixTrailingSlash: 'slash',
        method: ALL_METHODS.filter((method) => !methods.has(method)),
        config: { methodNotAllowed: true },
        onRequest: async ({ method }) => {
          const message = `${url} allows ${allow}. Given: ${method}`
          throw new HeaderedError('method_not_allowed', message, null, { allow })
        },
        handler: () => {},
      })
    }
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    methodNotAllowed?: boolean
  }
}
