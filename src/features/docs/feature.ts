import { pagePolicy, staticFile } from '../../service/answer/static-files.js'
import type { Feature, FeatureApp } from '../../service/feature.js'

/** `/docs`, `/openapi.json`, `/openapi.yaml`: the description of the interface, without the internet. */
export const docs: Feature = {
  name: 'docs',
  routes(app) {
    // The committed document, not one made at start.
    addPage(app, 'getOpenApiJson', '/openapi.json', 'dist/docs/openapi.json', 'application/json')
    addPage(app, 'getOpenApiYaml', '/openapi.yaml', 'openapi.yaml', 'application/yaml')
    addPage(app, 'getDocs', '/docs', 'dist/docs/index.html', 'text/html', {
      'content-security-policy': pagePolicy('data:'),
    })
    app.get('/docs/', { config }, (_, reply) => reply.redirect('../docs'))
    for (const [name, mediaType] of Object.entries(ASSETS)) {
      app.get(`/docs/${name}`, { config }, async (_, reply) => {
        reply.type(mediaType).header('cache-control', 'public, max-age=3600')
        return reply.send(await staticFile(`dist/docs/${name}`))
      })
    }
  },
}

const config = { isForOperators: true }

const SCRIPT = 'text/javascript; charset=utf-8'

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'start.js': SCRIPT,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** A file that is read when it is first asked for. */
function addPage(
  app: FeatureApp,
  operationId: string,
  url: string,
  path: string,
  mediaType: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const options = { schema: { operationId }, config: { media: { produces: [mediaType] }, ...config } }
  app.get(url, options, async (_, reply) => {
    return reply
      .type(`${mediaType}; charset=utf-8`)
      .headers(headers)
      .send(await staticFile(path))
  })
}
