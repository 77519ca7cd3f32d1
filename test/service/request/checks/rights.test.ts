import type { RouteOptions } from 'fastify'
import { expect, it } from 'vitest'
import { exampleApp } from '../../document/example-app.js'

// Who may call a route is written at the route, and once more here: a slip there cannot open a route unseen.

const routes: RouteOptions[] = []
await (await exampleApp((route) => routes.push(route))).close()

function those(are: (route: RouteOptions) => boolean): string[] {
  const found = routes.filter(
    (route) => route.method !== 'HEAD' && !route.config?.methodNotAllowed && are(route),
  )
  return found.map(({ method, url }) => `${method} ${url}`).sort()
}

it('routes without a key', () => {
  expect(those(({ config }) => config?.needs === 'nothing')).toEqual([
    'GET /',
    'GET /explorer/:file',
    'GET /health/live',
    'GET /health/ready',
    'GET /v2/health/live',
    'GET /v2/health/ready',
  ])
})

it('routes with an admin key', () => {
  expect(those(({ config }) => config?.needs === 'admin')).toEqual([
    'DELETE /v1/models/:model',
    'GET /v1/models/:model/tables',
    'POST /v1/models/:model/load',
    'POST /v1/models/:model/unload',
    'PUT /v1/models/:model',
    'PUT /v1/models/:model/tables',
  ])
})

it('routes with a key for learning', () => {
  const paths = those(({ config }) => config?.needs === 'learn')
  expect(paths).toEqual(
    those(({ url }) => /models\/:model\/(optimizer|gradients|steps|checkpoint)$/.test(url)),
  )
  expect(paths.length).toBe(8)
})

it('routes of operators besides', () => {
  expect(those(({ config }) => config?.isForOperators === true)).toEqual([
    'GET /docs',
    'GET /docs/',
    'GET /docs/favicon-32x32.png',
    'GET /docs/start.js',
    'GET /docs/swagger-ui-bundle.js',
    'GET /docs/swagger-ui.css',
    'GET /metrics',
    'GET /openapi.json',
    'GET /openapi.yaml',
  ])
})
