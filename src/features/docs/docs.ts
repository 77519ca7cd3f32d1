import { pagePolicy, staticFile } from '../../service/answer/static-files.js'
import type { FeatureApp } from '../../service/feature.js'

const SCRIPT = 'text/javascript; charset=utf-8'

/** Files of the page, by the name under /docs. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'start.js': SCRIPT,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

const POLICY = pagePolicy('data:')

const HOUR = 'public, max-age=3600'

/** `GET /docs`: the API as a page that works without the internet. Its files are read at the first request. */
export function addDocsRoutes(app: FeatureApp): void {
  const page = { schema: { operationId: 'getDocs' }, config: { media: { produces: ['text/html'] } } }
  app.get('/docs', page, async (_, reply) => {
    const page = await staticFile('dist/docs/index.html')
    return reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page)
  })
  app.get('/docs/', (_, reply) => reply.redirect('../docs'))
  for (const [name, mediaType] of Object.entries(ASSETS)) {
    app.get(`/docs/${name}`, async (_, reply) => {
      return reply
        .type(mediaType)
        .header('cache-control', HOUR)
        .send(await staticFile(`dist/docs/${name}`))
    })
  }
}
