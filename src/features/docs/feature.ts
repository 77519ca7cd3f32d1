import { pagePolicy, staticFile } from '../../service/answer/static-files.js'
import type { Feature } from '../../service/feature.js'

const config = { isForOperators: true }

/** The committed documents, not ones made at start, by operation, path, file and media type. */
const PAGES = [
  ['getOpenApiJson', '/openapi.json', 'dist/docs/openapi.json', 'application/json'],
  ['getOpenApiYaml', '/openapi.yaml', 'openapi.yaml', 'application/yaml'],
  ['getDocs', '/docs', 'dist/docs/index.html', 'text/html'],
] as const

const SCRIPT = 'text/javascript; charset=utf-8'

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'start.js': SCRIPT,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** `/docs`, `/openapi.json`, `/openapi.yaml`: the description of the interface, without the internet. */
export const docs: Feature = {
  name: 'docs',
  routes(app) {
    for (const [operationId, url, path, mediaType] of PAGES) {
      const options = { schema: { operationId }, config: { media: { produces: [mediaType] }, ...config } }
      app.get(url, options, async (_, reply) => {
        if (mediaType === 'text/html') reply.header('content-security-policy', pagePolicy('data:'))
        return reply.type(`${mediaType}; charset=utf-8`).send(await staticFile(path))
      })
    }
    app.get('/docs/', { config }, (_, reply) => reply.redirect('../docs'))
    for (const [name, mediaType] of Object.entries(ASSETS)) {
      app.get(`/docs/${name}`, { config }, async (_, reply) => {
        reply.type(mediaType).header('cache-control', 'public, max-age=3600')
        return reply.send(await staticFile(`dist/docs/${name}`))
      })
    }
  },
}
